"""What the gateway may do in the account: its speech endpoint, one language model, streaming recognition. No more."""

from aws_cdk import Aws, CfnOutput, Stack
from aws_cdk import aws_iam as iam
from constructs import Construct

# Inference profiles send a request to one of several regions; their ids begin with one of these.
_PROFILES = ("us", "eu", "apac", "global", "au", "jp", "ca", "us-gov")


class GatewayRightsStack(Stack):
    """A managed policy for whatever role the gateway runs under, and a role with it for ECS tasks.

    Outputs: both ARNs. `bedrock_model` is the id in `llm.bedrock.model_id`; empty grants no model.
    """

    def __init__(self, scope: Construct, name: str, endpoint: str, bedrock_model: str = "") -> None:
        super().__init__(scope, name, description="voicebot: what the gateway may do")
        statements = [self._speech(endpoint), _hearing()]
        if bedrock_model:
            statements.append(self._words(bedrock_model))
        policy = iam.ManagedPolicy(self, "GatewayPolicy", statements=statements)
        role = iam.Role(self, "GatewayRole", assumed_by=iam.ServicePrincipal("ecs-tasks.amazonaws.com"))
        role.add_managed_policy(policy)
        CfnOutput(self, "PolicyArn", value=policy.managed_policy_arn)
        CfnOutput(self, "RoleArn", value=role.role_arn)

    def _speech(self, endpoint: str) -> iam.PolicyStatement:
        return iam.PolicyStatement(
            actions=["sagemaker:InvokeEndpoint", "sagemaker:InvokeEndpointWithBidirectionalStream"],
            resources=[self.format_arn(service="sagemaker", resource=f"endpoint/{endpoint}")],
        )

    def _words(self, model: str) -> iam.PolicyStatement:
        """ConverseStream asks for this action: on the profile, and on the model wherever the profile may send it."""
        prefix, _, bare = model.partition(".")
        if prefix not in _PROFILES:
            return iam.PolicyStatement(
                actions=["bedrock:InvokeModelWithResponseStream"],
                resources=[f"arn:{Aws.PARTITION}:bedrock:{self.region}::foundation-model/{model}"],
            )
        return iam.PolicyStatement(
            actions=["bedrock:InvokeModelWithResponseStream"],
            resources=[
                self.format_arn(service="bedrock", resource=f"inference-profile/{model}"),
                f"arn:{Aws.PARTITION}:bedrock:*::foundation-model/{bare}",
            ],
        )


def _hearing() -> iam.PolicyStatement:
    # Streaming recognition has no resources to name.
    return iam.PolicyStatement(
        actions=["transcribe:StartStreamTranscription", "transcribe:StartStreamTranscriptionWebSocket"], resources=["*"]
    )
