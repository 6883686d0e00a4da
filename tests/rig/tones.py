"""Speech that a small recogniser understands: each word of a vocabulary is a tone, and silence lies between them."""

from collections.abc import Iterator
from typing import Any

import numpy as np

RATE_HZ = 16_000
VOCABULARY = {300: "what", 400: "time", 500: "do", 600: "you", 700: "open", 800: "yes", 900: "?"}
FRAMES_PER_S = 50
_FRAME = RATE_HZ // FRAMES_PER_S
_LOUD = 2000.0


def tone(word: str, ms: int = 160) -> bytes:
    """A word as it is understood."""
    frequency = next(hz for hz, known in VOCABULARY.items() if known == word)
    t = np.arange(RATE_HZ * ms // 1000) / RATE_HZ
    return (12_000 * np.sin(2 * np.pi * frequency * t)).astype("<i2").tobytes()


def silence(ms: int) -> bytes:
    return bytes(2 * RATE_HZ * ms // 1000)


def spoken(sentence: str, gap_ms: int = 60) -> bytes:
    """Words with short gaps between them."""
    return b"".join(tone(word) + silence(gap_ms) for word in sentence.replace("?", " ?").split())


def stretches(pcm: bytes) -> Iterator[tuple[str, int, int]]:
    """One word or silence ("") after another, from and to in frames; what is shorter than a word is passed over."""
    samples = np.frombuffer(pcm[: len(pcm) // (2 * _FRAME) * 2 * _FRAME], "<i2").astype(np.float64)
    heard = [_word(frame) for frame in samples.reshape(-1, _FRAME)]
    begin = 0
    for at in range(1, len(heard) + 1):
        if at == len(heard) or heard[at] != heard[begin]:
            if not heard[begin] or at - begin >= 3:
                yield heard[begin], begin, at
            begin = at


def _word(frame: Any) -> str:
    if np.sqrt(np.mean(frame**2)) < _LOUD:
        return ""
    hz = np.count_nonzero(np.diff(np.signbit(frame))) * 25
    return VOCABULARY[min(VOCABULARY, key=lambda known: abs(known - hz))]
