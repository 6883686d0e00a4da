"""The Vonage codec against documented messages, their broken twins and random audio."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.events import CallEnded, CallerAudio, CallStarted, ClearOutput, Digit, PeerError, SendAudio
from gateway.platforms.vonage_stream import VonageCodec
from tests.rig.codec_vectors import Vector, command_of, event_of, events_of, load, message_of, wires_of

SESSION = load("vonage", "session.json")
START = SESSION[0]["message"]
SECRET = "vonage-synthetic-signature-secret-0001"
NOW_S = 1767225600
STREAM = "wss://bot.example.test/vonage/stream"


def open_codec(start: str = START) -> VonageCodec:
    codec = VonageCodec()
    assert isinstance(codec.receive(start)[0], CallStarted)
    return codec


def test_a_recorded_session_gives_its_events() -> None:
    codec = VonageCodec()
    for step in SESSION:
        assert codec.receive(message_of(step)) == events_of(step)
    assert codec.receive_eof() == [CallEnded("closed")]
    assert codec.receive_eof() == []


@pytest.mark.parametrize("vector", load("vonage", "starts.json"), ids=lambda v: v["name"])
def test_a_greeting_is_read_however_it_is_spelt(vector: Vector) -> None:
    assert VonageCodec().receive(message_of(vector)) == [event_of(vector["events"][0])]


@pytest.mark.parametrize("vector", load("vonage", "broken.json"), ids=lambda v: v["name"])
def test_a_broken_message_is_one_peer_error_and_the_stream_goes_on_or_is_over(vector: Vector) -> None:
    codec = VonageCodec() if vector["phase"] == "waiting" else open_codec()
    (event,) = codec.receive(message_of(vector))
    assert isinstance(event, PeerError)
    assert (event.code, event.fatal) == (vector["code"], vector["fatal"])
    if vector["fatal"]:
        assert codec.receive(START) == []
        assert codec.encode(ClearOutput()) == []
    else:
        if vector["phase"] == "waiting":
            assert isinstance(codec.receive(START)[0], CallStarted)
        assert codec.receive(b"\x01\x02") == [CallerAudio(b"\x01\x02")]
    assert codec.receive_eof() == [CallEnded("closed")]


def test_a_digit_nested_as_some_servers_send_it_is_read() -> None:
    assert open_codec().receive('{"event":"websocket:dtmf","dtmf":{"digit":5}}') == [Digit("5")]


@pytest.mark.parametrize("vector", load("vonage", "commands.json"), ids=lambda v: v["command"])
def test_a_command_is_written_byte_for_byte_while_the_stream_is_open(vector: Vector) -> None:
    assert VonageCodec().encode(command_of(vector)) == []
    codec = open_codec()
    assert codec.encode(command_of(vector)) == wires_of(vector)
    codec.receive_eof()
    assert codec.encode(command_of(vector)) == []


@given(st.binary(max_size=4000), st.sampled_from([8000, 16000, 24000]))
def test_every_frame_out_is_exactly_20_ms_and_no_audio_is_lost(payload: bytes, rate_hz: int) -> None:
    wire = open_codec(START.replace("16000", str(rate_hz))).encode(SendAudio(payload))
    assert {len(frame) for frame in wire} <= {rate_hz // 50 * 2}
    played = b"".join(frame for frame in wire if isinstance(frame, bytes))
    assert played[: len(payload)] == payload
    assert not any(played[len(payload) :])
