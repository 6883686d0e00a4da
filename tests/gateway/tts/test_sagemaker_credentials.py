"""boto3's keys as the SDK asks for them."""

from pathlib import Path

import pytest

pytest.importorskip("smithy_aws_core", reason="the AWS SDK needs Python 3.12 and the extra `aws`")

from gateway.errors import TtsError  # noqa: E402
from gateway.tts.sagemaker_credentials import BotoCredentials  # noqa: E402


async def test_the_sdk_gets_the_keys_of_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKID")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "token")
    credentials = BotoCredentials()
    identity = await credentials.get_identity(properties={})
    await credentials.invalidate()
    assert (identity.access_key_id, identity.secret_access_key, identity.session_token) == ("AKID", "secret", "token")


async def test_none_is_an_error_of_the_voice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    with pytest.raises(TtsError) as caught:
        await BotoCredentials().get_identity(properties={})
    assert (caught.value.code, caught.value.retryable) == ("no_credentials", False)
