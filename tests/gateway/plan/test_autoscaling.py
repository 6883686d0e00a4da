from typing import Any

import boto3
import pytest
from botocore.exceptions import ParamValidationError
from botocore.validate import ParamValidator

from gateway.plan.autoscaling import requests
from gateway.plan.fleet import plan
from gateway.plan.inputs import Endpoint
from tests.gateway.plan.ladders import inputs, published


def bodies() -> dict[str, Any]:
    fleet = plan(published(), inputs(peak=380, growth_per_minute=10))
    return requests(fleet, Endpoint(name="bot", variant="blue"))


def checked(service: str, operation: str, body: dict[str, Any]) -> None:
    """Hold a body against AWS's own description of the operation, as boto3 does before sending."""
    model: Any = boto3.session.Session()._session.get_service_model(service)
    report = ParamValidator().validate(body, model.operation_model(operation).input_shape)
    if report.has_errors():
        raise ParamValidationError(report=report.generate_report())


def test_every_body_is_what_aws_describes() -> None:
    told = bodies()
    checked("application-autoscaling", "RegisterScalableTarget", told["RegisterScalableTarget"])
    for policy in told["PutScalingPolicy"]:
        checked("application-autoscaling", "PutScalingPolicy", policy)
    checked("cloudwatch", "PutMetricAlarm", told["PutMetricAlarm"])
    with pytest.raises(ParamValidationError):
        checked("cloudwatch", "PutMetricAlarm", {**told["PutMetricAlarm"], "Treshold": 3})


def test_the_target_is_the_plans_on_the_metric_of_open_sessions() -> None:
    fleet = plan(published(), inputs(peak=380, growth_per_minute=10))
    told = bodies()
    assert told["RegisterScalableTarget"]["ResourceId"] == "endpoint/bot/variant/blue"
    assert told["RegisterScalableTarget"]["MinCapacity"] == fleet.least
    assert told["PutScalingPolicy"][0]["TargetTrackingScalingPolicyConfiguration"] == {
        "TargetValue": fleet.target,
        "PredefinedMetricSpecification": {
            "PredefinedMetricType": "SageMakerVariantConcurrentRequestsPerModelHighResolution"
        },
        "ScaleOutCooldown": fleet.scale_out_cooldown_s,
        "ScaleInCooldown": fleet.scale_in_cooldown_s,
        "DisableScaleIn": True,
    }


def test_one_instance_goes_at_a_time_after_a_quiet_quarter_of_an_hour() -> None:
    told = bodies()
    step = told["PutScalingPolicy"][1]["StepScalingPolicyConfiguration"]
    alarm = told["PutMetricAlarm"]
    assert step["StepAdjustments"] == [{"MetricIntervalUpperBound": 0.0, "ScalingAdjustment": -1}]
    assert alarm["Period"] * alarm["EvaluationPeriods"] == 900
    assert alarm["Threshold"] < told["PutScalingPolicy"][0]["TargetTrackingScalingPolicyConfiguration"]["TargetValue"]
