"""Random and mutated messages at any codec: taken or refused with a documented code, nothing else.

An input is one message, fed to a codec that is fresh, open, or over. The same seed gives the same inputs, so a longer
run begins with those of a shorter one.
"""

import json
import os
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gateway.events import CallEnded, CallStarted, ClearOutput, HangUp, PeerError, SendAudio, SendDigits, SendMark
from gateway.platforms.base import Codec

# How many inputs `make fuzz` tries; the default run takes the first 2,000 of the same sequence.
MANY = int(os.environ.get("VOICEBOT_FUZZ_EXAMPLES", "100000"))
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
    [{}],
    {},
    {"a": {}},
)
_COMMANDS = (SendAudio(b"\xff" * 320), SendMark("m"), ClearOutput(), SendDigits("1"), HangUp("done"))


@dataclass(frozen=True, slots=True)
class CodecFuzz:
    """`starts` open a stream; `messages` are what is mutated; `codes` are all that a PeerError may say.

    `speaks_json`: whether text that the codec writes is JSON.
    """

    make: Callable[[], Codec]
    starts: Sequence[str | bytes]
    messages: Sequence[str | bytes]
    codes: frozenset[str]
    speaks_json: bool = True
    # Makes a message fit its place in the stream, for platforms that number what they send.
    place: Callable[[str | bytes, Any], str | bytes] = lambda message, codec: message

    def run(self, count: int) -> None:
        """AssertionError when an input is neither taken nor refused in order, or the end is not said once."""
        rng = random.Random(20)
        seen: set[str] = set()
        for number in range(0, count, INPUTS_A_STREAM):
            seen |= self._stream(rng, min(INPUTS_A_STREAM, count - number))
        assert seen <= self.codes
        if count >= FEW:
            assert seen == self.codes

    def _stream(self, rng: random.Random, inputs: int) -> set[str]:
        codec = self.make()
        messages = [mutated(rng.choice(self.messages), rng) for _ in range(inputs)]
        if rng.random() < 0.6:
            messages.insert(0, rng.choice(self.starts))
        started = ended = 0
        codes: set[str] = set()
        for message in messages:
            for event in codec.receive(self.place(message, codec)):
                started += isinstance(event, CallStarted)
                ended += isinstance(event, CallEnded)
                if isinstance(event, PeerError):
                    codes.add(event.code)
                    assert len(event.detail) < 200
                repr(event).encode()
            self._check_output(codec, hang_up=rng.random() < 0.05)
            assert started <= 1
            assert ended <= 1
        assert ended + sum(isinstance(event, CallEnded) for event in codec.receive_eof()) == 1
        return codes

    def _check_output(self, codec: Codec, *, hang_up: bool) -> None:
        """What the codec writes is JSON text or bare audio."""
        commands = _COMMANDS if hang_up else _COMMANDS[:-1]
        for wire in (*codec.owed(), *(wire for command in commands for wire in codec.encode(command))):
            if isinstance(wire, str) and self.speaks_json:
                assert isinstance(json.loads(wire), dict)


def mutated(message: str | bytes, rng: random.Random) -> str | bytes:
    """One of: itself, cut, altered, as the other kind of message, swollen, a field replaced, or noise."""
    choice = rng.randrange(8)
    if choice == 0:
        return message
    if choice == 1:
        return message[: rng.randrange(len(message) + 1)]
    if choice == 2:
        return rng.randbytes(rng.randrange(200)) if rng.random() < 0.5 else "".join(rng.choices('{}[]":,0', k=40))
    if isinstance(message, bytes):
        return message * rng.choice((1, 2, 1000)) if choice == 3 else message.decode("latin-1")
    match choice:
        case 3:
            return message.encode("utf-8", "surrogatepass")
        case 4:
            return "".join(chr(rng.randrange(1, 0x300)) if rng.random() < 0.03 else c for c in message[:2000])
        case 5 if rng.random() < 0.1:
            return message.ljust(70_000)
        case _:
            return _with_odd_field(message, rng)


def _with_odd_field(message: str, rng: random.Random) -> str:
    try:
        body = json.loads(message)
    except (ValueError, RecursionError):
        return message
    place: Any = body
    while isinstance(place, dict | list) and place:
        key: Any = rng.choice(sorted(place)) if isinstance(place, dict) else rng.randrange(len(place))
        if not isinstance(place[key], dict | list) or rng.random() < 0.3:
            place[key] = rng.choice(_ODD_VALUES)
            break
        place = place[key]
    return json.dumps(body)
