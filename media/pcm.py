"""Samples between the models' float32 and the wire's PCM s16le."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from media.formats import BYTES_PER_SAMPLE_PCM16

# Symmetrical, so that +1.0 and -1.0 come out equally loud and neither clips.
_FULL_SCALE = 32_767.0
_STEPS_PER_UNIT = 32_768.0


@dataclass(frozen=True, slots=True)
class Pcm16:
    """Converted audio and how many of its samples were out of range."""

    pcm: bytes = field(repr=False)
    clipped_samples: int


def float_to_pcm16(samples: NDArray[np.floating[Any]]) -> Pcm16:
    """Convert samples of nominally -1.0 .. 1.0, rounding to nearest.

    What lies beyond is clipped before the cast, which would wrap it to the other sign; NaN becomes silence. Both
    are counted as clipped.
    """
    out_of_range = ~(np.abs(samples) <= 1.0)  # negated, because NaN compares false
    clipped_samples = int(np.count_nonzero(out_of_range))
    if clipped_samples:
        samples = np.clip(np.nan_to_num(samples, nan=0.0, posinf=1.0, neginf=-1.0), -1.0, 1.0)
    return Pcm16(np.rint(samples * np.float32(_FULL_SCALE)).astype("<i2").tobytes(), clipped_samples)


def pcm16_to_float(pcm: bytes | memoryview) -> NDArray[np.float32]:
    """Return the samples as float32 in -1.0 .. 1.0, as recognisers want them; a lone last byte is ignored."""
    samples = np.frombuffer(pcm, "<i2", count=len(pcm) // BYTES_PER_SAMPLE_PCM16)
    return samples.astype(np.float32) / np.float32(_STEPS_PER_UNIT)
