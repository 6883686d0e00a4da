"""The Twilio codec and platform against recorded messages, their broken twins and random splits of order."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import Refused
from gateway.events import (
    CallEnded,
    CallerAudio,
    CallStarted,
    ClearOutput,
    Command,
    Digit,
    Event,
    HangUp,
    KeepAlive,
    MarkReached,
    PeerError,
    SendAudio,
    SendDigits,
    SendMark,
    Transfer,
)
from gateway.platforms.base import MAX_MESSAGE_BYTES, WebhookRequest
from gateway.platforms.signature import twilio_signature
from gateway.platforms.twilio import Twilio, TwilioCodec
from media.formats import AudioFormat, Encoding

VECTORS = Path(__file__).parents[2] / "vectors" / "twilio"


def vectors(name: str) -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = json.loads((VECTORS / name).read_text("utf-8"))
    return loaded


SESSION = vectors("session.json")
START = SESSION[1]["message"]
MEDIA = SESSION[2]["message"]
STOP = SESSION[5]["message"]


def open_codec(start: str = START) -> TwilioCodec:
    codec = TwilioCodec()
    assert isinstance(codec.receive(start)[0], CallStarted)
    return codec


def expected(event: dict[str, Any]) -> Event:
    match event["event"]:
        case "CallStarted":
            wire = AudioFormat(Encoding(event["encoding"]), event["rate_hz"])
            return CallStarted(event["call_id"], event["stream_id"], wire, wire, event["custom"])
        case "CallerAudio":
            return CallerAudio(bytes.fromhex(event["payload_hex"]))
        case "Digit":
            return Digit(event["digit"])
        case "MarkReached":
            return MarkReached(event["name"])
        case _:
            return CallEnded(event["reason"])


def test_a_recorded_session_gives_its_events() -> None:
    codec = TwilioCodec()
    for step in SESSION:
        assert codec.receive(step["message"]) == [expected(event) for event in step["events"]]


@pytest.mark.parametrize("vector", vectors("starts.json"), ids=lambda v: v["name"])
def test_a_start_is_read_however_it_is_spelt(vector: dict[str, Any]) -> None:
    assert TwilioCodec().receive(vector["message"]) == [expected(event) for event in vector["events"]]


@pytest.mark.parametrize("vector", vectors("broken.json"), ids=lambda v: v["name"])
def test_a_broken_message_is_one_peer_error_with_its_code(vector: dict[str, Any]) -> None:
    codec = TwilioCodec() if vector["phase"] == "waiting" else open_codec()
    (event,) = codec.receive(vector["message"])
    assert isinstance(event, PeerError)
    assert (event.code, event.fatal) == (vector["code"], vector["fatal"])


@pytest.mark.parametrize("vector", vectors("broken.json"), ids=lambda v: v["name"])
def test_after_a_broken_message_the_stream_goes_on_or_is_over(vector: dict[str, Any]) -> None:
    codec = TwilioCodec() if vector["phase"] == "waiting" else open_codec()
    codec.receive(vector["message"])
    if vector["fatal"]:
        assert codec.receive(START) == []
        assert codec.encode(ClearOutput()) == []
    else:
        if vector["phase"] == "waiting":
            assert isinstance(codec.receive(START)[0], CallStarted)
        assert codec.receive(MEDIA) == [CallerAudio(b"\xff" * 4)]
    assert codec.receive_eof() == [CallEnded("closed")]


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (b"\x00\x01", "binary_message"),
        (MEDIA.encode(), "binary_message"),
        ("x" * 1_000_000, "message_too_large"),
        (b"x" * 1_000_000, "message_too_large"),
        ("x" * (MAX_MESSAGE_BYTES + 1), "message_too_large"),
        ("x" * MAX_MESSAGE_BYTES, "bad_json"),
    ],
    ids=lambda v: f"{v[:8]!r}",
)
def test_messages_no_file_can_hold_are_refused_too(message: str | bytes, code: str) -> None:
    (event,) = open_codec().receive(message)
    assert isinstance(event, PeerError)
    assert event.code == code


def test_an_error_is_told_once_a_kind_and_counted_always() -> None:
    codec = open_codec()
    assert [len(codec.receive("{")) for _ in range(3)] == [1, 0, 0]
    assert len(codec.receive(b"")) == 1
    assert codec.breaches == {"bad_json": 3, "binary_message": 1}


def test_an_error_never_repeats_what_a_caller_might_have_said() -> None:
    codec = open_codec()
    (event,) = codec.receive(json.dumps({"event": "my number is +15550100001"}))
    assert "555" not in repr(event)
    (event,) = open_codec().receive('{"digits": "555-0100')
    assert "555" not in repr(event)


def test_odd_l16_audio_is_refused_and_even_taken() -> None:
    codec = open_codec(START.replace("audio/x-mulaw", "audio/l16"))
    assert codec.receive(MEDIA) == [CallerAudio(b"\xff" * 4)]
    (event,) = codec.receive(MEDIA.replace("/////w==", base64.b64encode(b"abc").decode()))
    assert isinstance(event, PeerError)
    assert event.code == "odd_payload"


def test_the_largest_payload_is_taken() -> None:
    payload = base64.b64encode(b"\xff" * 16_000).decode()
    (event,) = open_codec().receive(MEDIA.replace("/////w==", payload))
    assert event == CallerAudio(b"\xff" * 16_000)


def test_the_bots_own_track_is_no_caller_audio() -> None:
    assert open_codec().receive(MEDIA.replace('"track":"inbound"', '"track":"outbound"')) == []


def test_late_duplicate_and_disordered_media_are_taken_as_they_come() -> None:
    codec = open_codec()
    for chunk in ("7", "7", "3", "zero"):
        assert codec.receive(MEDIA.replace('"chunk":"1"', f'"chunk":"{chunk}"')) == [CallerAudio(b"\xff" * 4)]


def test_a_second_greeting_means_nothing() -> None:
    codec = open_codec()
    assert codec.receive(SESSION[0]["message"]) == []


def test_the_end_is_said_once_whichever_comes_first() -> None:
    codec = open_codec()
    assert codec.receive(STOP) == [CallEnded("stop")]
    assert codec.receive(STOP) == []
    assert codec.receive(MEDIA) == []
    assert codec.receive_eof() == []


def test_a_close_without_stop_is_an_end() -> None:
    codec = open_codec()
    assert codec.receive_eof() == [CallEnded("closed")]
    assert codec.receive_eof() == []
    assert codec.receive(STOP) == []


def command(vector: dict[str, Any]) -> Command:
    value = vector["value"]
    match vector["command"]:
        case "SendAudio":
            return SendAudio(bytes.fromhex(value))
        case "SendMark":
            return SendMark(value)
        case "ClearOutput":
            return ClearOutput()
        case "HangUp":
            return HangUp(value)
        case "Transfer":
            return Transfer(value)
        case "SendDigits":
            return SendDigits(value)
        case _:
            return KeepAlive(value)


@pytest.mark.parametrize("vector", vectors("commands.json"), ids=lambda v: f"{v['command']} {v['value']}")
def test_a_command_is_written_byte_for_byte(vector: dict[str, Any]) -> None:
    assert open_codec().encode(command(vector)) == ([vector["wire"]] if vector["wire"] else [])


@pytest.mark.parametrize("vector", vectors("commands.json"), ids=lambda v: f"{v['command']} {v['value']}")
def test_nothing_is_written_before_the_start_and_after_the_end(vector: dict[str, Any]) -> None:
    assert TwilioCodec().encode(command(vector)) == []
    codec = open_codec()
    codec.receive(STOP)
    assert codec.encode(command(vector)) == []


def test_a_hostile_stream_id_cannot_break_out_of_our_json() -> None:
    hostile = 'MZ","event":"stop'
    start = json.loads(START)
    start["streamSid"] = start["start"]["streamSid"] = hostile
    (wire,) = open_codec(json.dumps(start)).encode(SendAudio(b"\xff"))
    assert json.loads(wire) == {"event": "media", "streamSid": hostile, "media": {"payload": "/w=="}}


@given(st.binary(max_size=3000))
def test_any_audio_survives_the_way_out(payload: bytes) -> None:
    wire = open_codec().encode(SendAudio(payload))
    assert b"".join(base64.b64decode(json.loads(message)["media"]["payload"]) for message in wire) == payload


@given(st.permutations([step["message"] for step in SESSION] * 2))
def test_in_any_order_a_call_starts_and_ends_at_most_once(messages: list[str]) -> None:
    codec = TwilioCodec()
    events = [event for message in messages for event in codec.receive(message)] + codec.receive_eof()
    assert sum(isinstance(event, CallStarted) for event in events) <= 1
    assert [type(event) for event in events].count(CallEnded) == 1
    codes = [event.code for event in events if isinstance(event, PeerError)]
    assert len(codes) == len(set(codes))


FORM = (
    ("AccountSid", "AC1"),
    ("CallSid", "CA1"),
    ("From", "+15550100001"),
    ("To", "+15550100002"),
    ("Direction", "inbound"),
)


def test_the_webhook_tells_the_call_and_both_numbers() -> None:
    call = Twilio("token").incoming(WebhookRequest("POST", "https://bot.example.test/twilio/voice", {}, FORM))
    assert (call.call_id, call.account_id, call.direction) == ("CA1", "AC1", "inbound")
    assert (call.caller, call.called) == ("+15550100001", "+15550100002")
    assert "555" not in repr(call)


def test_a_webhook_by_get_is_read_from_its_query() -> None:
    url = "https://bot.example.test/twilio/voice?CallSid=CA1&From=%2B15550100001&Direction=outbound-api"
    call = Twilio("token").incoming(WebhookRequest("GET", url, {}, (("CallSid", "forged"),)))
    assert (call.call_id, call.caller, call.direction) == ("CA1", "+15550100001", "outbound")


@pytest.mark.parametrize("form", [(), (("CallSid", ""),), (("From", "+15550100001"),)])
def test_a_webhook_without_call_id_is_refused(form: tuple[tuple[str, str], ...]) -> None:
    with pytest.raises(Refused) as refused:
        Twilio("token").incoming(WebhookRequest("POST", "https://bot.example.test/twilio/voice", {}, form))
    assert (refused.value.code, refused.value.http_status) == ("missing_call_id", 400)


def test_requests_are_checked_with_the_accounts_token() -> None:
    url = "wss://bot.example.test/twilio/stream"
    upgrade = WebhookRequest("GET", url, {"x-twilio-signature": twilio_signature("token", url)})
    assert Twilio("token").verify(upgrade)
    assert not Twilio("other").verify(upgrade)
    assert not Twilio("").verify(upgrade)


def test_the_answer_carries_the_token_even_past_a_parameter_of_that_name() -> None:
    document = Twilio("t").answer("wss://bot.example.test/twilio/stream", "secret", {"token": "forged", "bot": "x"})
    assert document.content_type == "text/xml"
    assert document.body.count('name="token"') == 1
    assert '<Parameter name="token" value="secret" />' in document.body
    assert "secret" not in repr(document)


def test_the_platform_makes_a_fresh_codec_for_each_stream() -> None:
    platform = Twilio("token")
    first, second = platform.codec(), platform.codec()
    first.receive(START)
    assert isinstance(second.receive(START)[0], CallStarted)
    assert first.capabilities is platform.capabilities
    assert platform.name == "twilio"


def test_a_full_house_is_a_busy_tone() -> None:
    assert "<Reject" in Twilio("token").reject("busy").body
