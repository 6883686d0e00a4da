"""One instance in the simulation: what it owes, spoken side by side at the speed the ladder measured."""

import heapq
import itertools
from collections.abc import Sequence
from typing import Generic, TypeVar

Reply = TypeVar("Reply")


class Served(Generic[Reply]):
    """Processor sharing: with n replies owed they share `audio_rate[n - 1]` seconds of speech a second equally.

    `now_s` never falls from call to call. `version` changes with whatever changes `next_done_s`.
    """

    def __init__(self, audio_rate: Sequence[float]) -> None:
        self._shares = [rate / n for n, rate in enumerate(audio_rate, 1)]
        self._owed: list[tuple[float, int, Reply]] = []
        self._order = itertools.count()
        # What a reply would have got that had been there all along; a reply is complete at its own mark on this scale.
        self._spoken_s = 0.0
        self._now_s = 0.0
        self.version = 0

    @property
    def pending(self) -> int:
        return len(self._owed)

    def ask(self, now_s: float, audio_s: float, reply: Reply) -> None:
        """Owe `audio_s` seconds of speech more."""
        self._advance(now_s)
        heapq.heappush(self._owed, (self._spoken_s + audio_s, next(self._order), reply))

    def next_done_s(self) -> float | None:
        """When the next reply will be complete if none is asked for before; None when nothing is owed."""
        if not self._owed:
            return None
        return self._now_s + max(0.0, self._owed[0][0] - self._spoken_s) / self._share()

    def complete(self, now_s: float) -> Reply:
        """Take the reply that is complete now."""
        self._advance(now_s)
        return heapq.heappop(self._owed)[2]

    def abandon(self) -> list[Reply]:
        """Take every reply that is owed: the instance is gone."""
        self.version += 1
        owed, self._owed = [reply for _, _, reply in self._owed], []
        return owed

    def _share(self) -> float:
        return self._shares[min(len(self._owed), len(self._shares)) - 1]

    def _advance(self, now_s: float) -> None:
        if self._owed:
            self._spoken_s += (now_s - self._now_s) * self._share()
        self._now_s = now_s
        self.version += 1
