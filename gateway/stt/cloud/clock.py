"""Where a moment of a stream is in the call: streams begin late, and carry silence that the caller never sent."""

from bisect import bisect_right
from collections import deque
from dataclasses import replace

from gateway.stt.cloud.base import Item, Result

# A service that answers does so before the second one behind it; of one that does not, no more are remembered.
_MAX_FLUSHES = 16
# Services tell times in hundredths, or in floats of half our length.
_ROUNDING_S = 0.02
# No call lasts for a week.
_LONGEST_STREAM_S = 7 * 24 * 3600


class StreamClock:
    """Of one stream. Times are seconds."""

    def __init__(self, call_s: float) -> None:
        """The stream's first audio is the call's at `call_s`."""
        self._stream_s = [0.0]
        self._call_s = [call_s]
        self._flushes_s: deque[float] = deque(maxlen=_MAX_FLUSHES)
        self.sent_s = 0.0

    def sent(self, seconds: float) -> None:
        """So much of the caller's audio was sent."""
        self.sent_s += seconds

    def silence(self, seconds: float) -> None:
        """So much silence was put in between: the call's clock stood still."""
        here_s = self.call_s(self.sent_s)
        if self._call_s[-1] == here_s and len(self._call_s) > 1:  # behind other silence: one entry a gap is enough
            self._stream_s[-1] += seconds
        else:
            self._stream_s.append(self.sent_s + seconds)
            self._call_s.append(here_s)
        self.sent_s += seconds

    def flushed(self) -> None:
        """What was sent so far is asked to be made final."""
        self._flushes_s.append(self.sent_s)

    def call_s(self, stream_s: float) -> float:
        """The moment of the call; within silence, the moment it was put in at."""
        at = bisect_right(self._stream_s, stream_s) - 1
        moment_s = self._call_s[at] + stream_s - self._stream_s[at]
        return min(moment_s, self._call_s[at + 1]) if at + 1 < len(self._call_s) else moment_s

    def on_call(self, result: Result) -> Result:
        """The result with the times of the call."""
        items = tuple(
            Item(item.text, self.call_s(item.start_s), self.call_s(item.end_s), item.is_mark) for item in result.items
        )
        end_s = self._answered(result.end_s) if result.flushed else result.end_s
        return replace(result, start_s=self.call_s(result.start_s), end_s=self.call_s(end_s), items=items)

    def _answered(self, end_s: float) -> float:
        """Where the flush was that words up to `end_s` are the answer to; not every flush has an answer."""
        while self._flushes_s:
            if (at_s := self._flushes_s.popleft()) > end_s - _ROUNDING_S:
                return max(at_s, end_s)
        return end_s


def moment_s(told: object) -> float:
    """A moment or duration as a service told it; ValueError or TypeError where it is none.

    JSON as Python reads it has NaN, infinity, and whole numbers that no float can hold.
    """
    if isinstance(told, bool) or not isinstance(told, int | float):
        raise TypeError("not a number")
    if not 0 <= told < _LONGEST_STREAM_S:
        raise ValueError("no moment of a stream")
    return float(told)
