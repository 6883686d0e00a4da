"""An answer to "can the model be asked?" that many may want and few should have to look up."""

import asyncio
from collections.abc import Awaitable, Callable

# How long an answer stands: what was well rarely breaks, and what was broken should show its recovery soon.
READY_KEPT_S = 30.0
NOT_READY_KEPT_S = 5.0
# A check takes milliseconds, or waits for an instance's credential service or a server that starts.
CHECK_S = 5.0


class Readiness:
    """Caches `check`, which may take its time but never raises; one check runs at a time."""

    def __init__(self, check: Callable[[], Awaitable[bool]]) -> None:
        self._check = check
        self._lock = asyncio.Lock()
        self._answer = False
        self._until_s = float("-inf")

    async def ask(self) -> bool:
        """The answer, at most READY_KEPT_S old; False when the check takes too long."""
        now_s = asyncio.get_running_loop().time
        async with self._lock:
            if now_s() >= self._until_s:
                try:
                    self._answer = await asyncio.wait_for(self._check(), CHECK_S)
                except TimeoutError:
                    self._answer = False
                self._until_s = now_s() + (READY_KEPT_S if self._answer else NOT_READY_KEPT_S)
            return self._answer
