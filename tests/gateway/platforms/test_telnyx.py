"""Telnyx as a platform: its webhooks of both kinds, its TeXML, its stream orders, its sockets."""

import json
from typing import Any
from xml.etree import ElementTree

import pytest

from gateway.errors import Refused
from gateway.events import CallStarted
from gateway.platforms.base import WebhookRequest
from gateway.platforms.telnyx import Telnyx
from media.formats import AudioFormat, Encoding
from tests.rig.codec_vectors import VECTORS, load

VECTOR: dict[str, Any] = json.loads((VECTORS / "telnyx" / "signatures.json").read_text("utf-8"))
START = load("telnyx", "session.json")[1]["message"]
VOICE = "https://bot.example.test/telnyx/voice"
STREAM = "wss://bot.example.test/telnyx/stream/one-time-token"
FORM = (
    ("AccountSid", "acc-1"),
    ("CallSid", "v3:1"),
    ("From", "+15550100001"),
    ("To", "+15550100002"),
    ("Direction", "inbound"),
)


def platform(key: str = VECTOR["public_key"], **values: Any) -> Telnyx:
    return Telnyx(key, now=lambda: float(VECTOR["timestamp"]), **values)


def call_control(event_type: str, **payload: Any) -> WebhookRequest:
    body = {"data": {"event_type": event_type, "record_type": "event", "payload": payload}}
    return WebhookRequest("POST", VOICE, {}, (), json.dumps(body).encode())


def test_texmls_webhook_tells_the_call_and_both_numbers() -> None:
    call = platform().incoming(WebhookRequest("POST", VOICE, {}, FORM))
    assert (call.call_id, call.account_id, call.direction) == ("v3:1", "acc-1", "inbound")
    assert (call.caller, call.called) == ("+15550100001", "+15550100002")
    assert "555" not in repr(call)


def test_texmls_webhook_by_get_is_read_from_its_query() -> None:
    request = WebhookRequest("GET", VOICE + "?CallSid=v3%3A1&Direction=outbound-api", {}, (("CallSid", "forged"),))
    call = platform().incoming(request)
    assert (call.call_id, call.direction) == ("v3:1", "outbound")


@pytest.mark.parametrize(("told", "direction"), [("incoming", "inbound"), ("outgoing", "outbound"), (None, "inbound")])
def test_call_controls_webhook_tells_the_same(told: str | None, direction: str) -> None:
    payload = {"call_control_id": "v3:1", "connection_id": "c-1", "from": "+15550100001", "to": "+15550100002"}
    call = platform().incoming(call_control("call.initiated", direction=told, **payload))
    assert (call.call_id, call.account_id, call.direction) == ("v3:1", "c-1", direction)
    assert (call.caller, call.called) == ("+15550100001", "+15550100002")


@pytest.mark.parametrize(
    "request_",
    [
        WebhookRequest("POST", VOICE, {}, (("From", "+15550100001"),)),
        WebhookRequest("POST", VOICE, {}, (), b"{"),
        WebhookRequest("POST", VOICE, {}, (), b'{"data": []}'),
        WebhookRequest("POST", VOICE, {}, (), b'{"data": {"payload": "x"}}'),
        call_control("call.initiated", call_control_id=5),
    ],
)
def test_a_webhook_without_call_id_is_refused(request_: WebhookRequest) -> None:
    with pytest.raises(Refused) as refused:
        platform().incoming(request_)
    assert (refused.value.code, refused.value.http_status) == ("missing_call_id", 400)


def test_webhooks_must_be_signed() -> None:
    headers = {"telnyx-signature-ed25519": VECTOR["signature"], "telnyx-timestamp": VECTOR["timestamp"]}
    request = WebhookRequest("POST", VOICE, headers, (), VECTOR["body"].encode())
    assert platform().verify(request)
    assert platform().incoming(request).call_id == "v3:synthetic"
    assert not platform("").verify(request)
    assert not platform().verify(WebhookRequest("POST", VOICE, {}, (), VECTOR["body"].encode()))


def test_a_socket_shows_the_stream_secret_where_there_is_one() -> None:
    def upgrade(shown: str | None = None) -> WebhookRequest:
        return WebhookRequest("GET", STREAM, {} if shown is None else {"x-telnyx-streaming-auth-token": shown})

    secretive = platform(stream_secret="quiet")
    assert secretive.verify(upgrade("quiet"))
    assert not secretive.verify(upgrade("loud"))
    assert not secretive.verify(upgrade("\udcff"))
    assert not secretive.verify(upgrade())
    assert platform().verify(upgrade())  # the token in its path is asked for later


@pytest.mark.parametrize(("codec_name", "rate_hz"), [("PCMU", 8000), ("PCMA", 8000), ("L16", 24000)])
def test_the_answer_orders_the_codec_both_ways(codec_name: str, rate_hz: int) -> None:
    document = platform(codec_name=codec_name, rate_hz=rate_hz).answer(STREAM, "one-time-token", {"bot": "a&b"})
    stream = ElementTree.fromstring(document.body.encode()).find("Connect/Stream")
    assert stream is not None
    assert stream.attrib == {
        "url": STREAM,
        "track": "inbound_track",
        "codec": codec_name,
        "bidirectionalMode": "rtp",
        "bidirectionalCodec": codec_name,
        "bidirectionalSamplingRate": str(rate_hz),
    }
    assert {p.get("name"): p.get("value") for p in stream} == {"bot": "a&b"}
    assert document.content_type == "text/xml"
    assert "one-time-token" not in repr(document)


def test_a_stream_order_says_the_same_to_call_control() -> None:
    order = platform(codec_name="L16", rate_hz=16000, stream_secret="quiet").stream_order(STREAM, {"bot": "x"})
    assert order == {
        "stream_url": STREAM,
        "stream_track": "inbound_track",
        "stream_codec": "L16",
        "stream_bidirectional_mode": "rtp",
        "stream_bidirectional_codec": "L16",
        "stream_bidirectional_sampling_rate": 16000,
        "stream_bidirectional_target_legs": "self",
        "custom_parameters": [{"name": "bot", "value": "x"}],
        "stream_auth_token": "quiet",
    }
    assert "stream_auth_token" not in platform().stream_order(STREAM, {})


@pytest.mark.parametrize(("codec_name", "rate_hz"), [("G722", 8000), ("OPUS", 48000), ("PCMU", 16000), ("L16", 22050)])
def test_what_no_stream_can_be_ordered_with_is_the_operators_mistake(codec_name: str, rate_hz: int) -> None:
    with pytest.raises(ValueError, match="known are PCMU"):
        platform(codec_name=codec_name, rate_hz=rate_hz)


def test_an_unknown_byte_order_is_the_operators_mistake() -> None:
    with pytest.raises(ValueError, match="middle"):
        platform(l16_byte_order="middle")


def test_codecs_write_what_was_ordered_and_share_nothing() -> None:
    made = platform(codec_name="L16", rate_hz=16000, l16_byte_order="big")
    first, second = made.codec(), made.codec()
    first.receive(START)
    (started,) = second.receive(START)
    assert isinstance(started, CallStarted)
    assert started.format_out == AudioFormat(Encoding.L16, 16000)
    assert first.capabilities is made.capabilities
    assert made.name == "telnyx"


def test_a_full_house_is_a_busy_tone() -> None:
    assert '<Reject reason="busy" />' in platform().reject("busy").body


def test_the_end_of_a_call_is_read_from_both_kinds_of_callback() -> None:
    made = platform()
    assert made.ended(call_control("call.hangup", call_control_id="v3:1", hangup_cause="normal_clearing")) == "v3:1"
    assert made.ended(call_control("call.answered", call_control_id="v3:1")) == ""
    assert made.ended(call_control("call.hangup")) == ""
    assert made.ended(WebhookRequest("POST", VOICE, {}, (*FORM, ("CallStatus", "completed")))) == "v3:1"
    assert made.ended(WebhookRequest("POST", VOICE, {}, (*FORM, ("CallStatus", "in-progress")))) == ""
    assert made.ended(WebhookRequest("POST", VOICE, {}, (), b"nonsense")) == ""
