"""Conversion between rates in a simple ratio, such as 8 to 16 or 24 to 8 kHz, with a delay of 3 ms.

A windowed sinc at the common multiple of both rates, of which only the products are computed that an output sample
needs. Coefficients and samples are whole numbers and their sums exact in double precision, so the result does not
depend on how the signal is cut.
"""

from functools import lru_cache
from math import gcd

import numpy as np
import numpy.typing as npt

# Beyond this many phases soxr's own filter is the better one.
MAX_PHASES = 8
# Around the lower rate's Nyquist frequency: passes 90 % of the band, stops from 110 % on. Narrower costs delay.
_TRANSITION = 0.1
_ATTENUATION_DB = 80.0
_SCALE = 1 << 20

Samples = npt.NDArray[np.int16]
_Floats = npt.NDArray[np.float64]


def has_simple_ratio(from_hz: int, to_hz: int) -> bool:
    """Whether Polyphase takes these rates."""
    common = gcd(from_hz, to_hz)
    return max(from_hz, to_hz) // common <= MAX_PHASES


class Polyphase:
    """One signal. Output is aligned with the input, and as long once flushed."""

    def __init__(self, from_hz: int, to_hz: int) -> None:
        common = gcd(from_hz, to_hz)
        self._up, self._down = to_hz // common, from_hz // common
        self._taps, delay = _design(self._up, self._down)
        self._reach = max(back + len(taps) * self._down for phase in self._taps for back, taps in phase)  # inputs
        self._past: _Floats = np.zeros(self._reach)
        self._fed = 0
        # Output sample m lies at m * down of the common rate; the first ones are the filter's own delay.
        self._next = delay // self._down

    def feed(self, samples: Samples) -> Samples:
        """Return what these samples complete."""
        first = self._fed - len(self._past)  # the input that known[0] is
        known: _Floats = np.concatenate((self._past, samples.astype(np.float64)))
        self._fed += len(samples)
        self._past = known[len(known) - self._reach :]
        end = -(-self._fed * self._up // self._down)
        out: _Floats = np.empty(max(0, end - self._next))
        for residue in range(min(self._up, len(out))):
            at, phase = divmod((self._next + residue) * self._down, self._up)
            places = out[residue :: self._up]
            places[:] = self._filtered(known, at - first, phase, len(places))
        self._next = max(self._next, end)
        return np.clip(np.rint(out / _SCALE), -32768, 32767).astype(np.int16)

    def flush(self) -> Samples:
        """Return the rest, as long as the input was."""
        silent = self._reach
        whole = round(self._fed * self._up / self._down)
        delayed = self._next - _design(self._up, self._down)[1] // self._down
        return self.feed(np.zeros(silent, np.int16))[: max(0, whole - delayed)]

    def _filtered(self, known: _Floats, at: int, phase: int, count: int) -> _Floats:
        """`count` outputs of one phase, from known[at] on, each `down` inputs further."""
        total: _Floats = np.zeros(count)
        for offset, taps in self._taps[phase]:
            begin = at - offset - (len(taps) - 1) * self._down
            strip = known[begin : begin + (count + len(taps) - 2) * self._down + 1 : self._down]
            total += np.convolve(strip, taps, "valid")
        return total


@lru_cache(maxsize=32)
def _design(up: int, down: int) -> tuple[list[list[tuple[int, _Floats]]], int]:
    """By output phase: runs of coefficients, `down` inputs apart, and how far back each begins. And the delay."""
    width = 2 * np.pi * 2 * _TRANSITION / (2 * max(up, down))
    # Kaiser's estimates of length and shape for an attenuation (Oppenheim and Schafer, section 7.5.3).
    half = int(np.ceil((_ATTENUATION_DB - 8) / (2.285 * width) / 2))
    half += -half % down  # so that the delay is a whole number of output samples
    at = np.arange(-half, half + 1)
    beta = 0.1102 * (_ATTENUATION_DB - 8.7)
    taps = np.sinc(at / max(up, down)) * np.kaiser(2 * half + 1, beta)
    taps = np.rint(taps * (_SCALE * up / taps.sum()))
    phases = [[_trimmed(taps[phase::up][offset::down], offset, down) for offset in range(down)] for phase in range(up)]
    return [[(back, run) for back, run in runs if len(run)] for runs in phases], half


def _trimmed(taps: _Floats, offset: int, down: int) -> tuple[int, _Floats]:
    """Without the zeros at both ends: of a doubled rate, every other output is an input as it was."""
    heard = np.flatnonzero(taps)
    if not len(heard):
        return offset, taps[:0]
    return offset + int(heard[0]) * down, taps[heard[0] : heard[-1] + 1]
