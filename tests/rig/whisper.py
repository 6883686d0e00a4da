"""What a person would have heard: audio through the telephone, words through Whisper, and the share that is wrong."""

import re
import threading
from functools import cache
from typing import Any

import jiwer
import numpy as np
import soxr

from config.models import ModelStore
from media import g711
from media.pcm import float_to_pcm16, pcm16_to_float

_WHISPER_HZ = 16_000
_PHONE_HZ = 8_000
# faster-whisper is used from one thread at a time; tests that share the model take turns.
_lock = threading.Lock()


def through_telephone(pcm: bytes, rate_hz: int) -> bytes:
    """Return PCM s16le at 8 kHz as it comes out of a µ-law line that `pcm` went into."""
    narrow = soxr.resample(pcm16_to_float(pcm), rate_hz, _PHONE_HZ)
    return g711.ulaw_to_pcm(g711.pcm_to_ulaw(float_to_pcm16(narrow).pcm))


def transcribe(pcm: bytes, rate_hz: int, language: str = "en") -> str:
    """Return the words of PCM s16le audio as the store's `whisper-base` hears them."""
    samples = soxr.resample(pcm16_to_float(pcm), rate_hz, _WHISPER_HZ).astype(np.float32)
    with _lock:
        segments, _ = _model().transcribe(samples, language=language, beam_size=1, condition_on_previous_text=False)
        return " ".join(segment.text.strip() for segment in segments)


def word_error_rate(said: str, heard: str) -> float:
    """Return the word error rate of `heard`; case, punctuation and accents of style do not count."""
    return float(jiwer.wer(_plain(said), _plain(heard)))


@cache
def _model() -> Any:
    from faster_whisper import WhisperModel

    return WhisperModel(str(ModelStore().locate("whisper-base")), device="cpu", compute_type="int8", cpu_threads=2)


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[^\w\s']", " ", text.lower()).split())
