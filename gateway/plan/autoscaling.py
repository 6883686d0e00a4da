"""A plan as requests to AWS: the bodies of RegisterScalableTarget, PutScalingPolicy and PutMetricAlarm.

They can be given to the AWS command line as they are (`--cli-input-json`), once the endpoint is in service.
"""

from typing import Any

from gateway.plan.fleet import Plan
from gateway.plan.inputs import Endpoint

_METRIC = "ConcurrentRequestsPerModel"
# Published as a predefined metric of this name, every 10 s; queued and running requests of an instance, open sessions
# included, however silent.
_PREDEFINED = f"SageMakerVariant{_METRIC}HighResolution"
# A quarter of an hour below the threshold, minute by minute: longer than a lull between two calls' ends.
_SCALE_IN_PERIOD_S, _SCALE_IN_PERIODS = 60, 15


def requests(plan: Plan, endpoint: Endpoint) -> dict[str, Any]:
    """Return the request bodies by the name of their operation.

    Scaling in is a policy of its own, one instance at a time: what target tracking removes at once, calls that return a
    minute later would miss for as long as a scale-out takes.
    """
    place = {
        "ServiceNamespace": "sagemaker",
        "ResourceId": f"endpoint/{endpoint.name}/variant/{endpoint.variant}",
        "ScalableDimension": "sagemaker:variant:DesiredInstanceCount",
    }
    return {
        "RegisterScalableTarget": {**place, "MinCapacity": plan.least, "MaxCapacity": plan.most},
        "PutScalingPolicy": [
            {
                "PolicyName": f"{endpoint.name}-calls",
                **place,
                "PolicyType": "TargetTrackingScaling",
                "TargetTrackingScalingPolicyConfiguration": {
                    "TargetValue": plan.target,
                    "PredefinedMetricSpecification": {"PredefinedMetricType": _PREDEFINED},
                    "ScaleOutCooldown": plan.scale_out_cooldown_s,
                    "ScaleInCooldown": plan.scale_in_cooldown_s,
                    "DisableScaleIn": True,
                },
            },
            {
                "PolicyName": f"{endpoint.name}-quiet",
                **place,
                "PolicyType": "StepScaling",
                "StepScalingPolicyConfiguration": {
                    "AdjustmentType": "ChangeInCapacity",
                    "StepAdjustments": [{"MetricIntervalUpperBound": 0.0, "ScalingAdjustment": -1}],
                    "Cooldown": plan.scale_in_cooldown_s,
                    "MetricAggregationType": "Average",
                },
            },
        ],
        # Its AlarmActions is the ARN that PutScalingPolicy answers for the second policy.
        "PutMetricAlarm": {
            "AlarmName": f"{endpoint.name}-quiet",
            "Namespace": "AWS/SageMaker",
            "MetricName": _METRIC,
            "Dimensions": [
                {"Name": "EndpointName", "Value": endpoint.name},
                {"Name": "VariantName", "Value": endpoint.variant},
            ],
            "Statistic": "Average",
            "Period": _SCALE_IN_PERIOD_S,
            "EvaluationPeriods": _SCALE_IN_PERIODS,
            "DatapointsToAlarm": _SCALE_IN_PERIODS,
            "Threshold": plan.scale_in_below,
            "ComparisonOperator": "LessThanThreshold",
            # Without a figure nothing is decided; a gateway that asks for readiness keeps some coming.
            "TreatMissingData": "missing",
        },
    }
