"""What a caller has said since the last commit: the audio, and the pieces it is transcribed in. No tasks, no clock.

Positions are samples since the first byte fed. Whisper reads at most 30 s at once and gets slower with length, so a
long utterance is closed piece by piece, at a pause if there is one; closed pieces are never read again.
"""

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from gateway.errors import SttError
from gateway.stt.base import STT_RATE_HZ
from gateway.stt.whisper_jobs import Job
from gateway.stt.whisper_wire import Transcript
from media.formats import BYTES_PER_SAMPLE_PCM16

# Caller audio kept: the longest piece, and what comes in while the engine is still loading. 1 MB a call.
KEEP_S = 32
# The VAD notices a soft consonant late; this much before its start belongs to the word.
PREROLL_S = 0.3
# Up to 8 s fit Whisper's shortest window, so speech that goes on 6 s after a piece began starts a new one.
CLOSE_AT_PAUSE_AFTER_S = 6
# Whoever speaks on without a pause is cut at the quietest moment of the last seconds of this much.
LONGEST_PIECE_S = 24
_CUT_WITHIN_S = 5
_QUIET_STEP_S = 0.1
# Ten minutes of speech without a commit; beyond it the earliest words are forgotten.
_MAX_PIECES = 64


def to_samples(seconds: float) -> int:
    return round(seconds * STT_RATE_HZ)


def to_s(samples: int) -> float:
    return samples / STT_RATE_HZ


class CallerAudio:
    """The last KEEP_S of what was fed."""

    def __init__(self) -> None:
        self._kept = bytearray()
        self._begin_bytes = 0

    @property
    def end(self) -> int:
        """Whole samples fed so far."""
        return (self._begin_bytes + len(self._kept)) // BYTES_PER_SAMPLE_PCM16

    def append(self, pcm: bytes) -> None:
        self._kept += pcm
        surplus = len(self._kept) - KEEP_S * STT_RATE_HZ * BYTES_PER_SAMPLE_PCM16
        # Forgetting moves the rest in memory, so it is done a second at a time.
        if surplus >= STT_RATE_HZ * BYTES_PER_SAMPLE_PCM16:
            del self._kept[: surplus - surplus % BYTES_PER_SAMPLE_PCM16]
            self._begin_bytes += surplus - surplus % BYTES_PER_SAMPLE_PCM16

    def cut(self, begin: int, end: int) -> bytes:
        """Return the samples from `begin` to before `end`, without what is forgotten or not there yet."""
        first = max(0, begin * BYTES_PER_SAMPLE_PCM16 - self._begin_bytes)
        last = max(first, min(end, self.end) * BYTES_PER_SAMPLE_PCM16 - self._begin_bytes)
        return bytes(self._kept[first:last])

    def quietest(self, end: int) -> int:
        """Return the middle of the quietest moment in the seconds before `end`."""
        begin = end - to_samples(_CUT_WITHIN_S)
        step = to_samples(_QUIET_STEP_S)
        samples = np.frombuffer(self.cut(begin, end), np.int16).astype(np.float32)
        steps = samples[: len(samples) - len(samples) % step].reshape(-1, step)
        return begin + int(np.argmin((steps**2).sum(axis=1))) * step + step // 2


@dataclass(slots=True, eq=False)
class Piece:
    """A part of an utterance. It has its words, or a job under way, or the error that became of the job."""

    begin: int
    end: int
    job: Job | None = None
    outcome: Transcript | SttError | None = None

    @property
    def transcript(self) -> Transcript | None:
        return self.outcome if isinstance(self.outcome, Transcript) else None


@dataclass(slots=True, eq=False)
class Utterance:
    """Closed pieces, then at most one of: the piece that ends at the present pause, or open speech since `begin`."""

    closed: deque[Piece] = field(default_factory=lambda: deque(maxlen=_MAX_PIECES))
    pause: Piece | None = None
    begin: int | None = None
    speech_end_s: float = 0.0

    @property
    def pieces(self) -> list[Piece]:
        return [*self.closed, self.pause] if self.pause is not None else list(self.closed)

    @property
    def complete(self) -> bool:
        """Whether every piece has its words or its error."""
        return all(piece.outcome is not None for piece in self.pieces)

    @property
    def error(self) -> SttError | None:
        return next((piece.outcome for piece in self.pieces if isinstance(piece.outcome, SttError)), None)

    @property
    def text(self) -> str:
        """The words of the pieces that have them."""
        texts = (piece.transcript.text for piece in self.pieces if piece.transcript is not None)
        return " ".join(text for text in texts if text)

    @property
    def spoken(self) -> Transcript:
        """The last piece with words, else the last of any, which tells the language."""
        found = [piece.transcript for piece in self.pieces if piece.transcript is not None]
        worded = [transcript for transcript in found if transcript.text]
        return (worded or found or [Transcript("")])[-1]

    def resume(self, at: int, floor: int) -> Piece | None:
        """Speech begins, or goes on after a pause, at `at`; what is before `floor` belongs to something else.

        Return the piece up to the pause when that is now closed; when it began shortly before, it is open again.
        """
        pause, self.pause = self.pause, None
        self.begin = max(floor, at - to_samples(PREROLL_S))
        if pause is None:
            return None
        if at - pause.begin < to_samples(CLOSE_AT_PAUSE_AFTER_S):
            self.begin = pause.begin
            return None
        self.begin = max(pause.end, self.begin)
        self.closed.append(pause)
        return pause

    def close_open(self, end: int) -> Piece:
        """Turn the open speech up to `end` into a closed piece; speech goes on behind it."""
        assert self.begin is not None
        piece = Piece(self.begin, end)
        self.closed.append(piece)
        self.begin = end
        return piece
