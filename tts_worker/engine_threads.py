"""Threads that serve queues until they are told to stop; none of them ends unseen."""

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

# How long `join` waits for the piece in work; the threads are daemons and do not hold the process.
_JOIN_S = 5.0


class EngineThreads:
    """`changed` guards the queues and wakes who waits for them; `on_death` hears, on its thread, why one ends early."""

    def __init__(self, changed: threading.Condition, on_death: Callable[[str], None]) -> None:
        self._changed = changed
        self._on_death = on_death
        self._threads: list[threading.Thread] = []
        self.stopping = False

    def start(self, name: str, duty: Callable[[], None]) -> None:
        """Run `duty`, which calls `serve`, on a thread of its own."""
        thread = threading.Thread(target=self._run, args=(duty,), name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def serve(self, take: Callable[[], T | None], work: Callable[[T], None]) -> None:
        """Do what `take` gives, asked with the lock held, until `stop`; wait while it gives None."""
        while True:
            with self._changed:
                while not self.stopping and (item := take()) is None:
                    self._changed.wait()
                if self.stopping:
                    return
            assert item is not None
            work(item)

    def stop(self) -> None:
        """Let every thread end after the work it is at."""
        with self._changed:
            self.stopping = True
            self._changed.notify_all()

    @property
    def alive(self) -> bool:
        """Whether one is still at its work."""
        return any(thread.is_alive() for thread in self._threads)

    async def join(self) -> None:
        """Wait for the threads, at most 5 s in all."""
        await asyncio.gather(*(asyncio.to_thread(thread.join, _JOIN_S) for thread in self._threads))

    def _run(self, duty: Callable[[], None]) -> None:
        try:
            duty()
        except BaseException as error:  # not to hide it: nobody would be left to answer what waits
            self._on_death(f"{threading.current_thread().name} ended with {type(error).__name__}")
            raise
