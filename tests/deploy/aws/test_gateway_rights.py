from typing import Any

import pytest
from aws_cdk import App
from aws_cdk.assertions import Template

from deploy.aws.gateway_rights import GatewayRightsStack

pytestmark = pytest.mark.deploy


def statements(bedrock_model: str = "") -> dict[str, Any]:
    """Statements of the policy, by the first action of each."""
    template = Template.from_stack(GatewayRightsStack(App(), "Rights", "bot", bedrock_model))
    (policy,) = template.find_resources("AWS::IAM::ManagedPolicy").values()
    found = policy["Properties"]["PolicyDocument"]["Statement"]
    return {s["Action"] if isinstance(s["Action"], str) else s["Action"][0]: s for s in found}


def test_the_gateway_may_speak_through_its_own_endpoint_only() -> None:
    allowed = statements()
    assert set(allowed) == {"sagemaker:InvokeEndpoint", "transcribe:StartStreamTranscription"}
    speech = allowed["sagemaker:InvokeEndpoint"]
    assert speech["Action"] == ["sagemaker:InvokeEndpoint", "sagemaker:InvokeEndpointWithBidirectionalStream"]
    assert "endpoint/bot" in str(speech["Resource"])
    assert "*" not in str(speech["Resource"])


def test_one_model_is_allowed_by_its_id() -> None:
    words = statements("amazon.nova-lite-v1:0")["bedrock:InvokeModelWithResponseStream"]
    assert "foundation-model/amazon.nova-lite-v1:0" in str(words["Resource"])


def test_a_profile_brings_its_model_wherever_it_may_run() -> None:
    words = str(statements("us.amazon.nova-lite-v1:0")["bedrock:InvokeModelWithResponseStream"]["Resource"])
    assert "inference-profile/us.amazon.nova-lite-v1:0" in words
    assert ":bedrock:*::foundation-model/amazon.nova-lite-v1:0" in words


def test_tasks_of_ecs_may_take_the_role() -> None:
    template = Template.from_stack(GatewayRightsStack(App(), "Rights", "bot"))
    (role,) = template.find_resources("AWS::IAM::Role").values()
    (trust,) = role["Properties"]["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Principal"] == {"Service": "ecs-tasks.amazonaws.com"}
