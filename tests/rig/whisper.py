"""What a person would have heard: audio through the telephone, words through Whisper, and the share that is wrong."""

import threading
import unicodedata
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import jiwer
import numpy as np
import soxr

from config.models import ModelStore
from media import g711
from media.pcm import float_to_pcm16, pcm16_to_float

_WHISPER_HZ = 16_000
PHONE_HZ = 8_000
# faster-whisper is used from one thread at a time; tests that share the model take turns.
_lock = threading.Lock()


def through_telephone(pcm: bytes, rate_hz: int) -> bytes:
    """Return PCM s16le at 8 kHz as it comes out of a µ-law line that `pcm` went into."""
    narrow = soxr.resample(pcm16_to_float(pcm), rate_hz, PHONE_HZ)
    return g711.ulaw_to_pcm(g711.pcm_to_ulaw(float_to_pcm16(narrow).pcm))


@dataclass(frozen=True, slots=True)
class HeardWord:
    """A word as Whisper's attention places it."""

    text: str = field(repr=False)
    start_s: float
    end_s: float


def transcribe(pcm: bytes, rate_hz: int, language: str = "en", beam_size: int = 1, prompt: str = "") -> str:
    """Return the words of PCM s16le audio as the store's `whisper-base` hears them, in the script of `prompt`."""
    segments = _segments(pcm, rate_hz, language, beam_size=beam_size, initial_prompt=prompt or None)
    return " ".join(segment.text.strip() for segment in segments)


def transcribe_words(pcm: bytes, rate_hz: int, language: str = "en") -> list[HeardWord]:
    """Return the words with the times Whisper gives them."""
    segments = _segments(pcm, rate_hz, language, beam_size=1, word_timestamps=True)
    return [HeardWord(word.word, word.start, word.end) for segment in segments for word in segment.words or ()]


def word_error_rate(said: str, heard: str) -> float:
    """Return the word error rate of `heard`; case, punctuation and accents of style do not count."""
    return float(jiwer.wer(plain(said), plain(heard)))


def plain(text: str) -> str:
    """Return the words alone, in lower case, one space between them."""
    kept = (char if char == "'" or unicodedata.category(char)[0] in "LMN" else " " for char in text.lower())
    return " ".join("".join(kept).split())


@cache
def _model() -> Any:
    from faster_whisper import WhisperModel

    return WhisperModel(str(ModelStore().locate("whisper-base")), device="cpu", compute_type="int8", cpu_threads=2)


def _segments(pcm: bytes, rate_hz: int, language: str, **search: Any) -> list[Any]:
    samples = soxr.resample(pcm16_to_float(pcm), rate_hz, _WHISPER_HZ).astype(np.float32)
    with _lock:
        segments, _ = _model().transcribe(samples, language=language, condition_on_previous_text=False, **search)
        return list(segments)
