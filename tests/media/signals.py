"""Test signals and how to judge them: speech and tones are compared by level and error, never byte by byte."""

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.float64]


def tone(frequency_hz: float, rate_hz: int, seconds: float, amplitude: float = 0.5) -> bytes:
    """A sine as s16le; amplitude 1.0 is full scale."""
    phase = 2 * math.pi * frequency_hz * np.arange(round(rate_hz * seconds)) / rate_hz
    return np.rint(amplitude * 32767 * np.sin(phase)).astype("<i2").tobytes()


def samples(pcm: bytes) -> Samples:
    return np.frombuffer(pcm, "<i2").astype(np.float64)


def level_db(pcm: bytes | Samples, amplitude: float = 0.5) -> float:
    """RMS relative to a sine of `amplitude`, in dB."""
    values = samples(pcm) if isinstance(pcm, bytes) else pcm
    rms = math.sqrt(float(np.mean(values**2)))
    return 20 * math.log10(max(rms, 1e-9) / (amplitude * 32767 / math.sqrt(2)))


def middle(pcm: bytes, rate_hz: int) -> Samples:
    """Without the first and last 50 ms, where a filter sees the tone begin and end."""
    edge = rate_hz // 20
    return samples(pcm)[edge:-edge]


def split_at(data: bytes, cuts: Iterable[int]) -> Sequence[bytes]:
    """The pieces of `data` between the cuts; cuts beyond the end give empty pieces."""
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    return [data[start:end] for start, end in zip(edges, edges[1:], strict=False)]


def pieces_of(data: bytes, size: int) -> Sequence[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]
