"""A loop clock that leaps to the next timer: minutes of conversation in moments, and the same every time."""

import asyncio
import selectors
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any, TypeVar, TypeVarTuple

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
# The loop asks for no longer leap than a day: every task waits for something no timer will bring.
_LONGEST_LEAP_S = 24 * 3600.0
# How long a look for the end of work outside the loop may block; the work itself wakes the loop.
_OUTSIDE_LOOK_S = 1.0


class _LeapingSelector(selectors.DefaultSelector):
    """Never sleeps: what the loop would have waited is added to its clock."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 0.0
        self.outside_work = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready or timeout == 0:  # the loop has something to do
            return ready
        if self.outside_work or timeout is None:  # its end will wake the loop; it takes no leaping time
            return super().select(_OUTSIDE_LOOK_S)
        if timeout >= _LONGEST_LEAP_S:
            raise RuntimeError("every task waits for something that no timer will bring")
        self.now_s += timeout
        return []


class LeapingLoop(asyncio.SelectorEventLoop):
    """An event loop whose time() is the selector's leaping clock, which stands still while an executor works."""

    def __init__(self) -> None:
        self._leaps = _LeapingSelector()
        super().__init__(self._leaps)

    def time(self) -> float:
        return self._leaps.now_s

    @contextmanager
    def standing_still(self) -> Iterator[None]:
        """While this is open no timer comes due: another process works, and its time does not count."""
        self._leaps.outside_work += 1
        try:
            yield
        finally:
            self._leaps.outside_work -= 1

    def run_in_executor(self, executor: Executor | None, func: Callable[[*Ts], T], *args: *Ts) -> "asyncio.Future[T]":
        self._leaps.outside_work += 1
        future = super().run_in_executor(executor, func, *args)
        future.add_done_callback(self._thread_done)
        return future

    def _thread_done(self, _future: "asyncio.Future[Any]") -> None:
        self._leaps.outside_work -= 1


def leap(main: Coroutine[Any, Any, T]) -> T:
    """Run `main` on a leaping loop of its own."""
    with asyncio.Runner(loop_factory=LeapingLoop) as runner:
        return runner.run(main)
