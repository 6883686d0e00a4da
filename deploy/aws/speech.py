"""The TTS worker behind a SageMaker real-time endpoint, scaled as planned.

The bidirectional stream needs nothing of CloudFormation: SageMaker opens the container's WebSocket on port 8080 because
its image carries the label `com.amazonaws.sagemaker.capabilities.bidirectional-streaming` (see the Dockerfile).
"""

from pathlib import Path
from typing import Any

from aws_cdk import CfnOutput, CfnResource, Duration, Stack
from aws_cdk import aws_applicationautoscaling as autoscaling
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_ecr as ecr
from aws_cdk import aws_ecr_assets as assets
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sagemaker as sagemaker
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from constructs import Construct

from deploy.aws.plan import Plan

_ROOT = Path(__file__).parents[2]
# All that the worker's image is built from. Whatever else changes leaves its name, and with it the endpoint, alone.
_SOURCES = ("Dockerfile", "README.md", "pyproject.toml", "constraints.txt", "config", "media", "tts_worker")
_NOT_IN_THE_IMAGE = ["*", *(f"!{name}" for name in _SOURCES), "**/__pycache__"]
# A GPU image is pulled, the card warmed up and a batch spoken before /ping answers 200; minutes, not the default eight.
_STARTUP_S = 900
# The default image of older GPU families has NVIDIA driver 470, for CUDA 11; torch needs a newer one.
_GPU_AMI = "al2023-ami-sagemaker-inference-gpu-4-1"
# Calls beyond what was promised for this long are no ripple.
_CROWDED_MINUTES = 5


class SpeechStack(Stack):
    """Model, endpoint, scaling and alarms. Outputs: the endpoint's name, for `tts.sagemaker.endpoint`."""

    def __init__(
        self, scope: Construct, name: str, plan: Plan, instance_type: str, repository: str = "", alarm_email: str = ""
    ) -> None:
        """`repository` is `NAME:TAG` of an image in this account; empty builds it here when the stack is deployed."""
        super().__init__(scope, name, description="voicebot: text to speech")
        self._plan = plan
        self._gpu = instance_type.startswith(("ml.g", "ml.p"))
        model = self._model(repository)
        self.endpoint = self._endpoint(model, instance_type)
        self._scale()
        self._watch(alarm_email)
        CfnOutput(self, "EndpointName", value=plan.endpoint)

    def _model(self, repository: str) -> sagemaker.CfnModel:
        role = iam.Role(self, "WorkerRole", assumed_by=iam.ServicePrincipal("sagemaker.amazonaws.com"))
        if repository:
            name, _, tag = repository.partition(":")
            stored = ecr.Repository.from_repository_name(self, "Images", name)
            stored.grant_pull(role)
            uri = stored.repository_uri_for_tag(tag or "latest")
        else:
            image = assets.DockerImageAsset(
                self,
                "Image",
                directory=str(_ROOT),
                target="sagemaker-gpu" if self._gpu else "sagemaker-cpu",
                platform=assets.Platform.LINUX_AMD64,
                exclude=_NOT_IN_THE_IMAGE,
            )
            image.repository.grant_pull(role)
            uri = image.image_uri
        logs = f"log-group:/aws/sagemaker/Endpoints/{self._plan.endpoint}"
        role.add_to_policy(
            iam.PolicyStatement(
                actions=["logs:CreateLogGroup", "logs:CreateLogStream", "logs:PutLogEvents"],
                resources=[self.format_arn(service="logs", resource=f"{logs}{rest}") for rest in ("", ":*")],
            )
        )
        environment = {
            "VOICEBOT_WORKER__MAX_SESSIONS": str(self._plan.sessions),
            # Nobody but SageMaker reaches the port, and it lets in whom IAM does.
            "VOICEBOT_WORKER__GUARDED": "true",
        }
        container = sagemaker.CfnModel.ContainerDefinitionProperty(image=uri, environment=environment)
        model = sagemaker.CfnModel(self, "Model", execution_role_arn=role.role_arn, primary_container=container)
        model.node.add_dependency(role)  # its policies too: SageMaker pulls the image at once
        return model

    def _endpoint(self, model: sagemaker.CfnModel, instance_type: str) -> sagemaker.CfnEndpoint:
        variant = sagemaker.CfnEndpointConfig.ProductionVariantProperty(
            variant_name=self._plan.variant,
            model_name=model.attr_model_name,
            instance_type=instance_type,
            initial_instance_count=self._plan.least,
            initial_variant_weight=1.0,
            container_startup_health_check_timeout_in_seconds=_STARTUP_S,
            inference_ami_version=_GPU_AMI if self._gpu else None,
            # The plan counts on it: an open session is an outstanding request, so calls are levelled.
            routing_config=sagemaker.CfnEndpointConfig.RoutingConfigProperty(
                routing_strategy="LEAST_OUTSTANDING_REQUESTS"
            ),
        )
        config = sagemaker.CfnEndpointConfig(self, "EndpointConfig", production_variants=[variant])
        return sagemaker.CfnEndpoint(
            self,
            "Endpoint",
            endpoint_name=self._plan.endpoint,
            endpoint_config_name=config.attr_endpoint_config_name,
            # A new model must not undo what scaling has ordered.
            retain_all_variant_properties=True,
        )

    def _scale(self) -> None:
        """The plan's own request bodies: CloudFormation's properties have the API's names."""
        target = autoscaling.CfnScalableTarget(
            self,
            "Fleet",
            service_namespace="sagemaker",
            scalable_dimension="sagemaker:variant:DesiredInstanceCount",
            resource_id=f"endpoint/{self._plan.endpoint}/variant/{self._plan.variant}",
            min_capacity=self._plan.least,
            max_capacity=self._plan.most,
        )
        target.add_resource_dependency(self.endpoint)
        self._policy(
            "Calls", target, "TargetTrackingScaling", {"TargetTrackingScalingPolicyConfiguration": self._plan.tracking}
        )
        quiet = self._policy("Quiet", target, "StepScaling", {"StepScalingPolicyConfiguration": self._plan.quiet_step})
        CfnResource(
            self,
            "QuietAlarm",
            type="AWS::CloudWatch::Alarm",
            properties={**self._plan.quiet_alarm, "AlarmActions": [quiet.ref]},
        )

    def _policy(
        self, name: str, target: autoscaling.CfnScalableTarget, kind: str, configuration: dict[str, Any]
    ) -> CfnResource:
        return CfnResource(
            self,
            name,
            type="AWS::ApplicationAutoScaling::ScalingPolicy",
            properties={
                "PolicyName": f"{self._plan.endpoint}-{name.lower()}",
                "PolicyType": kind,
                "ScalingTargetId": target.ref,
                **configuration,
            },
        )

    def _watch(self, email: str) -> None:
        """Alarms for people: too many calls (the fleet is at its most, or AWS has no machine to give), and failures."""
        crowded = self._alarm(
            "Crowded", "ConcurrentRequestsPerModel", "Average", self._plan.calls_an_instance, _CROWDED_MINUTES
        )
        failing = self._alarm("Failing", "Invocation5XXErrors", "Sum", 0, 1)
        if email:
            topic = sns.Topic(self, "Alarms")
            topic.add_subscription(subscriptions.EmailSubscription(email))
            for alarm in (crowded, failing):
                alarm.add_alarm_action(actions.SnsAction(topic))

    def _alarm(self, name: str, metric: str, statistic: str, above: float, minutes: int) -> cloudwatch.Alarm:
        watched = cloudwatch.Metric(
            namespace="AWS/SageMaker",
            metric_name=metric,
            dimensions_map={"EndpointName": self._plan.endpoint, "VariantName": self._plan.variant},
            statistic=statistic,
            period=Duration.minutes(1),
        )
        return watched.create_alarm(
            self,
            name,
            threshold=above,
            evaluation_periods=minutes,
            comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,
            treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
        )
