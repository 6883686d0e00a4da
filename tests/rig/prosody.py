"""A prosody whose answers a test gives, when it wants to."""

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class ToldProsody:
    """Keeps what it was asked until it is told the answer."""

    asked: list[bytes] = field(default_factory=list)
    tells: list[Callable[[float], None]] = field(default_factory=list)
    closed: bool = False

    def ask(self, pcm: bytes, tell: Callable[[float], None]) -> None:
        self.asked.append(pcm)
        self.tells.append(tell)

    def answer(self, finality: float) -> None:
        """Answer the oldest question that has none."""
        self.tells.pop(0)(finality)

    async def close(self) -> None:
        self.closed = True
