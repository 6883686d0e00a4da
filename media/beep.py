"""Steady tones in a caller's audio: the beep of an answering machine, and the tones of a fax machine.

A tone is one frequency that holds, at one loudness, and then stops. Speech never does: a vowel has harmonics, and its
pitch moves. Keys are two tones, and so are the signals of most networks.
"""

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from media.formats import BYTES_PER_SAMPLE_PCM16

# What the detector is fed; beeps end at 2.5 kHz.
DETECTOR_RATE_HZ = 8_000

# 32 ms tell 1 % of pitch apart in the noise of a bad line; a look every 10 ms.
_WINDOW, _HOP, _BINS = 256, 80, 1024
_LOOK_S = _HOP / DETECTOR_RATE_HZ
_WINDOW_S = _WINDOW / DETECTOR_RATE_HZ
_LOWEST_HZ, _HIGHEST_HZ = 380.0, 2600.0
# How much of the sound one tone must be: noise 8 dB below it, or the overtones of a square wave, are let pass.
_PURE = 0.78
# With so much beside the tone, and most of that at one place which is no overtone, there are two tones.
_SECOND_TONE = 0.03
_AT_ONE_PLACE = 0.5
_QUIETEST_RMS = 32768 * 10 ** (-42 / 20)
# How far pitch and loudness may move and still be one tone.
_PITCH = 0.012
_LOUDNESS_DB = 4.0
# Looks that noise may spoil in the middle of a tone.
_SPOILT = 2
# Shorter tones are clicks, keys and the music of speech.
_SHORTEST_S = 0.15
# What follows a tone must be so much quieter, for so long: a melody goes on, and so does speech.
_QUIET_DB = 6.0
_QUIET_S = 0.12

_Samples = NDArray[np.float64]
_SHAPE = np.hanning(_WINDOW + 2)[1:-1]


@dataclass(frozen=True, slots=True)
class Tone:
    """One steady tone, on the time line of the audio fed."""

    hz: float
    began_s: float
    ended_s: float

    @property
    def lasted_s(self) -> float:
        return self.ended_s - self.began_s


@dataclass(frozen=True, slots=True)
class _Look:
    hz: float  # 0 where there is no single tone
    rms: float


class ToneDetector:
    """Follows one call's audio, mono s16le at DETECTOR_RATE_HZ, in pieces of any size."""

    def __init__(self) -> None:
        self._rest: _Samples = np.zeros(0)
        self._odd = b""
        self._looked = 0
        self._run: deque[_Look] = deque(maxlen=64)  # the latest of the tone that sounds; enough to know it by
        self._began_s = self._last_s = 0.0
        self._ended: Tone | None = None  # waits for its silence
        self._ended_rms = 0.0
        self._melody_s = -1.0  # where a tone ended that another one followed at once

    @property
    def sounding_s(self) -> float:
        """How long a tone has been sounding, 0 when none is."""
        return self._last_s - self._began_s if self._run else 0.0

    def feed(self, pcm: bytes) -> list[Tone]:
        """Return the tones that have ended, and were followed by silence."""
        pcm = self._odd + pcm
        whole = len(pcm) - len(pcm) % BYTES_PER_SAMPLE_PCM16
        self._odd = pcm[whole:]
        samples = np.concatenate([self._rest, np.frombuffer(pcm[:whole], "<i2").astype(np.float64)])
        looks = (len(samples) - _WINDOW) // _HOP + 1 if len(samples) >= _WINDOW else 0
        self._rest = samples[looks * _HOP :]
        if not looks:
            return []
        windows = np.lib.stride_tricks.sliding_window_view(samples, _WINDOW)[: looks * _HOP : _HOP]
        return [tone for window in windows if (tone := self._see(_look(window)))]

    def _see(self, look: _Look) -> Tone | None:
        at_s = self._looked * _LOOK_S
        self._looked += 1
        if self._run and self._continues(look):
            self._run.append(look)
            self._last_s = at_s + _WINDOW_S
            return None
        if self._run and at_s + _WINDOW_S - self._last_s > _SPOILT * _LOOK_S:
            self._end()
        if not self._run and look.hz:
            self._run.append(look)
            self._began_s, self._last_s = at_s, at_s + _WINDOW_S
        return self._silence(look, at_s)

    def _continues(self, look: _Look) -> bool:
        hz = float(np.median([seen.hz for seen in self._run]))
        rms = float(np.median([seen.rms for seen in self._run]))
        holds = abs(look.hz - hz) <= _PITCH * hz
        return holds and abs(20 * np.log10(max(look.rms, 1.0) / rms)) <= _LOUDNESS_DB

    def _end(self) -> None:
        """The tone has ended. One that followed another at once, as in a melody, is not told."""
        tone = Tone(float(np.median([seen.hz for seen in self._run])), self._began_s, self._last_s)
        rms = float(np.median([seen.rms for seen in self._run]))
        self._run.clear()
        if tone.lasted_s < _SHORTEST_S:
            return
        alone = tone.began_s - self._melody_s > _QUIET_S
        self._melody_s = tone.ended_s
        self._ended, self._ended_rms = (tone, rms) if alone else (None, 0.0)

    def _silence(self, look: _Look, at_s: float) -> Tone | None:
        """The ended tone, once it has been quiet behind it for long enough."""
        tone = self._ended
        if tone is None or at_s < tone.ended_s:
            return None
        if look.rms > self._ended_rms * 10 ** (-_QUIET_DB / 20):
            self._ended = None
            return None
        if at_s + _WINDOW_S - tone.ended_s < _QUIET_S:
            return None
        self._ended = None
        return tone


def _look(window: _Samples) -> _Look:
    rms = float(np.sqrt((window**2).mean()))
    if rms < _QUIETEST_RMS:
        return _Look(0.0, rms)
    spectrum: _Samples = np.asarray(np.abs(np.fft.rfft(window * _SHAPE, _BINS)) ** 2)
    first, last = (round(hz * _BINS / DETECTOR_RATE_HZ) for hz in (_LOWEST_HZ, _HIGHEST_HZ))
    peak = first + int(np.argmax(spectrum[first:last]))
    share = spectrum[peak] * 2 / _SHAPE.sum() ** 2 / rms**2
    if share < _PURE or (1 - share > _SECOND_TONE and _has_second_tone(spectrum, peak)):
        return _Look(0.0, rms)
    left, middle, right = np.log(spectrum[peak - 1 : peak + 2] + 1e-9)
    return _Look(float(peak + 0.5 * (left - right) / (left - 2 * middle + right)) * DETECTOR_RATE_HZ / _BINS, rms)


def _has_second_tone(spectrum: _Samples, peak: int) -> bool:
    lobe = 2 * _BINS // _WINDOW
    rest = spectrum.copy()
    rest[max(0, peak - lobe) : peak + lobe + 1] = 0.0
    second = int(np.argmax(rest))
    overtone = second / peak
    if abs(overtone - round(overtone)) < 0.03 * overtone and round(overtone) > 1:
        return False
    return bool(rest[max(0, second - lobe) : second + lobe + 1].sum() > _AT_ONE_PLACE * rest.sum())
