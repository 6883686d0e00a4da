"""The spectrum that models of the Whisper family look at: 80 mel bands, 100 columns a second.

What OpenAI's Whisper computes (its paper, section 2.2), with the waveform brought to zero mean and unit variance first,
as the feature extractor of its published models can: windows of 25 ms every 10 ms, mirrored at the edges; bands after
Slaney, of equal area; ten-logarithms of power, cut 8 below their maximum, and scaled to about -1..1.
"""

import numpy as np
import numpy.typing as npt

from gateway.stt.base import STT_RATE_HZ

Floats = npt.NDArray[np.float32]

BANDS = 80
HOP = 160
_WINDOW = 400
_LEAST_POWER = 1e-10
_LEAST_VARIANCE = 1e-7
_RANGE = 8.0
# Slaney's scale: straight up to 1 kHz, and from there 27 mels for each factor of 6.4.
_STRAIGHT_UPTO_HZ = 1000.0
_MELS_PER_HZ = 3 / 200
_MELS_PER_E = 27 / np.log(6.4)


def _to_mel(hz: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    bent = _MELS_PER_E * np.log(np.maximum(hz, _STRAIGHT_UPTO_HZ) / _STRAIGHT_UPTO_HZ)
    return np.asarray(_MELS_PER_HZ * np.minimum(hz, _STRAIGHT_UPTO_HZ) + bent)


def _to_hz(mel: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    bend = _MELS_PER_HZ * _STRAIGHT_UPTO_HZ
    bent = _STRAIGHT_UPTO_HZ * np.exp((mel - bend) / _MELS_PER_E)
    return np.asarray(np.where(mel < bend, mel / _MELS_PER_HZ, bent))


def _bands() -> Floats:
    """Triangles over the bins of a spectrum, shape (bins, BANDS)."""
    bins_hz = np.linspace(0, STT_RATE_HZ / 2, _WINDOW // 2 + 1)
    corners_hz = _to_hz(np.linspace(0, _to_mel(np.array([STT_RATE_HZ / 2]))[0], BANDS + 2))
    left, top, right = corners_hz[:-2], corners_hz[1:-1], corners_hz[2:]
    rising = (bins_hz[:, None] - left) / (top - left)
    falling = (right - bins_hz[:, None]) / (right - top)
    triangles = np.maximum(0, np.minimum(rising, falling)) * 2 / (right - left)
    return np.asarray(triangles, np.float32)


_BANDS = _bands()
_HANN = np.hanning(_WINDOW + 1)[:-1].astype(np.float32)


def log_mel(samples: Floats) -> Floats:
    """Return the spectrum of `samples`, shape (BANDS, whole hops in them)."""
    samples = (samples - samples.mean()) / np.sqrt(samples.var() + _LEAST_VARIANCE)
    mirrored = np.pad(samples, _WINDOW // 2, mode="reflect")
    windows = np.lib.stride_tricks.sliding_window_view(mirrored, _WINDOW)[::HOP][: len(samples) // HOP]
    power = np.abs(np.fft.rfft(windows * _HANN)) ** 2
    logs = np.log10(np.maximum(power.astype(np.float32) @ _BANDS, _LEAST_POWER)).T
    return np.asarray((np.maximum(logs, logs.max() - _RANGE) + 4) / 4, np.float32)
