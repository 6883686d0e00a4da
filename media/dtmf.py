"""Keys as sound: pairs of tones (ITU-T Q.23), made for the far end and found in the caller's voice (ITU-T Q.24).

The detector is a bank of Goertzel filters, written as a matrix so that numpy does a whole piece at once. A key is
there while two tones, one of each group, are nearly all there is: speech has neither such pairs nor such silence
between them, so it does not talk the detector off.
"""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from media.formats import BYTES_PER_SAMPLE_PCM16
from media.resample import StreamResampler

LOW_HZ = (697, 770, 852, 941)
HIGH_HZ = (1209, 1336, 1477, 1633)
PAD = ("123A", "456B", "789C", "*0#D")
DIGITS = frozenset("".join(PAD))
# What the detector is fed: phone lines carry this much, and the highest tone is well below half of it.
DETECTOR_RATE_HZ = 8_000

# Full scale is +3.14 dBm0; networks send -8 dBm0 or so a tone, the upper one 2 dB louder for the line's loss.
_LOW_PEAK, _HIGH_PEAK = 8_000, 10_000
# A tone that is cut off clicks over the whole band.
_RAMP_S = 0.003

# Twice within the shortest key that must be found (40 ms) even when it begins between two looks; once within the
# longest that must not (23 ms).
_WINDOW, _HOP = 160, 40
_LOOKS = 4
# Looks without a key until it counts as released: 10 ms of dropout last six, the shortest pause (40 ms) eight.
_RELEASE = 8
# Keys are to be found within 1.5 % and a hertz or two of what they should be, and refused beyond 3.5 %; a half of a
# percent apart is as fine as a window of 20 ms sees.
_OFFSETS = np.arange(-0.04, 0.0401, 0.005)
_FARTHEST = 0.0251
# How much of the sound may be anything but the two tones: 9 dB below them. Lines have 15 dB at their worst.
_REST = 0.12
# Filters hear each other's tones and noise a little, so they judge in haste only.
_PURE = 0.7
# How much louder the upper tone may be, and the lower one: Q.24 asks for 4 and 8 dB.
_TWIST_UP_DB, _TWIST_DOWN_DB = 6.0, 10.0
# -25 dBm0 a tone are to be found.
_QUIETEST_PEAK = 10 ** (-32 / 20) * 32768

_Samples = NDArray[np.floating[Any]]
_TIME_S = np.arange(_WINDOW) / DETECTOR_RATE_HZ
_SHAPE = np.hanning(_WINDOW + 2)[1:-1]


def _filters(nominal_hz: tuple[int, ...]) -> NDArray[np.complex128]:
    """One row a frequency: nominal ones in order, each with all its offsets."""
    frequencies = np.outer(nominal_hz, 1 + _OFFSETS).ravel()
    return np.asarray(np.exp(-2j * np.pi * np.outer(frequencies, _TIME_S)) * _SHAPE)


_LOW_BANK, _HIGH_BANK = _filters(LOW_HZ), _filters(HIGH_HZ)


@dataclass(frozen=True, slots=True)
class ToneTiming:
    """How keys sound. 100 ms are understood by every menu, and ten digits still take two seconds."""

    on_ms: int = 100
    off_ms: int = 100


def tones(digits: str, rate_hz: int, timing: ToneTiming | None = None) -> bytes:
    """The keys as s16le, each followed by its pause; KeyError for what is no key."""
    timing = timing or ToneTiming()
    time_s = np.arange(rate_hz * timing.on_ms // 1000) / rate_hz
    edge = np.minimum(1.0, np.minimum(time_s, time_s[-1] - time_s) / _RAMP_S)
    pause = bytes(rate_hz * timing.off_ms // 1000 * BYTES_PER_SAMPLE_PCM16)
    made = []
    for digit in digits:
        low_hz, high_hz = _PAIRS[digit]
        both = _LOW_PEAK * np.sin(2 * np.pi * low_hz * time_s) + _HIGH_PEAK * np.sin(2 * np.pi * high_hz * time_s)
        made.append(np.rint(both * edge).astype("<i2").tobytes() + pause)
    return b"".join(made)


class DtmfDetector:
    """Finds keys in one call's audio, mono s16le at DETECTOR_RATE_HZ, in pieces of any size."""

    def __init__(self) -> None:
        self._rest: _Samples = np.zeros(0)
        self._odd = b""
        self._candidate = ""
        self._looks = 0  # in a row at the candidate
        self._missed = 0
        self._down = ""  # the key that is held

    @property
    def sounding(self) -> bool:
        """Whether a key sounds, or what may turn out to be one."""
        return bool(self._down or self._candidate)

    def feed(self, pcm: bytes) -> str:
        """Return the keys that were pressed in this piece, in order, most often none; each is told once, 40 ms in."""
        pcm = self._odd + pcm
        whole = len(pcm) - len(pcm) % BYTES_PER_SAMPLE_PCM16
        self._odd = pcm[whole:]
        samples = np.concatenate([self._rest, np.frombuffer(pcm[:whole], "<i2").astype(np.float64)])
        looks = (len(samples) - _WINDOW) // _HOP + 1 if len(samples) >= _WINDOW else 0
        self._rest = samples[looks * _HOP :]
        if not looks:
            return ""
        windows = np.lib.stride_tricks.sliding_window_view(samples, _WINDOW)[: looks * _HOP : _HOP]
        return "".join(filter(None, map(self._see, _keys(windows))))

    def _see(self, key: str) -> str:
        """Take one look, at a key or at none, and return the key that it makes certain."""
        self._looks = self._looks + 1 if key and key == self._candidate else int(bool(key))
        self._candidate = key
        if key and key == self._down:
            self._missed = 0
            return ""
        self._missed += 1
        if self._missed >= _RELEASE:
            self._down = ""
        if self._looks < _LOOKS:
            return ""
        self._down, self._missed = key, 0
        return key


def keys_in(pcm: bytes, rate_hz: int) -> str:
    """The keys in a whole recording, mono s16le at `rate_hz`."""
    resampler = StreamResampler(rate_hz, DETECTOR_RATE_HZ)
    return DtmfDetector().feed(resampler.feed(pcm) + resampler.flush())


def _keys(windows: _Samples) -> list[str]:
    """The key of each window, blank where there is none."""
    loud = np.flatnonzero((windows**2).mean(axis=1) >= _QUIETEST_PEAK**2)
    keys = [""] * len(windows)
    if len(loud):
        found = windows[loud]
        low, low_power = _strongest(found @ _LOW_BANK.T)
        high, high_power = _strongest(found @ _HIGH_BANK.T)
        pure = low_power + high_power >= _PURE * (found**2).mean(axis=1)
        for at in np.flatnonzero(pure):
            keys[loud[at]] = _key(found[at], *divmod(low[at], len(_OFFSETS)), *divmod(high[at], len(_OFFSETS)))
    return keys


def _strongest(answers: NDArray[np.complex128]) -> tuple[NDArray[np.intp], _Samples]:
    """Of each window the filter that answers most, and the power of the tone that it hears."""
    powers = np.abs(answers) ** 2 * (2 / _SHAPE.sum() ** 2)
    best = powers.argmax(axis=1)
    return best, np.take_along_axis(powers, best[:, None], axis=1)[:, 0]


def _key(window: _Samples, low: int, low_at: int, high: int, high_at: int) -> str:
    if abs(_OFFSETS[low_at]) > _FARTHEST or abs(_OFFSETS[high_at]) > _FARTHEST:
        return ""
    low_hz, high_hz = LOW_HZ[low] * (1 + _OFFSETS[low_at]), HIGH_HZ[high] * (1 + _OFFSETS[high_at])
    angles = 2 * np.pi * np.outer((low_hz, high_hz), _TIME_S)
    waves = np.concatenate([np.cos(angles), np.sin(angles)]).T
    fitted, *_ = np.linalg.lstsq(waves, window, rcond=None)
    rest = window - waves @ fitted
    low_peak, high_peak = np.hypot(fitted[0], fitted[2]), np.hypot(fitted[1], fitted[3])
    if min(low_peak, high_peak) < _QUIETEST_PEAK or rest @ rest > _REST * (window @ window):
        return ""
    twist_db = 20 * np.log10(high_peak / low_peak)
    return PAD[low][high] if -_TWIST_DOWN_DB <= twist_db <= _TWIST_UP_DB else ""


_PAIRS = {PAD[row][column]: (LOW_HZ[row], HIGH_HZ[column]) for row, column in product(range(4), range(4))}
