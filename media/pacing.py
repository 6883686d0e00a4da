"""When frames are sent: an absolute schedule with a stated lead.

Time is a parameter, in seconds of any monotonic clock.
"""

import math

# A timer may fire a hair before its time and products of floats round either way: a frame is due this much early,
# or the caller would wake up at next_due_s(), find nothing due, and spin.
_EARLY_S = 1e-6


class Schedule:
    """The receiver's playout, computed: what was sent plays from the moment it began, one frame after another.

    Frames are due as soon as they keep the receiver at most `lead_ms` ahead of its playout, so a stall shorter than
    the lead is not heard, and a barge-in has little to recall. Frame n is due at begin + (n + 1) x frame - lead,
    never "a frame after the last one", so errors do not add up.

    When the receiver has played everything it was sent, it is silent, and what is sent next plays at once: the
    schedule begins again there. So frames missed in a stall go out together, yet never more than the lead.
    """

    def __init__(self, frame_ms: int, lead_ms: int) -> None:
        """ValueError unless the lead holds at least one frame: with less, no frame could ever be in time."""
        if not 0 < frame_ms <= lead_ms:
            raise ValueError(f"lead of {lead_ms} ms is less than one frame of {frame_ms} ms")
        self._frame_s = frame_ms / 1000
        self._lead_s = lead_ms / 1000
        self._frames_sent = 0
        self._began_s = -math.inf

    def start(self, now_s: float) -> None:
        """Begin at position 0: for a new call, and after a clear emptied the receiver. Read played_s before it."""
        self._frames_sent = 0
        self._began_s = now_s

    @property
    def ends_s(self) -> float:
        """When everything sent will have been played."""
        return self._began_s + self._frames_sent * self._frame_s

    @property
    def next_due_s(self) -> float:
        """When the next frame may be sent; in the past when it may be sent now."""
        return self._began_s + (self._frames_sent + 1) * self._frame_s - self._lead_s

    def due(self, now_s: float) -> int:
        """How many frames may be sent now. Report those that were with sent()."""
        room_s = now_s - self._began_at(now_s) + self._lead_s + _EARLY_S
        return max(0, math.floor(room_s / self._frame_s) - self._frames_sent)

    def sent(self, frames: int, now_s: float) -> None:
        """Take note that `frames` frames left at `now_s`."""
        self._began_s = self._began_at(now_s)
        self._frames_sent += frames

    def played_s(self, now_s: float) -> float:
        """Position of the receiver: how much of what was sent since start() has been played."""
        return min(max(0.0, now_s - self._began_s), self._frames_sent * self._frame_s)

    def ahead_s(self, now_s: float) -> float:
        """How much the receiver still has to play. Negative: for how long it has had nothing."""
        return self.ends_s - now_s

    def _began_at(self, now_s: float) -> float:
        """The beginning as it must be moved if a frame were sent now: later, by as long as the receiver was silent."""
        return max(self._began_s, now_s - self._frames_sent * self._frame_s)
