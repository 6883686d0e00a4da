"""The AudioHook codec against recorded messages, their broken twins, pauses and every order of messages."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.events import (
    CallEnded,
    CallerAudio,
    CallStarted,
    ClearOutput,
    FlowControl,
    HangUp,
    KeepAlive,
    PeerError,
    SendAudio,
    Transfer,
)
from gateway.platforms.byte_order import ByteOrder
from gateway.platforms.genesys_stream import MAX_HELD_BYTES, GenesysCodec
from tests.rig.codec_vectors import Vector, command_of, events_of, load, message_of, wires_of

SESSION = load("genesys", "session.json")
OPEN = SESSION[0]["message"]
STARTS = {vector["name"]: vector for vector in load("genesys", "starts.json")}


def open_codec(message: str = OPEN, order: ByteOrder = ByteOrder.LITTLE) -> GenesysCodec:
    codec = GenesysCodec(order)
    assert isinstance(codec.receive(message)[0], CallStarted)
    assert len(codec.owed()) == 1
    return codec


def message(kind: str, seq: int, serverseq: int = 1, **parameters: Any) -> str:
    head = {"version": "2", "type": kind, "id": json.loads(OPEN)["id"], "seq": seq, "serverseq": serverseq}
    return json.dumps({**head, "position": "PT1S", "parameters": parameters})


def test_a_recorded_session_gives_its_events_and_our_answers() -> None:
    codec = GenesysCodec()
    for step in SESSION:
        assert codec.receive(message_of(step)) == events_of(step)
        assert codec.owed() == wires_of(step)
    assert codec.receive_eof() == []


@pytest.mark.parametrize("vector", STARTS.values(), ids=STARTS)
def test_an_open_is_answered_with_the_best_of_its_offers(vector: Vector) -> None:
    codec = GenesysCodec()
    assert codec.receive(message_of(vector)) == events_of(vector)
    assert codec.owed() == wires_of(vector)
    assert codec.owed() == []


@pytest.mark.parametrize("vector", load("genesys", "broken.json"), ids=lambda v: v["name"])
def test_a_broken_message_is_one_peer_error_and_the_session_goes_on_or_is_over(vector: Vector) -> None:
    codec = GenesysCodec() if vector["phase"] == "waiting" else open_codec()
    (event,) = codec.receive(message_of(vector))
    assert isinstance(event, PeerError)
    assert (event.code, event.fatal) == (vector["code"], vector["fatal"])
    kinds = [json.loads(wire)["type"] for wire in codec.owed()]
    if vector["fatal"]:
        # Genesys is told, once a session has begun; a session without an id cannot be told anything.
        assert kinds == (["disconnect"] if vector["phase"] == "open" else kinds)
        assert codec.receive(message("ping", 2)) == []
        assert codec.encode(SendAudio(b"\xff")) == []
    else:
        assert kinds == []
        if vector["phase"] == "waiting":
            assert isinstance(codec.receive(OPEN)[0], CallStarted)
        assert codec.receive(b"\x01\x02") == [CallerAudio(b"\x01\x02")]
    assert codec.receive_eof() == [CallEnded("closed")]


def test_a_fault_in_open_is_told_with_the_sessions_id() -> None:
    codec = GenesysCodec()
    codec.receive(OPEN.replace("PCMU", "OPUS"))
    (told,) = codec.owed()
    assert json.loads(told)["parameters"] == {"reason": "error"}
    assert json.loads(told)["seq"] == 1


@pytest.mark.parametrize("vector", load("genesys", "commands.json"), ids=lambda v: v["command"])
def test_a_command_is_written_byte_for_byte_while_the_session_is_open(vector: Vector) -> None:
    assert GenesysCodec().encode(command_of(vector)) == []
    codec = open_codec()
    assert codec.encode(command_of(vector)) == wires_of(vector)
    codec.receive(message("close", 2))
    assert codec.encode(command_of(vector)) == []


@pytest.mark.parametrize("name", ["a connection test", "no media"])
def test_a_connection_test_is_answered_to_its_end_and_no_call_begins(name: str) -> None:
    codec = GenesysCodec()
    events, answers = [], []
    for wire in (STARTS[name]["message"], message("ping", 2), message("close", 3)):
        events += codec.receive(wire)
        answers += codec.owed()
        assert codec.encode(SendAudio(b"\xff")) == []
    assert events == [KeepAlive(), CallEnded("stop")]
    assert [json.loads(wire)["type"] for wire in answers] == ["opened", "pong", "closed"]


@pytest.mark.parametrize("goodbye", [HangUp("done"), Transfer("+15550100009")])
def test_after_a_disconnect_nothing_is_said_but_what_genesys_is_owed(goodbye: HangUp | Transfer) -> None:
    codec = open_codec()
    assert len(codec.encode(goodbye)) == 1
    for command in (SendAudio(b"\xff"), ClearOutput(), HangUp("again"), Transfer("again")):
        assert codec.encode(command) == []
    assert codec.receive(b"\xff") == [CallerAudio(b"\xff")]
    assert codec.receive(message("close", 2, 2)) == [CallEnded("stop")]
    assert [json.loads(wire)["type"] for wire in codec.owed()] == ["closed"]


def test_a_number_is_given_when_a_message_leaves() -> None:
    codec = open_codec()
    codec.receive(message("ping", 2))
    (cleared,) = codec.encode(ClearOutput())
    (pong,) = codec.owed()
    assert (json.loads(cleared)["seq"], json.loads(pong)["seq"]) == (2, 3)


@pytest.mark.parametrize(("pause", "resume"), [("paused", "resumed"), ("pause", "resume")])
def test_audio_waits_while_the_stream_is_paused(pause: str, resume: str) -> None:
    codec = open_codec()
    assert codec.encode(SendAudio(b"\x01")) == [b"\x01"]
    assert codec.receive(message(pause, 2)) == [FlowControl(stopped=True)]
    assert codec.encode(SendAudio(b"\x02")) == codec.encode(SendAudio(b"\x03")) == []
    assert codec.receive(message(resume, 3, start="PT1S", discarded="PT1S")) == [FlowControl(stopped=False)]
    assert codec.owed() == [b"\x02", b"\x03"]
    assert codec.encode(SendAudio(b"\x04")) == [b"\x04"]


def test_a_clear_drops_what_waits_in_a_pause() -> None:
    codec = open_codec()
    codec.receive(message("paused", 2))
    codec.encode(SendAudio(b"\x02"))
    assert len(codec.encode(ClearOutput())) == 1
    codec.receive(message("resumed", 3))
    assert codec.owed() == []


def test_what_waits_in_a_pause_is_bounded_and_the_oldest_gives_way() -> None:
    codec = open_codec()
    codec.receive(message("paused", 2))
    for number in range(100):
        codec.encode(SendAudio(bytes([number]) * 1600))
    codec.receive(message("resumed", 3))
    held = codec.owed()
    assert sum(len(block) for block in held) == MAX_HELD_BYTES
    assert held[-1] == bytes([99]) * 1600


@given(st.binary(min_size=1, max_size=400))
def test_of_both_channels_the_callers_is_heard(audio: bytes) -> None:
    codec = open_codec(STARTS["both channels only"]["message"])
    both = bytes(byte for pair in zip(audio, bytes(len(audio)), strict=True) for byte in pair)
    assert codec.receive(both) == [CallerAudio(audio)]


@given(st.binary(min_size=2, max_size=400).filter(lambda audio: len(audio) % 2 == 0))
def test_16_bit_audio_is_taken_in_either_byte_order(audio: bytes) -> None:
    for order in ByteOrder:
        one = open_codec(STARTS["16-bit only"]["message"], order)
        (event,) = one.receive(audio)
        assert isinstance(event, CallerAudio)
        assert one.encode(SendAudio(event.payload)) == [audio]
        assert (event.payload == audio) or order is ByteOrder.BIG
        both = open_codec(STARTS["16-bit, both channels"]["message"], order)
        pairs = b"".join(audio[at : at + 2] + b"\0\0" for at in range(0, len(audio), 2))
        assert both.receive(pairs) == [event]


@pytest.mark.parametrize(
    ("start", "size"), [("16-bit only", 3), ("both channels only", 1), ("16-bit, both channels", 6)]
)
def test_audio_that_is_no_whole_number_of_samples_is_refused(start: str, size: int) -> None:
    (event,) = open_codec(STARTS[start]["message"]).receive(bytes(size))
    assert isinstance(event, PeerError)
    assert event.code == "odd_payload"


@given(st.permutations([message_of(step) for step in SESSION] * 2))
def test_in_any_order_a_call_starts_and_ends_at_most_once(messages: list[str | bytes]) -> None:
    codec = GenesysCodec()
    events = [event for wire in messages for event in codec.receive(wire)] + codec.receive_eof()
    assert sum(isinstance(event, CallStarted) for event in events) <= 1
    assert [type(event) for event in events].count(CallEnded) == 1
    numbers = [json.loads(wire)["seq"] for wire in codec.owed() if isinstance(wire, str)]
    assert numbers == list(range(1, len(numbers) + 1))


def test_an_error_never_repeats_what_a_caller_might_have_said() -> None:
    (event,) = open_codec().receive(message("my number is +15550100001", 2))
    assert "555" not in repr(event)
