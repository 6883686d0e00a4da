"""The SignalWire codec against documented messages and their broken twins, and the platform around it."""

import base64
import json
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import Refused
from gateway.events import CallerAudio, CallStarted, SendAudio, SendDigits
from gateway.platforms.base import WebhookRequest
from gateway.platforms.byte_order import ByteOrder
from gateway.platforms.signalwire import SignalWire, SignalWireCodec
from gateway.platforms.signature import socket_secret
from tests.rig.codec_contract import codec_contract
from tests.rig.codec_vectors import VECTORS, load

TestSignalWireCodec = codec_contract("signalwire", SignalWireCodec)

SESSION = load("signalwire", "session.json")
START, MEDIA = SESSION[1]["message"], SESSION[2]["message"]
STREAM = "wss://bot.example.test/signalwire/stream"
VOICE = "https://bot.example.test/signalwire/voice"
KEY = "signalwire-synthetic-key"


def open_codec(byte_order: ByteOrder = ByteOrder.LITTLE, start: str = START) -> SignalWireCodec:
    codec = SignalWireCodec(byte_order)
    assert isinstance(codec.receive(start)[0], CallStarted)
    return codec


def test_big_endian_samples_are_turned_both_ways() -> None:
    codec = open_codec(ByteOrder.BIG)
    assert codec.receive(MEDIA.replace("/////w==", base64.b64encode(b"\x01\x02").decode())) == [
        CallerAudio(b"\x02\x01")
    ]
    (wire,) = codec.encode(SendAudio(b"\x01\x02"))
    assert base64.b64decode(json.loads(wire)["media"]["payload"]) == b"\x02\x01"


def test_the_bots_own_track_is_no_caller_audio() -> None:
    assert open_codec().receive(MEDIA.replace('"track":"inbound"', '"track":"outbound"')) == []


def test_a_hostile_stream_id_cannot_break_out_of_our_json() -> None:
    hostile = 'MZ","event":"stop'
    start = json.loads(START)
    start["start"]["streamSid"] = hostile
    (wire,) = open_codec(start=json.dumps(start)).encode(SendDigits("1"))
    assert json.loads(wire) == {"event": "dtmf", "streamSid": hostile, "dtmf": {"digit": "1"}}


@given(st.binary(max_size=3000), st.sampled_from(ByteOrder))
def test_any_audio_survives_the_way_out(samples: bytes, order: ByteOrder) -> None:
    audio = samples + samples
    wire = open_codec(order).encode(SendAudio(audio))
    sent = b"".join(base64.b64decode(json.loads(message)["media"]["payload"]) for message in wire)
    assert sent[0::2] == (audio[0::2] if order is ByteOrder.LITTLE else audio[1::2])


def test_the_webhook_is_read_as_twilios() -> None:
    form = (("CallSid", "c-1"), ("AccountSid", "p-1"), ("From", "+15550100001"), ("To", "+15550100002"))
    call = SignalWire(KEY).incoming(WebhookRequest("POST", VOICE, {}, form))
    assert (call.call_id, call.account_id, call.caller, call.called) == ("c-1", "p-1", "+15550100001", "+15550100002")
    with pytest.raises(Refused):
        SignalWire(KEY).incoming(WebhookRequest("POST", VOICE, {}, ()))


def test_webhooks_must_be_signed() -> None:
    vector = json.loads((VECTORS / "signalwire" / "signatures.json").read_text("utf-8"))
    headers = {"x-signalwire-signature": vector["form_signature"]}
    request = WebhookRequest("POST", vector["url"], headers, tuple((n, v) for n, v in vector["form"]))
    assert SignalWire(vector["signing_key"]).verify(request)
    assert not SignalWire("other").verify(request)
    assert not SignalWire("").verify(request)


def test_the_socket_shows_the_token_of_the_answer_for_its_own_address() -> None:
    platform = SignalWire(KEY)
    body = platform.answer(STREAM, "one-time-token", {}).body
    stream = ElementTree.fromstring(body.encode()).find("Connect/Stream")
    assert stream is not None
    shown = {"authorization": f"Bearer {stream.get('authBearerToken')}"}
    assert platform.verify(WebhookRequest("GET", STREAM, shown))
    assert not platform.verify(WebhookRequest("GET", STREAM + "/", shown))
    assert not platform.verify(WebhookRequest("GET", STREAM, {}))
    assert not platform.verify(WebhookRequest("GET", STREAM, {"authorization": "Bearer \udcff"}))
    forged = {"authorization": f"Bearer {socket_secret('', STREAM)}"}
    assert not SignalWire("").verify(WebhookRequest("GET", STREAM, forged))


@pytest.mark.parametrize("codec_name", ["PCMU@8000h", "L16@16000h", "L16@24000h"])
@pytest.mark.parametrize("realtime", [True, False])
def test_the_answer_orders_codec_and_buffering_and_carries_the_token(codec_name: str, realtime: bool) -> None:
    platform = SignalWire(KEY, codec_name=codec_name, realtime=realtime)
    document = platform.answer(STREAM, "once", {"token": "forged", "bot": "x"})
    stream = ElementTree.fromstring(document.body.encode()).find("Connect/Stream")
    assert stream is not None
    assert (stream.get("url"), stream.get("codec")) == (STREAM, codec_name)
    assert stream.get("realtime") == ("true" if realtime else "false")
    assert {p.get("name"): p.get("value") for p in stream} == {"token": "once", "bot": "x"}


@pytest.mark.parametrize(("name", "value"), [("codec_name", "OPUS@48000h"), ("l16_byte_order", "middle")])
def test_an_unknown_choice_is_the_operators_mistake(name: str, value: str) -> None:
    with pytest.raises(ValueError, match=value):
        SignalWire(KEY, **{name: value})  # type: ignore[arg-type] # both are texts


def test_codecs_have_the_byte_order_and_share_nothing() -> None:
    platform = SignalWire(KEY, l16_byte_order="big")
    first, second = platform.codec(), platform.codec()
    first.receive(START)
    assert isinstance(second.receive(START)[0], CallStarted)
    assert json.loads(first.encode(SendAudio(b"\x01\x02"))[0])["media"]["payload"] == "AgE="
    assert first.capabilities is platform.capabilities
    assert platform.name == "signalwire"


def test_busy_and_ended_are_twilios() -> None:
    platform = SignalWire(KEY)
    assert '<Reject reason="busy" />' in platform.reject("busy").body
    form = (("CallSid", "c-1"), ("CallStatus", "completed"))
    assert platform.ended(WebhookRequest("POST", VOICE, {}, form)) == "c-1"
