"""The jambonz codec against documented messages, their broken twins and random audio."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.events import CallEnded, CallerAudio, CallStarted, ClearOutput, MarkReached, PeerError, SendAudio
from gateway.platforms.jambonz_stream import JambonzCodec
from tests.rig.codec_vectors import Vector, command_of, events_of, load, message_of, wires_of

SESSION = load("jambonz", "session.json")
START = SESSION[0]["message"]
SECRET = "jambonz-synthetic-secret"
NOW_S = 1767225600
WEBHOOK = "https://bot.example.test/jambonz/voice"
STREAM = "wss://bot.example.test/jambonz/stream"


def open_codec() -> JambonzCodec:
    codec = JambonzCodec()
    assert isinstance(codec.receive(START)[0], CallStarted)
    return codec


def test_a_recorded_session_gives_its_events() -> None:
    codec = JambonzCodec()
    for step in SESSION:
        assert codec.receive(message_of(step)) == events_of(step)
    assert codec.receive_eof() == [CallEnded("closed")]
    assert codec.receive_eof() == []


@pytest.mark.parametrize("vector", load("jambonz", "starts.json"), ids=lambda v: v["name"])
def test_a_description_is_read_however_it_is_spelt(vector: Vector) -> None:
    assert JambonzCodec().receive(message_of(vector)) == events_of(vector)


def test_we_send_at_the_rate_the_document_asked_for() -> None:
    (started,) = JambonzCodec(24000).receive(START)
    assert isinstance(started, CallStarted)
    assert (started.format_in.rate_hz, started.format_out.rate_hz) == (16000, 24000)


@pytest.mark.parametrize("vector", load("jambonz", "broken.json"), ids=lambda v: v["name"])
def test_a_broken_message_is_one_peer_error_and_the_stream_goes_on_or_is_over(vector: Vector) -> None:
    codec = JambonzCodec() if vector["phase"] == "waiting" else open_codec()
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


def test_a_mark_as_one_client_writes_it_is_read() -> None:
    assert open_codec().receive('{"type":"mark","name":"utt-1"}') == [MarkReached("utt-1")]


@pytest.mark.parametrize("vector", load("jambonz", "commands.json"), ids=lambda v: v["command"])
def test_a_command_is_written_byte_for_byte_while_the_stream_is_open(vector: Vector) -> None:
    assert JambonzCodec().encode(command_of(vector)) == []
    codec = open_codec()
    assert codec.encode(command_of(vector)) == wires_of(vector)
    codec.receive_eof()
    assert codec.encode(command_of(vector)) == []


@given(st.binary(max_size=4000))
def test_any_audio_survives_the_way_out(payload: bytes) -> None:
    assert b"".join(wire for wire in open_codec().encode(SendAudio(payload)) if isinstance(wire, bytes)) == payload
