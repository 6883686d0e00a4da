"""The calls that we have placed and nobody has answered yet: each keeps a place for the bot that will talk."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class _Kept:
    bot: str
    until_s: float


class Ringing:
    """Who rings is known by the reference it was placed with, until `end`, or its deadline. `now` is monotonic."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._kept: dict[str, _Kept] = {}

    def begin(self, reference: str, bot: str, for_s: float) -> None:
        """Keep a place for a call that is about to be placed, for so long at most."""
        self._kept[reference] = _Kept(bot, self._now() + for_s)

    def end(self, reference: str) -> None:
        """It was answered, or will not be; nothing happens when it does not ring."""
        self._kept.pop(reference, None)

    def bots(self, but: str = "") -> list[str]:
        """The bot of every call that rings, without the one of the reference `but`."""
        self._expire()
        return [kept.bot for reference, kept in self._kept.items() if reference != but]

    def __contains__(self, reference: str) -> bool:
        self._expire()
        return reference in self._kept

    def __len__(self) -> int:
        return len(self.bots())

    def _expire(self) -> None:
        now_s = self._now()
        self._kept = {reference: kept for reference, kept in self._kept.items() if kept.until_s > now_s}
