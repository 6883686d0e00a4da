"""The CDK app: `cdk deploy -c plan=plan.json -c instance_type=ml.g5.xlarge ...` (README.md has every step).

Nothing is looked up in an account, so `cdk synth` works offline.
"""

import re
import sys
from pathlib import Path

from aws_cdk import App
from constructs import Node

from deploy.aws.gateway_rights import GatewayRightsStack
from deploy.aws.plan import PlanError, read_plan
from deploy.aws.speech import SpeechStack

_INSTANCE_TYPE = re.compile(r"ml\.[a-z0-9-]+\.[a-z0-9]+")


def build(app: App) -> None:
    """Add the stacks that the app's context asks for. Raises PlanError, one sentence with the remedy."""
    plan_file, instance_type = _given(app.node, "plan"), _given(app.node, "instance_type")
    if not plan_file or not instance_type:
        raise PlanError("give -c plan=FILE (from voicebot plan --json) and -c instance_type=ml.g5.xlarge")
    if not _INSTANCE_TYPE.fullmatch(instance_type):
        raise PlanError(f"{instance_type} is no SageMaker instance type; give one such as ml.g5.xlarge")
    plan = read_plan(Path(plan_file))
    repository, email = _given(app.node, "repository"), _given(app.node, "alarm_email")
    SpeechStack(app, "VoicebotSpeech", plan, instance_type, repository, email)
    GatewayRightsStack(app, "VoicebotGatewayRights", plan.endpoint, _given(app.node, "bedrock_model"))


def _given(node: Node, key: str) -> str:
    return str(node.try_get_context(key) or "")


def main() -> int:
    app = App()
    try:
        build(app)
    except PlanError as error:
        print(error, file=sys.stderr)
        return 2
    app.synth()
    return 0


if __name__ == "__main__":
    sys.exit(main())
