import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from aws_cdk import App

from deploy.aws.app import build
from deploy.aws.plan import PlanError

pytestmark = pytest.mark.deploy

HOME = Path(__file__).parents[3] / "deploy" / "aws"


def offline() -> list[str]:
    """A prefix that takes the network away, where this user may."""
    probe = subprocess.run(["unshare", "-rn", "true"], capture_output=True)
    return ["unshare", "-rn"] if probe.returncode == 0 else []


def test_the_apps_command_synthesises_without_network_account_or_region(plan_file: Path, tmp_path: Path) -> None:
    command = json.loads((HOME / "cdk.json").read_text())["app"]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("AWS_")}
    environment |= {
        "CDK_CONTEXT_JSON": json.dumps({"plan": str(plan_file), "instance_type": "ml.g5.xlarge"}),
        "CDK_OUTDIR": os.path.relpath(tmp_path / "out", HOME),  # the CDK's command gives it from its own folder
        "VOICEBOT_PYTHON": sys.executable,
    }
    done = subprocess.run(
        [*offline(), "sh", "-c", command], cwd=HOME, env=environment, capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0, done.stderr
    built = {file.name for file in (tmp_path / "out").iterdir()}
    assert {"VoicebotSpeech.template.json", "VoicebotGatewayRights.template.json"} <= built
    # The image is built from the worker's sources alone: another word in the gateway must not replace the endpoint.
    (image,) = (tmp_path / "out").glob("asset.*")
    assert {"Dockerfile", "config", "media", "tts_worker"} <= {file.name for file in image.iterdir()}
    assert not any((image / name).exists() for name in ("gateway", "tests", "docs", ".git"))
    assert not list(image.rglob("__pycache__"))


@pytest.mark.parametrize(
    ("context", "told"),
    [
        ({}, "give -c plan=FILE"),
        ({"plan": "none.json", "instance_type": "g5.xlarge"}, "no SageMaker instance type"),
        ({"plan": "none.json", "instance_type": "ml.g5.xlarge"}, "cannot be read"),
    ],
)
def test_what_is_missing_or_wrong_is_told_in_a_sentence(context: dict[str, str], told: str) -> None:
    with pytest.raises(PlanError, match=told):
        build(App(context=context))
