"""Where Vobiz differs from Plivo: its signature, its hang-up on the stream, 24 kHz."""

import hmac
from base64 import b64encode
from xml.etree import ElementTree

import pytest

from gateway.events import HangUp
from gateway.platforms.base import WebhookRequest
from gateway.platforms.vobiz import Vobiz, VobizCodec
from tests.rig.codec_vectors import Vector, command_of, events_of, load, message_of, wires_of

SESSION = load("vobiz", "session.json")
VOICE = "https://bot.example.test/vobiz/voice"
STREAM = "wss://bot.example.test/vobiz/stream"


def signed(url: str) -> dict[str, str]:
    signature = b64encode(hmac.new(b"token", f"{url}.1".encode(), "sha256").digest()).decode()
    return {"x-vobiz-signature-v3": signature, "x-vobiz-signature-v3-nonce": "1"}


def test_a_session_whose_confirmations_have_no_ids_gives_its_events() -> None:
    codec = VobizCodec()
    for step in SESSION:
        assert codec.receive(message_of(step)) == events_of(step)


@pytest.mark.parametrize("vector", load("vobiz", "commands.json"), ids=lambda v: f"{v['command']} {v['value']}")
def test_a_command_is_written_byte_for_byte_while_the_stream_is_open(vector: Vector) -> None:
    assert VobizCodec().encode(command_of(vector)) == []
    codec = VobizCodec()
    codec.receive(message_of(SESSION[0]))
    assert codec.encode(command_of(vector)) == wires_of(vector)
    codec.receive_eof()
    assert codec.encode(command_of(vector)) == []


def test_the_call_is_hung_up_on_the_stream() -> None:
    platform = Vobiz("token")
    codec = platform.codec()
    codec.receive(message_of(SESSION[0]))
    assert platform.capabilities is codec.capabilities
    assert platform.capabilities.hang_up_on_stream
    assert len(codec.encode(HangUp())) == 1
    assert platform.name == "vobiz"


def test_webhooks_are_signed_by_their_address() -> None:
    webhook = WebhookRequest("POST", VOICE + "?a=1", signed(VOICE), (("CallUUID", "c-1"),))
    assert Vobiz("token").verify(webhook)
    assert Vobiz("sub", main_token="token").verify(webhook)
    assert not Vobiz("other").verify(webhook)
    assert not Vobiz("").verify(webhook)
    assert not Vobiz("token").verify(WebhookRequest("POST", VOICE, signed(STREAM)))


def test_upgrades_need_no_signature_unless_one_is_asked_for() -> None:
    bare, proven = WebhookRequest("GET", STREAM, {}), WebhookRequest("GET", STREAM, signed(STREAM))
    assert Vobiz("token").verify(bare)
    assert not Vobiz("").verify(bare)
    assert not Vobiz("token", socket_signed=True).verify(bare)
    assert Vobiz("token", socket_signed=True).verify(proven)


def test_24_khz_can_be_ordered() -> None:
    assert "rate=24000" in Vobiz("token", content_type="audio/x-l16;rate=24000").answer(STREAM, "once", {}).body
    with pytest.raises(ValueError, match="48000"):
        Vobiz("token", content_type="audio/x-l16;rate=48000")


def test_a_room_is_plivos_without_the_beep() -> None:
    (room,) = ElementTree.fromstring(Vobiz("t").room("r1", agent=False).body)
    assert (room.text, room.get("beep"), room.get("startConferenceOnEnter")) == ("r1", "false", "false")
