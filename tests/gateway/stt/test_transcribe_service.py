"""Addresses are signed with the keys of now, and every way of not being let in has its code."""

import pytest

pytest.importorskip("boto3", reason="Transcribe needs boto3")

from gateway.errors import SttError
from gateway.stt.transcribe_service import TranscribeService
from tests.rig.transcribe import SECRET, transcribe_server


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDTEST")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.delenv("AWS_SESSION_TOKEN", raising=False)


@pytest.mark.parametrize("session_token", ["", "a/token+with=signs"])
async def test_the_signature_holds_with_and_without_a_session_token(
    session_token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if session_token:
        monkeypatch.setenv("AWS_SESSION_TOKEN", session_token)
    async with transcribe_server() as server:
        service = TranscribeService("ap-southeast-3", {"id": "id-ID"}, vocabulary="names & places", url=server.url)
        connection = await service.connect("id")
        await connection.close()
        assert server.refused == []
        asked = server.streams[0].parameters
    assert (asked["language-code"], asked["vocabulary-name"]) == ("id-ID", "names & places")


async def test_nobody_there_is_worth_another_try() -> None:
    with pytest.raises(SttError) as caught:
        await TranscribeService("eu-west-1", {"en": "en-US"}, url="ws://127.0.0.1:9").connect("en")
    assert (caught.value.code, caught.value.retryable) == ("transcribe_unreachable", True)


async def test_the_regions_own_endpoint_is_asked_unless_told_otherwise() -> None:
    address = await TranscribeService("eu-west-1", {"en": "en-US"})._signed("en")
    assert address.startswith("wss://transcribestreaming.eu-west-1.amazonaws.com:8443/stream-transcription-websocket?")
