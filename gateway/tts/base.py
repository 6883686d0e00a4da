"""What a TTS session is: sentences in, audio events out; one per call, kept across sentences and turns.

And what it needs of whatever carries it to the worker.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from media.pronunciation import Pronunciation
from media.tts_wire import Word


@dataclass(frozen=True, slots=True)
class SpeechBegan:
    """The worker took up request `request_id`; audio follows."""

    request_id: int


@dataclass(frozen=True, slots=True)
class SpeechAudio:
    """Audio of one request, PCM s16le mono at the session's rate; pieces may have an odd length."""

    request_id: int
    pcm: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class SpeechWords:
    """The words of a request spoken so far, timed from the start of its audio; a later event replaces an earlier one.

    They come before the audio they describe, so that a reply cut short still knows its words.
    """

    request_id: int
    words: tuple[Word, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class SpeechDone:
    """All audio of the request has been delivered; 0 samples when the text had nothing to say."""

    request_id: int
    samples: int


@dataclass(frozen=True, slots=True)
class SpeechFailed:
    """The request cannot be spoken (refused, engine failure, or the worker stayed away too long)."""

    request_id: int
    code: str
    detail: str = ""


SpeechEvent = SpeechBegan | SpeechAudio | SpeechWords | SpeechDone | SpeechFailed


@dataclass(frozen=True, slots=True)
class Delivery:
    """How one sentence is spoken. What is blank is as the session was made; `pronunciations` are places in its text."""

    voice: str = ""
    language: str = ""
    speed: float = 0.0
    pronunciations: tuple[Pronunciation, ...] = field(default=(), repr=False)

    def fields(self) -> dict[str, Any]:
        """The request's own fields on the wire; None is left out there."""
        return {
            "voice": self.voice or None,
            "language": self.language or None,
            "speed": self.speed or None,
            "pronunciations": [place.as_json() for place in self.pronunciations] or None,
        }


class SpeechSession(Protocol):
    """One call's voice. Requests are spoken in order; each ends in exactly one Done or Failed, unless cancelled."""

    @property
    def rate_hz(self) -> int:
        """Sample rate of the audio."""
        ...

    async def open(self) -> None:
        """Connect; TtsError when the worker cannot be reached within the bound."""
        ...

    def speak(self, text: str, delivery: Delivery | None = None) -> int:
        """Queue a sentence and return its request id (counts up from 1); never blocks."""
        ...

    def cancel(self) -> None:
        """Drop every request queued or being spoken; no event of them is delivered after this returns."""
        ...

    def events(self) -> AsyncIterator[SpeechEvent]:
        """Events in order until close."""
        ...

    async def close(self) -> None:
        """Close the session; nothing of it is left running. Idempotent."""
        ...


class SpeechFactory(Protocol):
    """Makes one session a call."""

    def session(self, voice: str, language: str, speed: float) -> SpeechSession: ...

    async def ready(self) -> bool: ...

    async def close(self) -> None: ...


class Socket(Protocol):
    """One connection to a worker. `send` and `recv` raise a TtsError when it is gone; `recv` may be cancelled."""

    async def send(self, message: str) -> None: ...

    async def recv(self) -> str | bytes: ...

    async def close(self) -> None: ...


# Opens a connection; raises TtsError, retryable or not.
Connector = Callable[[], Awaitable[Socket]]
