"""The turn's timers: each makes one happening happen, unless it is stopped first."""

import asyncio
from collections.abc import Callable

from gateway.call.turn import Happening


class Timers:
    """At most one timer for each happening; starting it anew replaces it."""

    def __init__(self, happen: Callable[[Happening], None]) -> None:
        self._happen = happen
        self._running: dict[Happening, asyncio.TimerHandle] = {}

    def start(self, happening: Happening, delay_ms: int) -> None:
        self.stop(happening)
        loop = asyncio.get_running_loop()
        self._running[happening] = loop.call_later(max(0, delay_ms) / 1000, self._ring, happening)

    def stop(self, happening: Happening) -> None:
        if timer := self._running.pop(happening, None):
            timer.cancel()

    def running(self, happening: Happening) -> bool:
        return happening in self._running

    def stop_all(self) -> None:
        for happening in list(self._running):
            self.stop(happening)

    def _ring(self, happening: Happening) -> None:
        del self._running[happening]
        self._happen(happening)
