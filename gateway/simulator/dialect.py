"""What the simulator needs of a platform's dialect: the caller's side as messages, the bot's messages as facts.

A dialect is sans-IO and written from the platform's documentation; it shares no code with gateway.platforms.
PCM here is mono s16le at the dialect's rate.
"""

from dataclasses import dataclass, field
from typing import Protocol


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


BotMessage = BotAudio | BotMark | BotClear | BotViolation


class Dialect(Protocol):
    """One call's messages, from the platform's side."""

    @property
    def rate_hz(self) -> int: ...

    def opening(self) -> list[str | bytes]:
        """What the platform says when the socket is open."""
        ...

    def audio(self, pcm: bytes) -> list[str | bytes]:
        """20 ms of the caller."""
        ...

    def digit(self, digit: str) -> list[str | bytes]:
        """A key the caller pressed."""
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
