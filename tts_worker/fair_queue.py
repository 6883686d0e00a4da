"""Whose turn is it: the order in which one worker serves many sessions, free of threads and time.

Round robin over sessions, one item at a time. Items that open a request go before items that continue one, and a
session that had nothing queued goes before those that were served already: its caller hears silence. Nobody waits for
ever: a session overtaken too often goes first whatever it has.
"""

from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

# Beyond one turn for every session: enough for first pieces to go ahead, too little for a gap in what is being heard.
_MAX_OVERTAKES = 4


@dataclass(slots=True)
class _Line(Generic[T]):
    """One session's items, oldest first, with whether each opens a request."""

    items: deque[tuple[bool, T]]
    waiting_since: int
    # Turn of the last service, -1 for a session that was idle before: its caller waits for the first sound.
    served: int = -1
    held: bool = False


class FairQueue(Generic[T]):
    """Round robin over sessions, first pieces of requests ahead of later ones, order within a session kept."""

    def __init__(self) -> None:
        self._lines: dict[Hashable, _Line[T]] = {}
        self._turn = 0

    def push(self, session: Hashable, item: T, *, opens: bool) -> None:
        """Append `item` to the session's line; `opens` marks the first piece of a request."""
        line = self._lines.get(session)
        if line is None:
            line = self._lines[session] = _Line(deque(), self._turn)
        elif not line.items:
            line.waiting_since = self._turn
        line.items.append((opens, item))

    def pop(self, fits: Callable[[T], bool] = lambda item: True) -> T | None:
        """Take the next of the items that are first in their line and fit; None when there is none.

        An item that does not fit is overtaken; when that has happened often enough it comes first of all.
        """
        ready = [
            session for session, line in self._lines.items() if line.items and not line.held and fits(line.items[0][1])
        ]
        if not ready:
            return None
        session = min(ready, key=self._rank)
        line = self._lines[session]
        _, item = line.items.popleft()
        self._turn += 1
        line.served = line.waiting_since = self._turn
        self._forget_if_idle(session)
        return item

    def _rank(self, session: Hashable) -> tuple[int, int]:
        """Least is served first; of equals, the one that came first."""
        line = self._lines[session]
        overtaken = self._turn - line.waiting_since
        if overtaken > len(self._lines) + _MAX_OVERTAKES:
            return (0, line.waiting_since)
        opens, _ = line.items[0]
        return (1 if opens else 2, line.served)

    def drop(self, session: Hashable, unwanted: Callable[[T], bool]) -> None:
        """Remove the session's items for which `unwanted` is true."""
        line = self._lines.get(session)
        if line is not None:
            line.items = deque(entry for entry in line.items if not unwanted(entry[1]))
            self._forget_if_idle(session)

    def hold(self, session: Hashable) -> None:
        """Serve the session no more until `release`; its items stay."""
        self._lines.setdefault(session, _Line(deque(), self._turn)).held = True

    def release(self, session: Hashable) -> None:
        """Undo `hold`."""
        line = self._lines.get(session)
        if line is not None:
            line.held, line.waiting_since = False, self._turn
            self._forget_if_idle(session)

    def _forget_if_idle(self, session: Hashable) -> None:
        line = self._lines[session]
        if not line.items and not line.held:
            del self._lines[session]

    def __len__(self) -> int:
        return sum(len(line.items) for line in self._lines.values())
