"""Random and mutated frames at the AudioSocket codec, in random pieces: taken or refused, nothing else."""

import random

import pytest

from gateway.events import CallEnded, CallStarted, Event, HangUp, PeerError, SendAudio
from gateway.platforms.audiosocket import AudioSocketCodec
from tests.rig.codec_fuzz import FEW, MANY
from tests.rig.codec_vectors import load, message_of

FILES = ("session.json", "starts.json", "broken.json")
FRAMES = [message_of(vector) for name in FILES for vector in load("audiosocket", name)]
START = message_of(load("audiosocket", "session.json")[0])
RATES_HZ = (0, 8_000, 16_000, 44_100)
FRAMES_A_STREAM = 20
CODES = frozenset(
    ("before_start", "second_start", "bad_start", "unknown_event", "unsupported_format", "reported_error")
    + ("empty_payload", "odd_payload", "payload_too_large", "bad_digit", "text_message")
)


def mutated(frame: str | bytes, rng: random.Random) -> str | bytes:
    """One of: itself, cut, altered, another kind, another length, noise, text."""
    assert isinstance(frame, bytes)
    match rng.randrange(9):
        case 0:
            return frame[: rng.randrange(len(frame) + 1)]
        case 1:
            at = rng.randrange(len(frame))
            return frame[:at] + rng.randbytes(1) + frame[at + 1 :]
        case 2:
            return rng.choice((b"\x00", b"\x01", b"\x03", b"\x10", b"\x12", b"\xff", rng.randbytes(1))) + frame[1:]
        case 3:
            payload = frame[3:] + rng.randbytes(rng.randrange(3))
            return frame[:1] + len(payload).to_bytes(2, "big") + payload
        case 4:
            return rng.randbytes(rng.randrange(40))
        case 5 if rng.random() < 0.1:
            return frame.hex()
        case _:
            return frame


def stream(rng: random.Random) -> set[str]:
    codec = AudioSocketCodec(rng.choice(RATES_HZ))
    messages = [mutated(rng.choice(FRAMES), rng) for _ in range(FRAMES_A_STREAM)]
    if rng.random() < 0.8:
        messages.insert(0, START)
    events: list[Event] = []
    for message in messages:
        cut = rng.randrange(len(message) + 1)
        for piece in (message[:cut], message[cut:]) if isinstance(message, bytes) else (message,):
            events += codec.receive(piece)
        for wire in codec.encode(SendAudio(b"\0\0")):
            assert isinstance(wire, bytes)
            assert len(wire) == 5
        assert len(codec.encode(HangUp())) <= 1
    events += codec.receive_eof()
    assert sum(isinstance(event, CallStarted) for event in events) <= 1
    assert sum(isinstance(event, CallEnded) for event in events) == 1
    errors = [event for event in events if isinstance(event, PeerError)]
    assert len({error.code for error in errors}) == len(errors)
    assert all(len(error.detail) < 200 for error in errors)
    repr(events).encode()
    return {error.code for error in errors}


def fuzz(count: int) -> None:
    rng = random.Random(20)
    seen: set[str] = set()
    for _ in range(count // FRAMES_A_STREAM):
        seen |= stream(rng)
    # Every documented code, so the inputs reach every rule, and no other.
    assert seen == CODES


def test_a_few_thousand_inputs_are_taken_or_refused() -> None:
    fuzz(FEW)


@pytest.mark.fuzz
def test_many_inputs_are_taken_or_refused() -> None:
    fuzz(MANY)
