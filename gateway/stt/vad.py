"""When the caller speaks: an incremental, synchronous core over any score of one short frame of audio.

The score is a speech probability (silero.py) or a level in dBFS (energy.py); the thresholds are in its unit. Two
thresholds make it hysteretic: speech begins at the higher one and goes on until the score stays below the lower one.
"""

from collections import deque
from collections.abc import Callable, Sequence
from itertools import takewhile
from statistics import median

from gateway.stt.base import STT_RATE_HZ, SpeechPaused, SpeechStarted
from media.formats import BYTES_PER_SAMPLE_PCM16
from media.level import rms_dbfs

Score = Callable[[bytes], float]
# So much quiet in speech may be its end; between two syllables there is seldom more.
_FADING_MS = 40
# An s or f in front of a vowel lasts up to so long; on the telephone it scores like noise, and only its loudness tells.
_LEAD_MS = 200
_STANDS_OUT_DB = 10.0
# What it stands out of: the usual level of so much silence, or where that is fainter, the softest sound of any use.
_BACKGROUND_MS = 1000
_FAINTEST_DBFS = -60.0
Transition = SpeechStarted | SpeechPaused


class VoiceActivity:
    """One call's ear for speech. `score` is given frames of exactly `frame_samples`, in order, and may keep state.

    `min_speech_ms` of unbroken voice make speech: below 60 a click does, above 100 a short "yes" is noticed late.
    `pause_ms` of quiet make a pause: short, because the words are recognised in advance during it; whether the turn
    is over is decided elsewhere. Both are rounded up to whole frames.
    """

    def __init__(
        self,
        score: Score,
        *,
        start_threshold: float = 0.5,
        end_threshold: float = 0.35,
        min_speech_ms: int = 90,
        pause_ms: int = 120,
        frame_samples: int = 512,
    ) -> None:
        self._score = score
        self._start_threshold = start_threshold
        self._end_threshold = min(end_threshold, start_threshold)
        self._frame_bytes = frame_samples * BYTES_PER_SAMPLE_PCM16
        self._frame_s = frame_samples / STT_RATE_HZ
        self._min_speech_frames = _whole_frames(min_speech_ms, frame_samples)
        self._pause_frames = _whole_frames(pause_ms, frame_samples)
        self._fading_frames = _whole_frames(_FADING_MS, frame_samples)
        self._lead_frames = _LEAD_MS * STT_RATE_HZ // (frame_samples * 1000)
        self._levels: deque[float] = deque(maxlen=_whole_frames(_BACKGROUND_MS, frame_samples))  # of the silence
        self._rest = bytearray()
        self._frames = 0
        # Frames in a row that speak against the present state.
        self._run_frames = 0
        self._speaking = False

    @property
    def speaking(self) -> bool:
        """Whether the last transition was SpeechStarted."""
        return self._speaking

    @property
    def fading(self) -> bool:
        """Whether speech has become quiet, and not yet for so long that it is a pause."""
        return self._speaking and self._run_frames >= self._fading_frames

    def feed(self, pcm: bytes) -> list[Transition]:
        """Take any amount of 16 kHz s16le and return the transitions it brought, often none.

        `at_s` is where speech began or ended, not where that was noticed, in seconds of audio fed.
        """
        self._rest += pcm
        found: list[Transition] = []
        used_bytes = 0
        while used_bytes + self._frame_bytes <= len(self._rest):
            frame = bytes(self._rest[used_bytes : used_bytes + self._frame_bytes])
            used_bytes += self._frame_bytes
            if not self._speaking:
                self._levels.append(rms_dbfs(frame))
            transition = self._step(self._score(frame))
            if transition is not None:
                found.append(transition)
        del self._rest[:used_bytes]
        return found

    def _step(self, score: float) -> Transition | None:
        self._frames += 1
        if self._speaking:
            against = score < self._end_threshold
        else:
            against = score >= (self._end_threshold if self._run_frames else self._start_threshold)
        self._run_frames = self._run_frames + 1 if against else 0
        if self._run_frames < (self._pause_frames if self._speaking else self._min_speech_frames):
            return None
        run_frames, self._run_frames = self._run_frames, 0
        at_s = (self._frames - run_frames) * self._frame_s
        self._speaking = not self._speaking
        return SpeechStarted(at_s, self._lead_s(run_frames)) if self._speaking else SpeechPaused(at_s)

    def _lead_s(self, voiced_frames: int) -> float:
        """How long it was loud, without a gap, before the voice; the next silence is measured anew."""
        levels = list(self._levels)[:-voiced_frames]
        self._levels.clear()
        return min(self._lead_frames, _standing_out(levels)) * self._frame_s


def _standing_out(levels: Sequence[float]) -> int:
    """How many of the last levels stand out of all."""
    usual_dbfs = max(_FAINTEST_DBFS, median(levels or [_FAINTEST_DBFS]))
    return sum(1 for _ in takewhile(lambda level: level > usual_dbfs + _STANDS_OUT_DB, reversed(levels)))


def _whole_frames(duration_ms: int, frame_samples: int) -> int:
    return max(1, -(-duration_ms * STT_RATE_HZ // (frame_samples * 1000)))
