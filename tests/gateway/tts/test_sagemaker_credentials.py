"""boto3's keys for the SDK, from a profile file that a test may rewrite."""

from pathlib import Path

import pytest

pytest.importorskip("smithy_aws_core", reason="the AWS SDK needs Python 3.12 and the extra `aws`")

from gateway.errors import TtsError  # noqa: E402
from gateway.tts.sagemaker_credentials import BotoCredentials  # noqa: E402

PROCESS = """[default]
credential_process = {script}
"""
SCRIPT = """#!/bin/sh
echo x >> {count}
n=$(wc -l < {count})
then=$(date -u -d '+2 minutes' +%Y-%m-%dT%H:%M:%SZ)
echo '{{"Version":1,"AccessKeyId":"AKID'$n'","SecretAccessKey":"s","SessionToken":"t","Expiration":"'$then'"}}'
"""


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))


async def test_keys_about_to_expire_are_fetched_anew_for_each_use(tmp_path: Path) -> None:
    script = tmp_path / "keys"
    script.write_text(SCRIPT.format(count=tmp_path / "count"))
    script.chmod(0o700)
    (tmp_path / "config").write_text(PROCESS.format(script=script))
    credentials = BotoCredentials()
    first = await credentials.get_identity(properties={})
    second = await credentials.get_identity(properties={})
    await credentials.invalidate()
    assert (first.session_token, first.secret_access_key) == ("t", "s")
    assert first.access_key_id != second.access_key_id


async def test_keys_that_appear_later_are_found_then(monkeypatch: pytest.MonkeyPatch) -> None:
    credentials = BotoCredentials()
    with pytest.raises(TtsError) as caught:
        await credentials.get_identity(properties={})
    assert (caught.value.code, caught.value.retryable) == ("no_credentials", False)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDLATE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s")
    assert (await credentials.get_identity(properties={})).access_key_id == "AKIDLATE"


async def test_a_source_that_fails_may_answer_later(tmp_path: Path) -> None:
    (tmp_path / "config").write_text(PROCESS.format(script=tmp_path / "false"))
    (tmp_path / "false").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "false").chmod(0o700)
    with pytest.raises(TtsError) as caught:
        await BotoCredentials().get_identity(properties={})
    assert (caught.value.code, caught.value.retryable) == ("no_credentials", True)
