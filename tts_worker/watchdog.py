"""Notices a call of the engine that does not return: threads note what they call, and somebody looks repeatedly."""

import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

# A call that was seen at work so often, and is still there, hangs. Looks are counted and not seconds: a process that
# was stopped, or whose machine slept, looks no more often than its engine works.
LOOKS = 20
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

    def look(self) -> str:
        """Return which call hangs, and where in the code; "" when none does."""
        with self._lock:
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
