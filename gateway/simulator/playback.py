"""The platform's play queue as a model: what the caller hears, to the sample.

What arrives is queued, up to a bound where the platform has one, and played in real time; an empty queue is silence.
Times are seconds since the stream began. The model plays at once, so every hole is in the recording; `gaps` holds
those a receiver with a small jitter buffer would have heard too.
"""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field

from media.level import rms_dbfs

# What a phone's jitter buffer forgives.
RECEIVER_BUFFER_S = 0.06
# Where no marks end an utterance, a longer hole is the pause between two, and so is one that follows so much silence:
# the one that ends a sentence is longer (0.2 s), the closure of a stop consonant within a word shorter (0.1 s).
LONGEST_HOLE_S = 0.4
SENTENCE_END_S = 0.12
# Speech on a phone line lies 20 to 30 dB above this; a synthesiser's noise between words well below.
AUDIBLE_DBFS = -50.0
_WINDOW_S = 0.01
_SAMPLE_BYTES = 2


@dataclass(frozen=True, slots=True)
class Gap:
    """A hole inside an utterance that the receiver's buffer could not hide."""

    at_s: float
    length_s: float


@dataclass(slots=True)
class _Piece:
    """Consecutive audio on the time line."""

    start: int
    pcm: bytearray = field(repr=False)

    @property
    def end(self) -> int:
        return self.start + len(self.pcm) // _SAMPLE_BYTES


class Playback:
    """One call's queue. An utterance ends with a mark, a clear or the caller's next turn; a hole in it is a gap.

    Without `marks` it ends with a long hole, too, or with a hole after silence.
    """

    def __init__(
        self,
        rate_hz: int,
        receiver_buffer_s: float = RECEIVER_BUFFER_S,
        queue_s: float = float("inf"),
        marks: bool = True,
    ) -> None:
        self.rate_hz = rate_hz
        self._marks_end = marks
        self._queue_s = queue_s
        self.gaps: list[Gap] = []
        self._receiver_buffer = round(receiver_buffer_s * rate_hz)
        self._pieces: list[_Piece] = []
        self._marks: list[tuple[int, str]] = []
        self._in_utterance = False
        self._receiver_dry_at = 0
        self._frames: list[int] = []
        # Audible windows as [start, end) in samples, neighbours joined.
        self._audible: list[tuple[int, int]] = []

    def put(self, at_s: float, pcm: bytes) -> bool:
        """Queue audio that arrived at `at_s`; False when the queue has no room for it."""
        if self.queued_s(at_s) + len(pcm) / _SAMPLE_BYTES / self.rate_hz > self._queue_s:
            return False
        at = self._sample(at_s)
        if not self._marks_end and self._pauses_at(at):
            self._in_utterance = False
        if self._in_utterance or any(pcm):  # silence that keeps the line alive begins no utterance
            self._count_gap(at, len(pcm) // _SAMPLE_BYTES)
        start = max(at, self._free_at)
        if self._pieces and start == self._free_at:
            self._pieces[-1].pcm += pcm
        else:
            self._pieces.append(_Piece(start, bytearray(pcm)))
        if any(pcm):
            self._frames.append(start)
            self._note_audible(start, pcm)
        return True

    def queued_s(self, at_s: float) -> float:
        """How much audio waits at `at_s`."""
        return max(0.0, self._free_at / self.rate_hz - at_s)

    def mark(self, at_s: float, name: str) -> None:
        """Queue a mark; it is due when everything before it has been played."""
        self._marks.append((max(self._sample(at_s), self._free_at), name))
        self._in_utterance = False

    def due(self, at_s: float) -> list[str]:
        """Return the marks reached by now, in order; each is returned once."""
        at = self._sample(at_s)
        reached = [name for position, name in self._marks if position <= at]
        self._marks = [(position, name) for position, name in self._marks if position > at]
        return reached

    def clear(self, at_s: float) -> list[str]:
        """Drop what has not been played and return the marks that were waiting."""
        at = self._sample(at_s)
        self._pieces = [piece for piece in self._pieces if piece.start < at]
        if self._pieces and self._pieces[-1].end > at:
            del self._pieces[-1].pcm[(at - self._pieces[-1].start) * _SAMPLE_BYTES :]
        self._frames = [start for start in self._frames if start < at]
        self._audible = [(start, min(end, at)) for start, end in self._audible if start < at]
        self._receiver_dry_at = min(self._receiver_dry_at, at)
        self._in_utterance = False
        names = [name for _, name in self._marks]
        self._marks = []
        return names

    def end_utterance(self) -> None:
        """The caller speaks: silence before the bot's next audio is no gap."""
        self._in_utterance = False

    def audible(self, from_s: float, until_s: float = float("inf")) -> tuple[float, float] | None:
        """Return when the bot was first and last audible in the window; None when it was not."""
        first, last = from_s * self.rate_hz, until_s * self.rate_hz
        begin = bisect_right(self._audible, first, key=lambda span: span[1])
        end = bisect_left(self._audible, last, key=lambda span: span[0])
        if begin >= end:
            return None
        start, stop = max(self._audible[begin][0], first), min(self._audible[end - 1][1], last)
        return start / self.rate_hz, stop / self.rate_hz

    def first_frame_s(self, from_s: float, until_s: float = float("inf")) -> float | None:
        """Return when the first frame in the window that is not digital silence began to play; None without any."""
        index = bisect_left(self._frames, from_s * self.rate_hz)
        if index == len(self._frames) or self._frames[index] >= until_s * self.rate_hz:
            return None
        return self._frames[index] / self.rate_hz

    def between(self, from_s: float, until_s: float) -> bytes:
        """Return the time line from one moment to another, both past, as PCM."""
        first, last = self._sample(from_s), self._sample(until_s)
        line = bytearray((last - first) * _SAMPLE_BYTES)
        for piece in reversed(self._pieces):
            if piece.end <= first:
                break
            begin, end = max(first, piece.start), min(last, piece.end)
            if begin < end:
                part = piece.pcm[(begin - piece.start) * _SAMPLE_BYTES : (end - piece.start) * _SAMPLE_BYTES]
                line[(begin - first) * _SAMPLE_BYTES : (end - first) * _SAMPLE_BYTES] = part
        return bytes(line)

    def heard(self, until_s: float) -> bytes:
        """Return the time line as PCM, exactly `until_s` long."""
        line = bytearray(self._sample(until_s) * _SAMPLE_BYTES)
        for piece in self._pieces:
            begin = piece.start * _SAMPLE_BYTES
            room = max(0, len(line) - begin)
            line[begin : begin + min(room, len(piece.pcm))] = piece.pcm[:room]
        return bytes(line)

    @property
    def _free_at(self) -> int:
        return self._pieces[-1].end if self._pieces else 0

    def _pauses_at(self, at: int) -> bool:
        """Whether a hole that ends here is the pause between two utterances rather than a gap in one."""
        is_hole = at > self._free_at
        is_long = at - self._receiver_dry_at > LONGEST_HOLE_S * self.rate_hz
        silence = self._free_at - (self._audible[-1][1] if self._audible else 0)
        return is_hole and (is_long or silence >= SENTENCE_END_S * self.rate_hz)

    def _sample(self, at_s: float) -> int:
        return round(at_s * self.rate_hz)

    def _count_gap(self, at: int, samples: int) -> None:
        dry_at = self._receiver_dry_at
        if not self._in_utterance:
            dry_at = max(dry_at, at + self._receiver_buffer)
        elif at > dry_at:
            self.gaps.append(Gap(dry_at / self.rate_hz, (at - dry_at) / self.rate_hz))
            dry_at = at
        self._in_utterance = True
        self._receiver_dry_at = dry_at + samples

    def _note_audible(self, start: int, pcm: bytes) -> None:
        window = round(_WINDOW_S * self.rate_hz)
        for offset in range(0, len(pcm) // _SAMPLE_BYTES, window):
            part = pcm[offset * _SAMPLE_BYTES : (offset + window) * _SAMPLE_BYTES]
            if rms_dbfs(part) < AUDIBLE_DBFS:
                continue
            begin, end = start + offset, start + offset + len(part) // _SAMPLE_BYTES
            if self._audible and self._audible[-1][1] == begin:
                begin = self._audible.pop()[0]
            self._audible.append((begin, end))
