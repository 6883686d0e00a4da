"""How true word times are: against the sound itself beside pauses, and against Whisper's attention."""

import difflib
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from media.pcm import pcm16_to_float
from tests.rig.speech import Speech
from tests.rig.whisper import PHONE_HZ, plain, transcribe_words

# Sound is what lies within 35 dB of the loudest; a pause is 80 ms without any. Steps of 5 ms.
_STEP_S = 0.005
_SOUND_BELOW_PEAK = 10 ** (-35 / 20)
_PAUSE_STEPS = 16
# A word and an edge of sound farther apart than this have nothing to do with each other.
_NEAR_S = 0.2


class Timed(NamedTuple):
    """A word and when it is spoken."""

    text: str
    start_s: float
    end_s: float


class Pause(NamedTuple):
    """Silence between two sounds."""

    start_s: float
    end_s: float


def spoken_words(speech: Speech) -> list[Timed]:
    """The words as the engine times them."""
    return [Timed(plain(word.text), word.start_s, word.end_s) for word in speech.words]


def heard_words(speech: Speech) -> list[Timed]:
    """The words as Whisper hears and times them over the phone."""
    words = transcribe_words(speech.over_the_phone(), PHONE_HZ, speech.language)
    return [Timed(plain(word.text), word.start_s, word.end_s) for word in words]


def pauses(speech: Speech) -> list[Pause]:
    """The silences inside the speech: what is true about words beside them, but for the closure of p, t and k."""
    samples = pcm16_to_float(speech.pcm)
    step = round(_STEP_S * speech.rate_hz)
    level = np.sqrt(np.mean(samples[: len(samples) // step * step].reshape(-1, step) ** 2, axis=1))
    loud = np.flatnonzero(level > level.max() * _SOUND_BELOW_PEAK)
    gaps = np.flatnonzero(np.diff(loud) > _PAUSE_STEPS)
    return [
        Pause(float(last + 1) * _STEP_S, float(first) * _STEP_S)
        for last, first in zip(loud[gaps], loud[gaps + 1], strict=True)
    ]


def start_errors_s(words: Sequence[Timed], silences: Sequence[Pause]) -> list[float]:
    """How much later than the sound each word's start is, for words that begin after a pause."""
    return _errors_s([word.start_s for word in words[1:]], [silence.end_s for silence in silences])


def end_errors_s(words: Sequence[Timed], silences: Sequence[Pause]) -> list[float]:
    """How much later than the sound each word's end is, for words that end before a pause."""
    return _errors_s([word.end_s for word in words[:-1]], [silence.start_s for silence in silences])


def differences_s(words: Sequence[Timed], others: Sequence[Timed], moment: Callable[[Timed], float]) -> list[float]:
    """How much later than in `others` a moment of each word is, for the words that both have in the same order."""
    ours, theirs = [word.text for word in words], [word.text for word in others]
    blocks = difflib.SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
    return [moment(words[a + i]) - moment(others[b + i]) for a, b, size in blocks for i in range(size)]


def _errors_s(moments_s: Sequence[float], edges_s: Sequence[float]) -> list[float]:
    """Each edge is compared with the word nearest to it."""
    if not moments_s:
        return []
    nearest = [min(moments_s, key=lambda moment_s: abs(moment_s - edge_s)) - edge_s for edge_s in edges_s]
    return [error_s for error_s in nearest if abs(error_s) < _NEAR_S]
