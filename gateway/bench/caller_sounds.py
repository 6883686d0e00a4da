"""Where the sounds of callers come from, as 8 kHz samples: our recordings, Debian's, and noises made here."""

import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from media import g711, wav
from media.resample import StreamResampler

RATE_HZ = 8000
Samples = NDArray[np.float64]
_FRAME = RATE_HZ // 50
_FULL_SCALE = 32_767
# Debian's headerless recordings are s16le at this rate.
_RAW_HZ = 16_000
# Where a recording is quieter than a tenth of its peak nobody speaks: no part of its level.
_SPEECH_SHARE = 0.1
_LIST_TIMEOUT_S = 10.0


class NotInstalled(Exception):
    """A recording is in a Debian package that this machine does not have."""

    def __init__(self, package: str) -> None:
        super().__init__(package)
        self.package = package


def own_recording(name: str) -> Samples:
    """A recording made by tests/bench/record_callers.py."""
    payload = resources.files("gateway.bench").joinpath("callers", f"{name}.ulaw").read_bytes()
    return _samples(g711.ulaw_to_pcm(payload))


def human(package: str, files: Sequence[str | int]) -> Samples:
    """People's recordings out of an installed package, one after another; a number is milliseconds of silence."""
    parts = [
        np.zeros(file * RATE_HZ // 1000) if isinstance(file, int) else _installed_recording(package, file)
        for file in files
    ]
    return np.concatenate(parts)


def treated(pcm: Samples, gain_db: float, snr_db: float | None, lost: float, rng: np.random.Generator) -> bytes:
    """What the line makes of it: louder or quieter, in noise, with frames missing; s16le of the same length."""
    pcm = pcm * 10 ** (gain_db / 20)
    if snr_db is not None:
        loud = np.abs(pcm) > _SPEECH_SHARE * np.abs(pcm).max()
        pcm = pcm + rng.normal(0, np.sqrt((pcm[loud] ** 2).mean()) * 10 ** (-snr_db / 20), len(pcm))
    for start in range(0, len(pcm), _FRAME):
        if rng.random() < lost:
            pcm[start : start + _FRAME] = 0
    return pcm.clip(-_FULL_SCALE, _FULL_SCALE).astype("<i2").tobytes()


def made_sound(sound: str, rng: np.random.Generator) -> Samples:
    """A noise that no voice made, about as loud as speech; KeyError when there is no such sound."""
    return _SOUNDS[sound](rng)


@cache
def _files_of(package: str) -> Sequence[Path]:
    lister = shutil.which("dpkg-query")
    if lister is None:
        raise NotInstalled(package)
    listed = subprocess.run(
        [lister, "--listfiles", package], capture_output=True, text=True, timeout=_LIST_TIMEOUT_S, check=False
    )
    if listed.returncode:
        raise NotInstalled(package)
    return [Path(line) for line in listed.stdout.splitlines()]


def _installed_recording(package: str, file: str) -> Samples:
    path = next((path for path in _files_of(package) if str(path).endswith(f"/{file}")), None)
    if path is None or not path.is_file():
        raise NotInstalled(package)
    if path.suffix == ".wav":
        return _samples(wav.load(path, RATE_HZ))
    resampler = StreamResampler(_RAW_HZ, RATE_HZ)
    return _samples(resampler.feed(path.read_bytes()) + resampler.flush())


def _samples(pcm: bytes) -> Samples:
    return np.frombuffer(pcm, "<i2").astype(np.float64)


# Noises: coloured noise under an envelope. Levels are peaks of what a person near the phone makes.


def _noise(rng: np.random.Generator, seconds: float, low_hz: float, high_hz: float) -> Samples:
    """Noise between two frequencies, its largest sample 1."""
    count = round(seconds * RATE_HZ)
    spectrum = np.fft.rfft(rng.normal(0, 1, count))
    hz = np.fft.rfftfreq(count, 1 / RATE_HZ)
    spectrum[(hz < low_hz) | (hz > high_hz)] = 0
    found = np.fft.irfft(spectrum, count)
    return np.asarray(found / np.abs(found).max())


def _burst(pcm: Samples, attack_s: float, decay_s: float) -> Samples:
    at_s = np.arange(len(pcm)) / RATE_HZ
    return np.asarray(pcm * np.minimum(at_s / attack_s, 1.0) * np.exp(-np.maximum(at_s - attack_s, 0) / decay_s))


def _silence(seconds: float) -> Samples:
    return np.zeros(round(seconds * RATE_HZ))


def _cough(rng: np.random.Generator) -> Samples:
    """Two explosions of breath with the throat's resonances."""
    one = _burst(_noise(rng, 0.3, 250, 3200) + 0.8 * _noise(rng, 0.3, 450, 900), 0.01, 0.07)
    two = _burst(_noise(rng, 0.25, 250, 2800) + 0.8 * _noise(rng, 0.25, 400, 800), 0.01, 0.05)
    return 9000 * np.concatenate([one, _silence(0.1), 0.7 * two])


def _throat(rng: np.random.Generator) -> Samples:
    """A rough rumble of slow, uneven pulses."""
    pulses = np.zeros(round(0.45 * RATE_HZ))
    pulses[np.cumsum(rng.integers(70, 150, 30))[:24]] = 1
    rumble = np.convolve(pulses, _burst(_noise(rng, 0.02, 200, 1200), 0.001, 0.006))[: len(pulses)]
    return 7000 * _burst(rumble, 0.08, 0.25)


def _typing(rng: np.random.Generator) -> Samples:
    keys = [np.concatenate([_click(rng), _silence(rng.uniform(0.08, 0.22))]) for _ in range(8)]
    return 0.5 * np.concatenate(keys)


def _click(rng: np.random.Generator) -> Samples:
    return 12_000 * _burst(_noise(rng, 0.03, 800, 3600), 0.001, 0.006)


def _tone(seconds: float, *parts_hz: float) -> Samples:
    at_s = np.arange(round(seconds * RATE_HZ)) / RATE_HZ
    return np.asarray(sum(np.sin(2 * np.pi * hz * at_s) for hz in parts_hz) / len(parts_hz))


_SOUNDS: Mapping[str, Callable[[np.random.Generator], Samples]] = {
    "cough": _cough,
    "throat": _throat,
    "breath": lambda rng: 2500 * _burst(_noise(rng, 0.9, 300, 3400), 0.3, 0.25),
    "click": _click,
    "door": lambda rng: 14_000 * _burst(_noise(rng, 0.4, 60, 900), 0.004, 0.08),
    "scrape": lambda rng: 6000 * _noise(rng, 0.6, 500, 2500) * (0.6 + 0.4 * _tone(0.6, 23.0)),
    "typing": _typing,
    "hum": lambda rng: 5000 * _tone(1.2, 100, 200, 300),
    "hiss": lambda rng: 2500 * _noise(rng, 1.5, 200, 3600),
    "traffic": lambda rng: 7000 * _noise(rng, 1.5, 60, 500),
    "beep": lambda rng: 6000 * _tone(0.15, 770, 1336),
}
