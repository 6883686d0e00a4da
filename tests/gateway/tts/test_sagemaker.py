"""Runs sagemaker_live.py, the real AWS SDK over TLS, and reports each of its tests; and what needs no service.

The child process is for SSL_CERT_FILE: it replaces the trust store of everything that reads it.
"""

import ast
import asyncio
import os
import subprocess
import sys
import threading
from pathlib import Path
from xml.etree import ElementTree

import pytest
from botocore.credentials import ReadOnlyCredentials

from gateway.tts.session import SpeechTiming
from tests.rig.certificates import AUTHORITY, write_certificates
from tests.rig.waiting import until

pytest.importorskip("aws_sdk_sagemaker_runtime_http2", reason="the AWS SDK needs Python 3.12 and the extra `aws`")
pytest.importorskip("h2", reason="the emulated service needs h2 (extra `dev`)")

LIVE = Path(__file__).with_name("sagemaker_live.py")
# A minute is what they take on a machine that is busy with other things.
LIVE_S = 100.0
SCENARIOS = [node.name for node in ast.parse(LIVE.read_text("utf-8")).body if isinstance(node, ast.AsyncFunctionDef)]
SCENARIOS = [name for name in SCENARIOS if name.startswith("test_")]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The failures of every scenario, by name; one that did not run is missing."""
    folder = tmp_path_factory.mktemp("sagemaker")
    write_certificates(folder)
    report = folder / "report.xml"
    here = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    keys = {"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "example", "AWS_EC2_METADATA_DISABLED": "true"}
    files = {name: str(folder / "none") for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE")}
    trust = {"SSL_CERT_FILE": str(folder / AUTHORITY), "SAGEMAKER_RIG": str(folder)}
    command = [sys.executable, "-m", "pytest", str(LIVE), f"--junitxml={report}", "-p", "no:cacheprovider"]
    command += ["-W", "error::pytest.PytestUnraisableExceptionWarning"]
    environ = {**here, **keys, **files, **trust}
    done = subprocess.run(command, env=environ, cwd=LIVE.parents[3], timeout=LIVE_S, capture_output=True, text=True)
    assert report.is_file(), (done.stdout + done.stderr)[-4000:]
    found: dict[str, list[str]] = {}
    for case in ElementTree.parse(report).iter("testcase"):
        failures = found.setdefault(case.attrib["name"].partition("[")[0], [])
        failures += [f"{part.tag}: {part.text}" for part in case if part.tag in ("failure", "error")]
    return found


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_over_the_real_sdk(outcomes: dict[str, list[str]], scenario: str) -> None:
    assert scenario in outcomes, "it did not run"
    assert outcomes[scenario] == []


def test_the_regions_own_address_has_the_port_of_bidirectional_streams() -> None:
    from gateway.tts.sagemaker import SageMakerEndpoint

    assert SageMakerEndpoint("voice", "eu-west-1").uri == "https://runtime.sagemaker.eu-west-1.amazonaws.com:8443"
    assert SageMakerEndpoint("voice", "eu-west-1", url="https://localhost:1/").uri == "https://localhost:1"


async def test_a_session_has_the_factorys_rate() -> None:
    from gateway.tts.sagemaker import SageMakerEndpoint, SageMakerSpeech

    factory = SageMakerSpeech(SageMakerEndpoint("voice", "eu-west-1"), rate_hz=8_000, timing=SpeechTiming())
    session = factory.session("af_heart", "en", 1.0)
    assert (factory.rate_hz, session.rate_hz) == (8_000, 8_000)
    await session.close()


@pytest.mark.parametrize("good_answers", [0, 1])
async def test_credentials_that_do_not_come_are_not_waited_for(good_answers: int) -> None:
    """The first time we ask; the second time the SDK does, which would wait for ever for its own failure."""
    from gateway.aws_keys import AwsKeys
    from gateway.tts.sagemaker import SageMakerEndpoint, SageMakerSpeech
    from gateway.tts.sagemaker_credentials import BotoCredentials

    released = threading.Event()

    class Slow(AwsKeys):
        asked = 0

        def _look_up(self) -> ReadOnlyCredentials:
            self.asked += 1
            if self.asked > good_answers:
                released.wait(10.0)
            return ReadOnlyCredentials("AKIDEXAMPLE", "example", None)

    timing, slow = SpeechTiming(connect_s=0.3, give_up_s=10.0), Slow(look_up_s=0.2)
    factory = SageMakerSpeech(SageMakerEndpoint("voice", "eu-west-1"), timing=timing, credentials=BotoCredentials(slow))
    before = asyncio.all_tasks()
    async with asyncio.timeout(5.0):
        assert not await factory.ready()
        assert not await factory.ready()
    assert slow.asked == good_answers + 1
    released.set()
    await until(lambda: asyncio.all_tasks() == before)
