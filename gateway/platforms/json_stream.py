"""What every codec with JSON on its socket does alike, in one place.

It guards the message (size, text or binary, one JSON object), finds the handler by the message's name, keeps the
stream's phase, turns each breach of protocol into one PeerError a code and call, and says CallEnded exactly once.
A platform's file holds only its own message shapes.
"""

import base64
import binascii
import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from enum import Enum, auto
from typing import Any, ClassVar

from gateway.events import CallEnded, CallerAudio, CallStarted, Digit, Event, PeerError
from gateway.platforms.base import MAX_MESSAGE_BYTES

# A second of 8 kHz L16; the longest packets any platform documents are 100 ms. More in one message is a fault.
MAX_PAYLOAD_BYTES = 16_000
# Ids, mark names and tokens are below 100 characters on every platform; parameters below 500.
MAX_TEXT_CHARS = 1024
# Longest name of an unknown message that is repeated in an error.
_MAX_NAME_CHARS = 32
# Counters and times fit 64 bits; JSON allows numbers of thousands of digits.
_MAX_NUMBER = 2**63 - 1
_MAX_NUMBER_CHARS = 19
_DIGITS = frozenset("0123456789*#ABCD")

Json = Mapping[str, Any]
Handler = Callable[[Json], list[Event]]


class Breach(Exception):
    """The peer broke a rule of its protocol; raised by a codec's handlers and turned into a PeerError by JsonStream."""

    def __init__(self, code: str, detail: str = "", *, fatal: bool = False) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail
        self.fatal = fatal


class Phase(Enum):
    """Where the stream stands."""

    WAITING = auto()  # nothing but a greeting may come before the start message
    OPEN = auto()
    OVER = auto()  # stopped, closed, or broken beyond repair: nothing is read or written any more


class Stream:
    """What every codec keeps: the stream's phase, its breaches of protocol, what is owed to the peer, and one end."""

    def __init__(self) -> None:
        self._ended = False
        self._owed: list[str | bytes] = []
        self.phase = Phase.WAITING
        # How often each code occurred; only the first of a code becomes an event. Codes are ours, so this is bounded.
        self.breaches: Counter[str] = Counter()

    def receive_eof(self) -> list[Event]:
        """The socket has closed: CallEnded unless it was already said."""
        return self.end("closed")

    def owe(self, message: str | bytes) -> None:
        """Answer the peer with this as soon as the present message has been read."""
        self._owed.append(message)

    def owed(self) -> list[str | bytes]:
        """Return what is to be sent at once, and forget it."""
        messages, self._owed = self._owed, []
        return messages

    def start(self, started: CallStarted) -> list[Event]:
        """Open the stream."""
        self.phase = Phase.OPEN
        return [started]

    def end(self, reason: str) -> list[Event]:
        """Close the stream; CallEnded comes from the first call only."""
        self.phase = Phase.OVER
        if self._ended:
            return []
        self._ended = True
        return [CallEnded(reason)]

    def report(self, breach: Breach) -> list[Event]:
        """Count the breach; the first of its code becomes a PeerError, and a fatal one closes the stream."""
        self.breaches[breach.code] += 1
        if breach.fatal:
            self.phase = Phase.OVER
        if self.breaches[breach.code] > 1:
            return []
        return [PeerError(breach.code, breach.detail, breach.fatal)]


class JsonStream(Stream):
    """Base of the codecs with JSON; a subclass passes its handlers by message name and implements encode."""

    name_key: ClassVar[str] = "event"
    before_start: ClassVar[frozenset[str]] = frozenset({"connected", "start"})

    def __init__(self, handlers: Mapping[str, Handler]) -> None:
        super().__init__()
        self._handlers = handlers

    def receive(self, message: str | bytes) -> list[Event]:
        """Return what the message means. Never raises; after the end of the stream always empty."""
        if self.phase is Phase.OVER:
            return []
        try:
            if len(message) > MAX_MESSAGE_BYTES:
                raise Breach("message_too_large", f"{len(message)} where {MAX_MESSAGE_BYTES} is the limit")
            return self.receive_text(message) if isinstance(message, str) else self.receive_binary(message)
        except Breach as breach:
            return self.report(breach)

    def receive_text(self, message: str) -> list[Event]:
        """Parse one JSON message and give it to its handler."""
        body = parse(message)
        self.admit(body)
        name = self.name_of(body)
        handler = self._handlers.get(name) if isinstance(name, str) else None
        if handler is None:
            raise Breach("unknown_event", _shown(name))
        if self.phase is Phase.WAITING and name not in self.before_start:
            raise Breach("before_start", _shown(name))
        return handler(body)

    def admit(self, body: Json) -> None:
        """Check what all messages of a platform carry; a Breach refuses this one. By default nothing is asked."""

    def name_of(self, body: Json) -> object:
        """The message's name; platforms that do not write it at `name_key` find it elsewhere."""
        return body.get(self.name_key)

    def receive_binary(self, message: bytes) -> list[Event]:
        """Audio on platforms that send it bare; a breach on all others."""
        raise Breach("binary_message", f"{len(message)} bytes where JSON text is due")


def section(body: Json, key: str) -> Json:
    """Return the object at `key`; `bad_field` when it is missing or no object."""
    value = body.get(key)
    if not isinstance(value, dict):
        raise Breach("bad_field", f"{key} is {_kind(value)}, an object is due")
    return value


def text(body: Json, key: str, default: str = "") -> str:
    """Return the text at `key`, a number as its digits, `default` when missing; `bad_field` for anything else."""
    value = body.get(key)
    if value is None:
        return default
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise Breach("bad_field", f"{key} is {_kind(value)}, text is due")
    if len(value) > MAX_TEXT_CHARS:
        raise Breach("bad_field", f"{key} has {len(value)} characters, the limit is {MAX_TEXT_CHARS}")
    # JSON can spell half a surrogate pair, which no log, URL or database can carry.
    if not value.isascii() and any("\ud800" <= c <= "\udfff" for c in value):
        raise Breach("bad_field", f"{key} holds half a surrogate pair")
    return value


def texts(body: Json, but: Collection[str] = ()) -> dict[str, str]:
    """Return what is text or a number in the object, but for some names; `bad_field` as for `text`."""
    plain = (
        name for name, value in body.items() if isinstance(value, str | int | float) and not isinstance(value, bool)
    )
    return {name: text(body, name) for name in plain if name not in but}


def integer(body: Json, key: str, default: int) -> int:
    """Return the whole number at `key`, be it a JSON number or a string of digits; `default` when missing."""
    value = body.get(key)
    if value is None:
        return default
    number: int | None = None
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= _MAX_NUMBER_CHARS:
        number = int(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        number = value
    elif isinstance(value, float) and value.is_integer():
        number = int(value)
    if number is None or abs(number) > _MAX_NUMBER:
        raise Breach("bad_field", f"{key} is {_kind(value)}, a whole number is due")
    return number


def pressed(body: Json, key: str) -> Digit:
    """Return the key of a telephone's pad at `key`; `bad_digit` for anything else."""
    digit = text(body, key).upper()
    if digit not in _DIGITS:
        raise Breach("bad_digit")
    return Digit(digit)


def base64_audio(body: Json, key: str, bytes_per_sample: int) -> CallerAudio:
    """Return the audio at `key`; a Breach says which rule the payload breaks."""
    encoded = body.get(key)
    if not isinstance(encoded, str):
        raise Breach("bad_base64", f"{key} is {_kind(encoded)}, base64 text is due")
    if len(encoded) > MAX_PAYLOAD_BYTES * 4 // 3 + 4:
        raise Breach("payload_too_large", f"{len(encoded)} base64 characters, the limit is {MAX_PAYLOAD_BYTES} bytes")
    try:
        audio = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as error:
        raise Breach("bad_base64", f"{key} of {len(encoded)} characters is not base64") from error
    return CallerAudio(checked_audio(audio, bytes_per_sample))


def checked_audio(audio: bytes, bytes_per_sample: int) -> bytes:
    """Return the audio when it is some whole number of samples, not empty and not too long."""
    if not audio:
        raise Breach("empty_payload")
    if len(audio) > MAX_PAYLOAD_BYTES:
        raise Breach("payload_too_large", f"{len(audio)} bytes, the limit is {MAX_PAYLOAD_BYTES}")
    if len(audio) % bytes_per_sample:
        raise Breach("odd_payload", f"{len(audio)} bytes, samples have {bytes_per_sample}")
    return audio


def parse(message: str) -> Json:
    """Return the JSON object that the message is; `bad_json` when it is none."""
    try:
        body = json.loads(message)
    except (ValueError, RecursionError) as error:
        raise Breach("bad_json", f"{len(message)} characters that are not JSON") from error
    if not isinstance(body, dict):
        raise Breach("bad_json", f"{_kind(body)}, an object is due")
    return body


def _kind(value: object) -> str:
    return "missing" if value is None else f"a JSON {type(value).__name__}"


def _shown(name: object) -> str:
    """A message's name when it looks like one; anything else could hold a caller's words."""
    if isinstance(name, str) and len(name) <= _MAX_NAME_CHARS and name.isascii() and name.replace("_", "").isalnum():
        return name
    return f"name is {_kind(name)}"
