"""What Kokoro puts around speech is cut, and words are timed against what is left.

The model begins with about 0.35 s of silence and ends with 0.2 to 0.7 s, in which short texts get noise (F-100).
Its durations say where each phoneme lies; the sound is up to 0.1 s ahead of them. So the ends of the speech are found
by level near where the durations put them, and every time is moved by the lead seen at the start.
"""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tts_worker.symbols import CLAUSE_MARKS, CLOSING_MARKS, SENTENCE_MARKS

FRAME_SAMPLES = 600
RATE_HZ = 24_000
FRAME_S = FRAME_SAMPLES / RATE_HZ

Samples = npt.NDArray[np.float32]
Frames = npt.NDArray[np.int64]

# A frame is sound when it is this close to the loudest one; the model's own background lies 20 dB lower.
_SOUND_BELOW_PEAK = 10 ** (-45 / 20)
# Nothing louder than this anywhere means that nothing was said: -60 dB of full scale.
_SILENCE = 10 ** (-60 / 20)
# How far sound may be ahead of the durations.
_MAX_LEAD_FRAMES = 6
# Kept before the first and after the last sound: soft onsets and decay are below the threshold.
_MARGIN_FRAMES = 2
# Inside the first loud frame, sound has begun where a fifth of it comes within 20 dB of the loudest fifth.
_STEPS = 5
_RISEN = 10 ** (-20 / 20)
# A stop consonant closes for up to 0.1 s within a word; sound after a longer silence is not speech.
_MAX_GAP_FRAMES = 6
# No last phoneme takes longer than a second; what goes on is noise.
_MAX_LAST_PHONEME_FRAMES = 40
# Silence left after the speech, as long as the model's own pauses inside a text.
_SENTENCE_PAUSE_FRAMES, _CLAUSE_PAUSE_FRAMES, _WORD_PAUSE_FRAMES = 10, 4, 0


@dataclass(frozen=True, slots=True)
class Trimmed:
    """Speech without its surroundings; `starts_s` and `ends_s` time each phoneme in it."""

    samples: Samples = field(repr=False)
    starts_s: npt.NDArray[np.float64] = field(repr=False)
    ends_s: npt.NDArray[np.float64] = field(repr=False)


def trim(samples: Samples, durations: Frames, phonemes: str, speed: float) -> Trimmed:
    """Cut the surroundings of `phonemes` spoken in `samples`.

    `durations` are the model's, in frames: one for each phoneme and one for the silence on either side. Speech that
    cannot be found by level is returned as the durations give it.
    """
    bounds = np.concatenate(([0], np.cumsum(durations)))  # bounds[i] is where phoneme i - 1 starts
    spoken = [index for index, symbol in enumerate(phonemes) if symbol.isalpha()]
    first, last = (spoken[0], spoken[-1]) if spoken else (0, len(phonemes) - 1)
    loud = _loud_frames(samples)
    onset = _first_sound(loud, int(bounds[first + 1]))
    end = _last_sound(loud, int(bounds[last + 1]), int(bounds[last + 2])) + 1
    risen = onset + _rise(samples, onset) if loud[onset : onset + 1].any() else onset
    lead = np.clip(bounds[first + 1] - risen, 0, _MAX_LEAD_FRAMES)
    begin = max(onset - _MARGIN_FRAMES, 0)
    kept = _faded(samples[begin * FRAME_SAMPLES : (end + _MARGIN_FRAMES) * FRAME_SAMPLES])
    pause = max(round(_pause_frames(phonemes) / speed) - _MARGIN_FRAMES, 0)
    times = (np.clip(bounds[1:-1] - lead, risen, end) - begin) * FRAME_S
    return Trimmed(np.concatenate((kept, np.zeros(pause * FRAME_SAMPLES, np.float32))), times[:-1], times[1:])


def _loud_frames(samples: Samples) -> npt.NDArray[np.bool_]:
    count = len(samples) // FRAME_SAMPLES
    level = np.sqrt(np.mean(samples[: count * FRAME_SAMPLES].reshape(count, FRAME_SAMPLES) ** 2, axis=1))
    floor = max(float(level.max(initial=0.0)) * _SOUND_BELOW_PEAK, _SILENCE)
    loud: npt.NDArray[np.bool_] = level > floor
    return loud


def _first_sound(loud: npt.NDArray[np.bool_], expected: int) -> int:
    """Return the first loud frame from a little before `expected`, or `expected`."""
    begin = max(expected - _MAX_LEAD_FRAMES, 0)
    found = np.flatnonzero(loud[begin:])
    return begin + int(found[0]) if len(found) else expected


def _rise(samples: Samples, frame: int) -> float:
    """Return after which part of a loud frame its sound begins; without it words would be half a frame early."""
    steps = samples[frame * FRAME_SAMPLES : (frame + 1) * FRAME_SAMPLES].reshape(_STEPS, -1)
    level = np.sqrt(np.mean(steps**2, axis=1))
    return int(np.argmax(level > level.max() * _RISEN)) / _STEPS


def _last_sound(loud: npt.NDArray[np.bool_], start: int, end: int) -> int:
    """Return the last loud frame of the phoneme that the durations put at start..end, its decay included."""
    begin = max(start - _MAX_LEAD_FRAMES, 0)
    last = -1
    for frame in range(begin, min(len(loud), begin + _MAX_LAST_PHONEME_FRAMES)):
        if loud[frame]:
            last = frame
        elif frame - max(last, start) > _MAX_GAP_FRAMES:
            break
    return last if last >= 0 else min(end, len(loud)) - 1


def _faded(samples: Samples) -> Samples:
    """Return a copy whose ends rise from and fall to zero, so that the cuts do not click."""
    faded = samples.copy()
    length = min(FRAME_SAMPLES, len(faded) // 2)
    ramp = np.linspace(0.0, 1.0, length, dtype=np.float32)
    faded[:length] *= ramp
    faded[len(faded) - length :] *= ramp[::-1]
    return faded


def _pause_frames(phonemes: str) -> int:
    mark = phonemes.rstrip(CLOSING_MARKS)[-1:]
    if mark and mark in SENTENCE_MARKS:
        return _SENTENCE_PAUSE_FRAMES
    return _CLAUSE_PAUSE_FRAMES if mark and mark in CLAUSE_MARKS else _WORD_PAUSE_FRAMES
