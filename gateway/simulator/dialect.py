"""What the simulator needs of a platform's dialect: the caller's side as messages, the bot's messages as facts.

A dialect is sans-IO and written from the platform's documentation; it shares no code with gateway.platforms.
PCM here is mono s16le at the dialect's rate.
"""

from dataclasses import dataclass, field
from typing import ClassVar, Protocol


@dataclass(frozen=True, slots=True)
class BotAudio:
    """Audio to be queued and played to the caller."""

    pcm: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class BotMark:
    """To be returned when everything before it has been played."""

    name: str


@dataclass(frozen=True, slots=True)
class BotClear:
    """Drop what is queued."""


@dataclass(frozen=True, slots=True)
class BotViolation:
    """The gateway sent what the platform would not accept."""

    detail: str


@dataclass(frozen=True, slots=True)
class BotControl:
    """Anything else the platform acts on or just accepts (opened, pong, a status request); it answers `replies`."""

    replies: tuple[str | bytes, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class BotHangUp:
    """End the call; the platform says `replies` before it closes."""

    replies: tuple[str | bytes, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class BotTransfer:
    """Move the caller elsewhere; the stream ends."""

    target: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class BotDigits:
    """Play these keys into the call."""

    digits: str = field(repr=False)


BotMessage = BotAudio | BotMark | BotClear | BotViolation | BotControl | BotHangUp | BotTransfer | BotDigits


@dataclass(frozen=True, slots=True)
class Traits:
    """How the platform's own play queue behaves; the defaults are Twilio's."""

    # A clear returns every waiting mark at once, as if it had been reached. Else they are dropped; what the platform
    # says instead comes from Dialect.cleared.
    clear_returns_marks: bool = True
    # Keys are reported on the stream; else they are only heard, as tones.
    reports_keys: bool = True
    # Without marks nobody can tell a long hole in an utterance from the pause after it.
    marks: bool = True
    # Audio beyond this much waiting is dropped without a word.
    queue_s: float = float("inf")
    # The platform ends the call when the bot has sent no audio for so long.
    needs_audio_every_s: float = float("inf")


class Dialect(Protocol):
    """One call's messages, from the platform's side. A dialect inherits from this for the parts with a body."""

    traits: ClassVar[Traits] = Traits()

    @property
    def rate_hz(self) -> int: ...

    def opening(self) -> list[str | bytes]:
        """What the platform says when the socket is open."""
        ...

    def audio(self, pcm: bytes) -> list[str | bytes]:
        """20 ms of the caller; nothing comes back while they are collected for a longer packet."""
        ...

    def digit(self, digit: str) -> list[str | bytes]:
        """A key the caller pressed; nothing where keys are not reported."""
        ...

    def mark(self, name: str) -> list[str | bytes]:
        """The answer to a mark."""
        ...

    def stop(self) -> list[str | bytes]:
        """The caller has hung up."""
        ...

    def receive(self, message: str | bytes) -> BotMessage:
        """Read one message of the gateway, as strictly as the platform does."""
        ...

    def cleared(self, dropped: list[str]) -> list[str | bytes]:
        """What the platform says when it has obeyed a clear that dropped these marks; by default nothing."""
        return []

    def tick(self, queued_s: float) -> list[str | bytes]:
        """What the platform says unasked, told every 20 ms how much bot audio waits; by default nothing."""
        return []
