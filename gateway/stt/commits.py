"""Commits that wait for their words: answered in order, each exactly once, and none later than its deadline."""

import asyncio
from collections import deque
from dataclasses import dataclass

from gateway.errors import SttError
from gateway.stt.base import Final
from gateway.stt.event_queue import EventQueue
from gateway.stt.utterance import Utterance

# Longer than the engine's own deadline for one job, so that it strikes only while the engine is loading or starved.
COMMIT_DEADLINE_S = 12.0


@dataclass(frozen=True, slots=True, eq=False)
class _Commit:
    said: Utterance
    at_s: float
    deadline: asyncio.TimerHandle


class Commits:
    """The answers go to `events`: a Final, or the SttError that stands for it."""

    def __init__(self, events: EventQueue) -> None:
        self._events = events
        self._waiting: deque[_Commit] = deque()

    def add(self, said: Utterance) -> None:
        """Count the time from now; call settle() whenever a piece may have got its words."""
        loop = asyncio.get_running_loop()
        deadline = loop.call_later(COMMIT_DEADLINE_S, self._overdue, said)
        self._waiting.append(_Commit(said, loop.time(), deadline))

    def settle(self) -> None:
        """Answer what can be answered."""
        while self._waiting and self._waiting[0].said.complete:
            commit = self._waiting.popleft()
            commit.deadline.cancel()
            said = commit.said
            took_s = round(asyncio.get_running_loop().time() - commit.at_s, 3)
            spoken = said.spoken
            final = Final(said.text, said.speech_end_s, took_s, spoken.language, spoken.language_share)
            self._events.put(said.error or final)

    def forget(self) -> None:
        """Answer nothing any more."""
        for commit in self._waiting:
            commit.deadline.cancel()
        self._waiting.clear()

    def _overdue(self, said: Utterance) -> None:
        for piece in said.pieces:
            if piece.outcome is None:
                piece.outcome = SttError("stt_overdue", f"no words within {COMMIT_DEADLINE_S:.0f} s", retryable=True)
        self.settle()
