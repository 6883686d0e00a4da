"""The chan_websocket codec against recorded messages in both spellings, and their broken twins."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.events import (
    CallEnded,
    CallerAudio,
    CallStarted,
    ClearOutput,
    MarkReached,
    OutputCleared,
    PeerError,
    SendAudio,
    SendMark,
)
from gateway.platforms.base import MAX_MESSAGE_BYTES
from gateway.platforms.chan_websocket_stream import MAX_COMMAND_BYTES, ChanWebsocketCodec
from tests.rig.codec_rules import check_broken, check_command
from tests.rig.codec_vectors import Vector, events_of, load, message_of

SESSION, PLAIN = load("chan_websocket", "session.json"), load("chan_websocket", "session_plain.json")
START, PLAIN_START = SESSION[0]["message"], PLAIN[0]["message"]
STREAM = "wss://bot.example.test/chan_websocket/stream"


def open_codec(start: str = START) -> ChanWebsocketCodec:
    codec = ChanWebsocketCodec()
    assert isinstance(codec.receive(start)[0], CallStarted)
    return codec


@pytest.mark.parametrize("session", [SESSION, PLAIN], ids=["json", "plain"])
def test_a_recorded_session_gives_its_events(session: list[Vector]) -> None:
    codec = ChanWebsocketCodec()
    for step in session:
        assert codec.receive(message_of(step)) == events_of(step)
    assert codec.receive_eof() == [CallEnded("closed")]
    assert codec.receive_eof() == []


@pytest.mark.parametrize("vector", load("chan_websocket", "starts.json"), ids=lambda v: v["name"])
def test_a_start_is_read_however_it_is_spelt(vector: Vector) -> None:
    assert ChanWebsocketCodec().receive(message_of(vector)) == events_of(vector)


@pytest.mark.parametrize("vector", load("chan_websocket", "broken.json"), ids=lambda v: v["name"])
def test_a_broken_message_is_one_peer_error_and_the_stream_goes_on_or_is_over(vector: Vector) -> None:
    codec = ChanWebsocketCodec() if vector["phase"] == "waiting" else open_codec()
    check_broken(codec, vector, START, b"\1\2", CallerAudio(b"\1\2"))


@pytest.mark.parametrize(
    "vector", load("chan_websocket", "commands.json"), ids=lambda v: f"{v['command']} {v.get('value')}"[:30]
)
def test_a_command_is_written_byte_for_byte_in_the_streams_spelling(vector: Vector) -> None:
    check_command(ChanWebsocketCodec(), open_codec(), vector)
    check_command(ChanWebsocketCodec(), open_codec(PLAIN_START), {**vector, "wire": vector["plain"]})


def test_messages_past_the_limit_are_refused() -> None:
    (event,) = open_codec().receive(bytes(MAX_MESSAGE_BYTES + 2))
    assert isinstance(event, PeerError)
    assert event.code == "message_too_large"


def test_an_error_of_asterisks_is_told_in_its_words() -> None:
    said = "MARK_MEDIA not supported while media direction is 'in'"
    (event,) = open_codec().receive(json.dumps({"event": "ERROR", "error_text": said + "x" * 900}))
    assert isinstance(event, PeerError)
    assert event.detail.startswith(said)
    assert len(event.detail) == 100


def test_a_drained_queue_answers_a_clear_once() -> None:
    codec = open_codec()
    drained = '{"event":"QUEUE_DRAINED"}'
    assert codec.receive(drained) == []
    codec.encode(ClearOutput())
    assert codec.receive(drained) == [OutputCleared()]
    assert codec.receive(drained) == []


def test_a_full_queue_is_alarmed_once_and_the_call_goes_on() -> None:  # F-22
    codec = open_codec()
    (event,) = codec.receive('{"event":"MEDIA_XOFF"}')
    assert isinstance(event, PeerError)
    assert (event.code, event.fatal) == ("queue_full", False)
    assert codec.receive('{"event":"MEDIA_XOFF"}') == codec.receive('{"event":"MEDIA_XON"}') == []
    assert codec.encode(SendAudio(b"\1\2")) == [b"\1\2"]


@pytest.mark.parametrize(
    ("optimal_bytes", "frame_ms"),
    [(640, 20), (320, 20), (160, 20), (1280, 40), (960, 30), (1920, 60), (0, 20), (-1, 20)],
)
def test_messages_of_audio_are_whole_frames_of_asterisks(optimal_bytes: int, frame_ms: int) -> None:
    codec = open_codec(START.replace("640,", f"{optimal_bytes},"))
    assert codec.capabilities.frame_ms == frame_ms
    assert codec.capabilities.clear_acknowledged


@given(st.text(st.characters(exclude_categories=["Cs", "Zs", "Cc"]), min_size=1, max_size=200))
def test_no_command_is_longer_than_asterisk_reads(name: str) -> None:
    for codec in (open_codec(), open_codec(PLAIN_START)):
        for message in codec.encode(SendMark(name)):
            assert isinstance(message, str)
            assert len(message.encode()) <= MAX_COMMAND_BYTES


@given(st.sampled_from([*range(1, 400)]))
def test_a_mark_of_the_playout_comes_back_by_its_name(number: int) -> None:
    codec = open_codec(PLAIN_START)
    (message,) = codec.encode(SendMark(str(number)))
    assert isinstance(message, str)
    assert codec.receive(message.replace("MARK_MEDIA", "MEDIA_MARK_PROCESSED")) == [MarkReached(str(number))]


@given(st.permutations([message_of(step) for step in (*SESSION, *PLAIN)]))
def test_in_any_order_a_call_starts_and_ends_at_most_once(messages: list[str | bytes]) -> None:
    codec = ChanWebsocketCodec()
    events = [event for message in messages for event in codec.receive(message)] + codec.receive_eof()
    assert sum(isinstance(event, CallStarted) for event in events) == 1
    assert [type(event) for event in events].count(CallEnded) == 1
