"""The Exotel codec and platform against documented messages, their broken twins and random audio."""

import base64
import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import Refused
from gateway.events import CallEnded, CallerAudio, CallStarted, ClearOutput, PeerError, SendAudio
from gateway.platforms.base import MAX_MESSAGE_BYTES, WebhookRequest
from gateway.platforms.exotel import Exotel, ExotelCodec
from media.formats import AudioFormat, Encoding
from tests.rig.codec_rules import check_broken, check_command
from tests.rig.codec_vectors import Vector, events_of, load, message_of

SESSION = load("exotel", "session.json")
START, MEDIA, STOP = SESSION[1]["message"], SESSION[2]["message"], SESSION[5]["message"]
SLIN = AudioFormat(Encoding.L16, 8000)
STREAM = "wss://bot.example.test/exotel/stream"
VOICE = "https://bot.example.test/exotel/voice"


def open_codec(start: str = START) -> ExotelCodec:
    codec = ExotelCodec(SLIN)
    assert isinstance(codec.receive(start)[0], CallStarted)
    return codec


def test_a_recorded_session_gives_its_events() -> None:
    codec = ExotelCodec(SLIN)
    for step in SESSION:
        assert codec.receive(message_of(step)) == events_of(step)
    assert codec.receive(STOP) == codec.receive_eof() == []


@pytest.mark.parametrize("vector", load("exotel", "starts.json"), ids=lambda v: v["name"])
def test_a_start_is_read_however_it_is_spelt(vector: Vector) -> None:
    codec = ExotelCodec(SLIN)
    codec.receive('{"event":"connected"}')
    assert codec.receive(message_of(vector)) == events_of(vector)


@pytest.mark.parametrize("vector", load("exotel", "broken.json"), ids=lambda v: v["name"])
def test_a_broken_message_is_one_peer_error_and_the_stream_goes_on_or_is_over(vector: Vector) -> None:
    codec = ExotelCodec(SLIN) if vector["phase"] == "waiting" else open_codec()
    check_broken(codec, vector, START, MEDIA, CallerAudio(bytes(4)))


@pytest.mark.parametrize("vector", load("exotel", "commands.json"), ids=lambda v: f"{v['command']} {v.get('value')}")
def test_a_command_is_written_byte_for_byte_while_the_stream_is_open(vector: Vector) -> None:
    check_command(ExotelCodec(SLIN), open_codec(), vector)


def test_binary_messages_and_messages_past_the_limit_are_refused() -> None:
    codec = open_codec()
    events = [codec.receive(b"\0\0"), codec.receive("x" * (MAX_MESSAGE_BYTES + 1)), codec.receive(b"")]
    assert [[e.code for e in said if isinstance(e, PeerError)] for said in events] == [
        ["binary_message"],
        ["message_too_large"],
        [],
    ]


def test_a_bots_clear_that_is_echoed_means_nothing() -> None:
    assert open_codec().receive('{"event":"clear"}') == []


@pytest.mark.parametrize(
    ("encoding", "rate_hz", "frame_ms"),
    [(Encoding.L16, 8000, 200), (Encoding.L16, 16000, 100), (Encoding.L16, 24000, 80), (Encoding.ULAW, 8000, 400)],
)
def test_messages_of_audio_are_large_enough_and_of_whole_steps(encoding: Encoding, rate_hz: int, frame_ms: int) -> None:
    wire = AudioFormat(encoding, rate_hz)
    assert open_codec().capabilities.frame_ms_of(wire) == frame_ms
    assert wire.frame_bytes(frame_ms) >= 3200
    assert wire.frame_bytes(frame_ms) % 320 == 0


@given(st.binary(max_size=8000))
def test_any_audio_survives_the_way_out(payload: bytes) -> None:
    wire = [json.loads(message) for message in open_codec().encode(SendAudio(payload))]
    assert b"".join(base64.b64decode(body["media"]["payload"]) for body in wire) == payload
    assert all(body["stream_sid"] == "MZ0000000000000000000001" and "streamSid" not in body for body in wire)  # F-18


@given(st.permutations([step["message"] for step in SESSION] * 2))
def test_in_any_order_a_call_starts_and_ends_at_most_once(messages: list[str]) -> None:
    codec = ExotelCodec(SLIN)
    events = [event for message in messages for event in codec.receive(message)] + codec.receive_eof()
    assert sum(isinstance(event, CallStarted) for event in events) <= 1
    assert [type(event) for event in events].count(CallEnded) == 1


def question(query: str, **headers: str) -> WebhookRequest:
    return WebhookRequest("GET", f"{VOICE}?{query}", headers)


def test_the_webhook_tells_the_call_and_both_numbers() -> None:
    call = Exotel().incoming(question("CallSid=CA1&CallFrom=%2B15550100001&CallTo=%2B15550100002&Direction=incoming"))
    assert (call.call_id, call.caller, call.called, call.direction) == (
        "CA1",
        "+15550100001",
        "+15550100002",
        "inbound",
    )
    form = (("CallSid", "CA1"), ("From", "1"), ("To", "2"), ("Direction", "outbound-api"))
    call = Exotel().incoming(WebhookRequest("POST", VOICE, {}, form))
    assert (call.caller, call.called, call.direction) == ("1", "2", "outbound")


@pytest.mark.parametrize("query", ["", "CallSid=", "CallFrom=1"])
def test_a_webhook_without_call_id_is_refused(query: str) -> None:
    with pytest.raises(Refused) as refused:
        Exotel().incoming(question(query))
    assert (refused.value.code, refused.value.http_status) == ("missing_call_id", 400)


def answered(platform: Exotel, **parameters: str) -> Any:
    document = platform.answer(STREAM, "secret", parameters)
    assert document.content_type == "application/json"
    assert "secret" not in repr(document)
    return urlsplit(json.loads(document.body)["url"])


def test_the_answer_is_the_stream_with_rate_token_and_credentials() -> None:
    url = answered(Exotel("bot", "p@ss:word", rate_hz=16000), token="forged", bot="x")
    assert (url.scheme, url.hostname, url.path) == ("wss", "bot.example.test", "/exotel/stream")
    assert (url.username, url.password) == ("bot", "p%40ss%3Aword")
    assert parse_qs(url.query) == {"sample-rate": ["16000"], "token": ["secret"], "bot": ["x"]}
    assert answered(Exotel()).netloc == "bot.example.test"


@pytest.mark.parametrize("parameters", [{"a": "x" * 250}, {"a": "1", "b": "2", "c": "3"}])
def test_parameters_exotel_would_not_carry_are_refused(parameters: dict[str, str]) -> None:
    with pytest.raises(Refused) as refused:
        Exotel().answer(STREAM, "secret", parameters)
    assert (refused.value.code, refused.value.http_status) == ("bad_parameter", 400)


def test_a_full_house_gives_no_url() -> None:
    assert json.loads(Exotel().reject("busy").body) == {"error": "busy"}


@pytest.mark.parametrize(
    ("fields", "over"),
    [
        ({"CallSid": "CA1", "EventType": "terminal", "Status": "completed"}, "CA1"),
        ({"CallSid": "CA1", "Status": "no-answer"}, "CA1"),
        ({"CallSid": "CA1", "EventType": "answered", "Status": "in-progress"}, ""),
        ({}, ""),
    ],
)
def test_a_status_says_when_the_call_is_over(fields: dict[str, str], over: str) -> None:
    assert Exotel().ended(WebhookRequest("POST", VOICE, {}, tuple(fields.items()))) == over


def test_requests_are_checked_with_the_credentials() -> None:
    upgrade = WebhookRequest("GET", STREAM, {"authorization": "Basic " + base64.b64encode(b"bot:pw").decode()})
    assert Exotel("bot", "pw").verify(upgrade)
    assert not Exotel("bot", "other").verify(upgrade)
    assert not Exotel().verify(upgrade)


def test_the_doubtful_choices_are_settings() -> None:
    codec = Exotel(min_chunk_bytes=320, marks_returned_on_clear=True).codec()
    assert codec.capabilities.frame_ms_of(SLIN) == 20
    assert codec.capabilities.marks_returned_on_clear
    with pytest.raises(ValueError, match="11025"):
        Exotel(rate_hz=11025)


def test_the_configured_rate_is_only_the_default() -> None:
    codec = Exotel(rate_hz=16000).codec()
    start = json.loads(START)
    del start["start"]["media_format"]
    (event,) = codec.receive(json.dumps(start))
    assert isinstance(event, CallStarted)
    assert event.format_out.rate_hz == 16000
    (event,) = Exotel(rate_hz=16000).codec().receive(START)
    assert isinstance(event, CallStarted)
    assert event.format_out.rate_hz == 8000
    assert Exotel().codec().encode(ClearOutput()) == []
