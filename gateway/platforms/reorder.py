"""Numbered audio put back into order, for platforms that do not promise it.

What is early waits for what is missing, but never longer than a few packets: then the missing ones are lost. What is
late is dropped, because its place has been passed.
"""

# 100 ms of 20 ms packets: more than the disorder of one network path, less than a caller notices in a turn.
WINDOW_PACKETS = 5
# A number this far behind is no late packet (2 s): the platform counts anew.
_RESTART_PACKETS = 100


class Reorder:
    """The packets of one direction of one stream."""

    def __init__(self, window_packets: int = WINDOW_PACKETS) -> None:
        self._window_packets = window_packets
        self._next: int | None = None
        self._waiting: dict[int, bytes] = {}

    def feed(self, number: int, audio: bytes) -> list[bytes]:
        """Return what may be heard now, in order; the first packet decides where the count begins."""
        if self._next is None:
            self._next = number
        passed: list[bytes] = []
        if number < self._next - _RESTART_PACKETS:
            passed = self.flush()
            self._next = number
        if number < self._next or number in self._waiting:
            return passed
        self._waiting[number] = audio
        if len(self._waiting) > self._window_packets:
            self._next = min(self._waiting)
        return passed + self._take_next(self._next)

    def flush(self) -> list[bytes]:
        """Return what still waits, in order; nothing more is missed."""
        rest = [self._waiting[number] for number in sorted(self._waiting)]
        if self._waiting:
            self._next = max(self._waiting) + 1
        self._waiting.clear()
        return rest

    def _take_next(self, number: int) -> list[bytes]:
        ready = []
        while number in self._waiting:
            ready.append(self._waiting.pop(number))
            number += 1
        self._next = number
        return ready
