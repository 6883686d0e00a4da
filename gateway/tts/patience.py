"""How long sentences wait for their worker, and what becomes of them then."""

import asyncio
from collections.abc import Callable

from gateway.tts.ledger import Ledger


class Patience:
    """Fails what waits too long: without a worker after give_up_s, with a silent one after stall_s."""

    def __init__(self, ledger: Ledger, give_up_s: float, stall_s: float, on_failed: Callable[[], None]) -> None:
        """`on_failed` is called after requests have failed."""
        self._ledger = ledger
        self._give_up_s = give_up_s
        self._stall_s = stall_s
        self._on_failed = on_failed
        self._connected = False
        self._timer: asyncio.TimerHandle | None = None
        self.is_stalled = False  # this connection's worker delivers nothing: leave it

    def connected(self) -> None:
        self._connected, self.is_stalled = True, False
        self.arm()

    def disconnected(self) -> None:
        self._connected = False
        self.arm()

    def arm(self) -> None:
        """Look at the oldest request when it is due; to be called when a request was added."""
        self.stop()
        since_s = self._ledger.waits_since_s
        if since_s is not None:
            self._timer = asyncio.get_running_loop().call_at(since_s + self._bound_s(), self._look)

    def stop(self) -> None:
        """Wait no more. Idempotent."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _bound_s(self) -> float:
        return self._stall_s if self._connected else self._give_up_s

    def _look(self) -> None:
        since_s, now_s = self._ledger.waits_since_s, asyncio.get_running_loop().time()
        if since_s is not None and now_s >= since_s + self._bound_s():
            if self._connected:
                self.is_stalled = True
                self._ledger.give_up_spoken(now_s)
            else:
                self._ledger.give_up_waiting(now_s - self._bound_s())
            self._on_failed()
        self.arm()
