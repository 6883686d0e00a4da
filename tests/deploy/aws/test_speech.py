import re
from pathlib import Path
from typing import Any

import pytest
from aws_cdk import App
from aws_cdk.assertions import Match, Template

from deploy.aws.plan import read_plan
from deploy.aws.speech import SpeechStack

pytestmark = pytest.mark.deploy

ROOT = Path(__file__).parents[3]


def template(plan_file: Path, instance_type: str = "ml.g5.xlarge", **more: str) -> Template:
    return Template.from_stack(SpeechStack(App(), "Speech", read_plan(plan_file), instance_type, **more))


@pytest.fixture(scope="module")
def built(plan_file: Path) -> Template:
    return template(plan_file, alarm_email="ops@example.com")


def test_the_endpoint_begins_with_the_smallest_fleet_and_levels_calls(built: Template, told: dict[str, Any]) -> None:
    built.has_resource_properties("AWS::SageMaker::Endpoint", {"EndpointName": "bot"})
    built.has_resource_properties(
        "AWS::SageMaker::EndpointConfig",
        {
            "ProductionVariants": [
                Match.object_like(
                    {
                        "VariantName": "blue",
                        "InstanceType": "ml.g5.xlarge",
                        "InitialInstanceCount": told["fleet"]["instances_least"],
                        "RoutingConfig": {"RoutingStrategy": "LEAST_OUTSTANDING_REQUESTS"},
                        "InferenceAmiVersion": "al2023-ami-sagemaker-inference-gpu-4-1",
                    }
                )
            ]
        },
    )


def test_scaling_is_the_plans_own_requests(built: Template, told: dict[str, Any]) -> None:
    requests = told["requests"]
    built.has_resource_properties("AWS::ApplicationAutoScaling::ScalableTarget", requests["RegisterScalableTarget"])
    for policy in requests["PutScalingPolicy"]:
        kind = f"{policy['PolicyType']}PolicyConfiguration"
        built.has_resource_properties(
            "AWS::ApplicationAutoScaling::ScalingPolicy",
            {"PolicyName": policy["PolicyName"], "PolicyType": policy["PolicyType"], kind: policy[kind]},
        )
    built.has_resource_properties(
        "AWS::CloudWatch::Alarm", {**requests["PutMetricAlarm"], "AlarmActions": [{"Ref": "Quiet"}]}
    )
    # An endpoint that is not there yet cannot be registered.
    built.has_resource("AWS::ApplicationAutoScaling::ScalableTarget", {"DependsOn": ["Endpoint"]})


def test_people_hear_of_too_many_calls_and_of_failures(built: Template, told: dict[str, Any]) -> None:
    for metric, above in (("ConcurrentRequestsPerModel", told["instance"]["calls"]), ("Invocation5XXErrors", 0)):
        built.has_resource_properties(
            "AWS::CloudWatch::Alarm",
            {
                "MetricName": metric,
                "Threshold": above,
                "ComparisonOperator": "GreaterThanThreshold",
                "AlarmActions": [{"Ref": Match.string_like_regexp("^Alarms")}],
            },
        )
    built.has_resource_properties("AWS::SNS::Subscription", {"Endpoint": "ops@example.com", "Protocol": "email"})


def test_the_worker_reads_its_image_writes_its_log_and_nothing_else(built: Template) -> None:
    (policy,) = built.find_resources("AWS::IAM::Policy").values()
    statements = policy["Properties"]["PolicyDocument"]["Statement"]
    allowed = [
        action for s in statements for action in ([s["Action"]] if isinstance(s["Action"], str) else s["Action"])
    ]
    everywhere = [s["Action"] for s in statements if s["Resource"] == "*"]
    assert {action.partition(":")[0] for action in allowed} == {"ecr", "logs"}
    assert everywhere == ["ecr:GetAuthorizationToken"]  # it has no resource to name


def test_the_container_takes_as_many_sessions_as_planned_and_asks_for_no_token(
    built: Template, told: dict[str, Any]
) -> None:
    environment = {
        "VOICEBOT_WORKER__MAX_SESSIONS": str(told["inputs"]["promises"]["sessions"]),
        "VOICEBOT_WORKER__GUARDED": "true",
    }
    built.has_resource_properties("AWS::SageMaker::Model", {"PrimaryContainer": {"Environment": environment}})


def test_a_stored_image_is_taken_instead_of_building_one(plan_file: Path) -> None:
    stored = template(plan_file, "ml.c7i.xlarge", repository="worker:v7")
    (model,) = stored.find_resources("AWS::SageMaker::Model").values()
    assert "/worker:v7" in str(model["Properties"]["PrimaryContainer"]["Image"])
    (config,) = stored.find_resources("AWS::SageMaker::EndpointConfig").values()
    assert "InferenceAmiVersion" not in config["Properties"]["ProductionVariants"][0]
    stored.resource_count_is("AWS::SNS::Topic", 0)


@pytest.mark.parametrize("target", ["sagemaker-gpu", "sagemaker-cpu"])
def test_the_images_it_builds_carry_the_label_without_which_no_stream_is_opened(target: str) -> None:
    dockerfile = (ROOT / "Dockerfile").read_text()
    parents = {name: parent for parent, name in re.findall(r"^FROM (\S+) AS (\S+)$", dockerfile, re.M)}
    worker = dockerfile.split(" AS worker\n")[1].split("\nFROM ")[0]

    assert parents[parents[target]] == "worker"
    assert "LABEL com.amazonaws.sagemaker.capabilities.bidirectional-streaming=true" in worker
    assert "VOICEBOT_WORKER__PORT=8080" in worker
