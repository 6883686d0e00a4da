"""A loop clock that leaps to the next timer: minutes of conversation in moments, and the same every time."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
# The loop asks for no longer leap than a day: every task waits for something no timer will bring.
_LONGEST_LEAP_S = 24 * 3600.0


class _LeapingSelector(selectors.DefaultSelector):
    """Never sleeps: what the loop would have waited is added to its clock."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready:
            return ready
        if timeout is None:  # only another thread can wake the loop now
            return super().select(1.0)
        if timeout >= _LONGEST_LEAP_S:
            raise RuntimeError("every task waits for something that no timer will bring")
        self.now_s += timeout
        return []


class LeapingLoop(asyncio.SelectorEventLoop):
    """An event loop whose time() is the selector's leaping clock. Real sockets and threads do not belong here."""

    def __init__(self) -> None:
        self._leaps = _LeapingSelector()
        super().__init__(self._leaps)

    def time(self) -> float:
        return self._leaps.now_s


def leap(main: Coroutine[Any, Any, T]) -> T:
    """Run `main` on a leaping loop of its own."""
    with asyncio.Runner(loop_factory=LeapingLoop) as runner:
        return runner.run(main)
