"""boto3's keys, from a profile file that a test may rewrite."""

from pathlib import Path

import pytest

from gateway.aws_keys import AwsKeys, NoAwsKeys

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
    keys = AwsKeys()
    first = await keys.current()
    second = await keys.current()
    assert (first.token, first.secret_key) == ("t", "s")
    assert first.access_key != second.access_key


async def test_keys_that_appear_later_are_found_then(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = AwsKeys()
    with pytest.raises(NoAwsKeys) as caught:
        await keys.current()
    assert not caught.value.retryable
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDLATE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s")
    assert (await keys.current()).access_key == "AKIDLATE"


async def test_a_source_that_fails_may_answer_later(tmp_path: Path) -> None:
    (tmp_path / "config").write_text(PROCESS.format(script=tmp_path / "false"))
    (tmp_path / "false").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "false").chmod(0o700)
    with pytest.raises(NoAwsKeys) as caught:
        await AwsKeys().current()
    assert caught.value.retryable
