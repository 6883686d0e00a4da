"""Random and mutated messages at the Twilio codec: taken or refused with a documented code, nothing else."""

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

from gateway.events import CallEnded, CallStarted, ClearOutput, PeerError, SendAudio, SendMark
from gateway.platforms.twilio import TwilioCodec

VECTORS = Path(__file__).parents[1] / "vectors" / "twilio"
CODES = frozenset(
    ("bad_json", "unknown_event", "before_start", "second_start", "bad_field", "bad_start", "unsupported_format")
    + ("bad_base64", "empty_payload", "odd_payload", "payload_too_large", "wrong_stream", "bad_digit", "bad_mark")
    + ("binary_message", "message_too_large")
)
# How many inputs `make fuzz` tries; the default run takes the first 2,000 of the same sequence.
MANY = int(os.environ.get("FUZZ_INPUTS", "100000"))
FEW = 2_000
# A fresh stream now and then, so that inputs meet the codec before its start, while open and after its end.
INPUTS_A_STREAM = 20
_ODD_VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1e308,
    10**400,
    "",
    "8000",
    "\ud800",
    "x" * 2000,
    [],
    [[]],
    {},
    {"a": {}},
    b"".hex(),
)


def seeds() -> list[str]:
    """Every recorded message, and three bytes of audio: an odd payload on L16 streams."""
    files = ("session.json", "starts.json", "broken.json")
    messages = [vector["message"] for name in files for vector in json.loads((VECTORS / name).read_text("utf-8"))]
    return [*messages, messages[2].replace("/////w==", "YWJj")]


def mutated(message: str, rng: random.Random) -> str | bytes:
    """One of: itself, cut, altered, in bytes, swollen, a field replaced, or noise."""
    match rng.randrange(8):
        case 0:
            return message
        case 1:
            return message[: rng.randrange(len(message) + 1)]
        case 2:
            return "".join(chr(rng.randrange(1, 0x300)) if rng.random() < 0.03 else c for c in message[:2000])
        case 3:
            return message.encode("utf-8", "surrogatepass")
        case 4:
            return rng.randbytes(rng.randrange(200)) if rng.random() < 0.5 else "".join(rng.choices('{}[]":,0', k=40))
        case 5 if rng.random() < 0.1:
            return message.ljust(70_000)
        case _:
            return _with_odd_field(message, rng)


def _with_odd_field(message: str, rng: random.Random) -> str:
    try:
        body = json.loads(message)
    except (ValueError, RecursionError):
        return message
    place = body
    while isinstance(place, dict) and place:
        key = rng.choice(sorted(place))
        if not isinstance(place[key], dict) or rng.random() < 0.3:
            place[key] = rng.choice(_ODD_VALUES)
            break
        place = place[key]
    return json.dumps(body)


def fuzz(count: int) -> None:
    rng = random.Random(20)
    messages = seeds()
    starts = [vector["message"] for vector in json.loads((VECTORS / "starts.json").read_text("utf-8"))]
    codec, started, ended = TwilioCodec(), 0, 0
    seen: set[str] = set()
    for number in range(count):
        if number % INPUTS_A_STREAM == 0:
            assert ended + codec.receive_eof().count(CallEnded("closed")) == 1 or number == 0
            codec, started, ended = TwilioCodec(), 0, 0
            if rng.random() < 0.5:
                started += len(codec.receive(rng.choice(starts)))
        for event in codec.receive(mutated(rng.choice(messages), rng)):
            started += isinstance(event, CallStarted)
            ended += isinstance(event, CallEnded)
            if isinstance(event, PeerError):
                seen.add(event.code)
                assert len(event.detail) < 200
            repr(event).encode()
        assert started <= 1
        assert ended <= 1
        for command in (SendAudio(b"\xff"), SendMark("m"), ClearOutput()):
            for wire in codec.encode(command):
                json.loads(wire)
                assert isinstance(wire, str)
                wire.encode()
    # Every documented code, so the inputs reach every rule, and no other.
    assert seen == CODES


def test_a_few_thousand_inputs_are_taken_or_refused() -> None:
    fuzz(FEW)


@pytest.mark.fuzz
def test_many_inputs_are_taken_or_refused() -> None:
    fuzz(MANY)
