"""Signed requests are taken once: what was captured on its way cannot be sent again."""

from collections.abc import Callable

from gateway.errors import Refused

# A nonce is about 100 bytes with its entry, so 5 MB at most; a gateway at its capacity sees a few in a second, and only
# the holder of a secret can add one. Beyond it the oldest gives way.
MAX_REMEMBERED = 50_000


class Replays:
    """Remembers what made requests unique, each for `window_s`; 0 remembers nothing. `now` is monotonic seconds."""

    def __init__(self, window_s: float, now: Callable[[], float]) -> None:
        self._window_s = window_s
        self._now = now
        self._until_s: dict[str, float] = {}  # oldest first

    def admit(self, once: str) -> None:
        """Take note of a well-signed request; Refused (403) when it was there before."""
        now_s = self._now()
        while self._until_s and (self._oldest_s <= now_s or len(self._until_s) >= MAX_REMEMBERED):
            del self._until_s[next(iter(self._until_s))]
        if once in self._until_s:
            raise Refused("replayed", "this signed request was sent before")
        if self._window_s > 0.0:
            self._until_s[once] = now_s + self._window_s

    @property
    def _oldest_s(self) -> float:
        return next(iter(self._until_s.values()))
