"""Notices an engine that is lost: a call of it does not return, or all of them fail.

Threads note what they call and how it went, and somebody looks again and again.
"""

import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

# A call that was seen at work so often, and is still there, hangs. Looks are counted and not seconds: a process that
# was stopped, or whose machine slept, looks no more often than its engine works.
LOOKS = 20
# So many calls that failed, with none that succeeded between them, are no fault of their texts: a GPU whose context
# died fails for ever, and whoever is sent here is lost until the process ends.
MAX_FAILURES_IN_A_ROW = 64
# Enough to see where in the runtime it is.
_STACK_FRAMES = 4


@dataclass(eq=False, slots=True)
class _Call:
    step: str
    thread: int = field(default_factory=threading.get_ident)
    looks: int = 0


class Watchdog:
    """`call` around each call of the engine, on any thread; `look` at even intervals, of which LOOKS are the bound."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: set[_Call] = set()
        self._failures_in_a_row = 0

    @contextmanager
    def call(self, step: str) -> Iterator[None]:
        """Be inside the engine."""
        call = _Call(step)
        with self._lock:
            self._calls.add(call)
        try:
            yield
        finally:
            with self._lock:
                self._calls.remove(call)

    def went(self, *, well: bool) -> None:
        """Be told how a call for one request went."""
        with self._lock:
            self._failures_in_a_row = 0 if well else self._failures_in_a_row + 1

    def look(self) -> str:
        """Return why the engine is lost: which call hangs, and where in the code, or that all fail; "" if it is not."""
        with self._lock:
            if self._failures_in_a_row >= MAX_FAILURES_IN_A_ROW:
                return f"{self._failures_in_a_row} calls in a row failed"
            for call in self._calls:
                call.looks += 1
                if call.looks > LOOKS:
                    return f"{call.step} does not return: {_where(call.thread)}"
        return ""


def _where(thread: int) -> str:
    """Return where a thread is, innermost last. Lines of code only, so nothing that callers said."""
    frame = sys._current_frames().get(thread)
    places = traceback.extract_stack(frame)[-_STACK_FRAMES:]
    return " > ".join(f"{place.name} ({place.filename}:{place.lineno})" for place in places)
