"""Keys as tones: made as ITU-T Q.23 says, found as Q.24 says, and never found in speech."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from media import wav
from media.dtmf import DETECTOR_RATE_HZ, DIGITS, HIGH_HZ, LOW_HZ, PAD, DtmfDetector, ToneTiming, keys_in, tones
from media.g711 import pcm_to_ulaw, ulaw_to_pcm
from media.resample import StreamResampler
from tests.media.signals import samples, split_at

ROOT = Path(__file__).parents[2]
SPEECH = sorted(
    [
        *(ROOT / "gateway/simulator/callers").glob("*.wav"),
        *(ROOT / "gateway/simulator/callers_id").glob("*.wav"),
        *(ROOT / "tests/gateway/stt/speech").glob("*.wav"),
        *(ROOT / "gateway/bench/callers").glob("*.ulaw"),
    ]
)
PEAK = 4000.0


def pair(
    digit: str,
    on_ms: float = 40,
    off_ms: float = 40,
    shift: tuple[float, float] = (0.0, 0.0),
    peaks: tuple[float, float] = (PEAK, PEAK),
) -> np.ndarray:
    """One key as a line carries it, its pause behind it."""
    row = next(index for index, keys in enumerate(PAD) if digit in keys)
    low_hz, high_hz = LOW_HZ[row] * (1 + shift[0]), HIGH_HZ[PAD[row].index(digit)] * (1 + shift[1])
    time_s = np.arange(round(on_ms * 8)) / 8000
    both = peaks[0] * np.sin(2 * np.pi * low_hz * time_s + 1) + peaks[1] * np.sin(2 * np.pi * high_hz * time_s)
    return np.concatenate([both, np.zeros(round(off_ms * 8))])


def found(*parts: np.ndarray, noise: float = 0.0, ulaw: bool = True) -> str:
    """What the detector finds between two silences of odd length."""
    signal = np.concatenate([np.zeros(333), *parts, np.zeros(555)])
    signal = signal + np.random.default_rng(5).normal(0, noise, len(signal)) if noise else signal
    pcm = signal.clip(-32768, 32767).round().astype("<i2").tobytes()
    return DtmfDetector().feed(ulaw_to_pcm(pcm_to_ulaw(pcm)) if ulaw else pcm)


@pytest.mark.parametrize("rate_hz", [8000, 16000, 24000])
def test_every_key_that_is_made_is_understood(rate_hz: int) -> None:
    keys = "".join(sorted(DIGITS))
    assert keys_in(tones(keys, rate_hz), rate_hz) == keys


def test_keys_sound_for_the_time_asked_for() -> None:
    pcm = samples(tones("1", 8000, ToneTiming(on_ms=70, off_ms=50)))
    assert len(pcm) == 8 * 120
    assert np.abs(pcm[: 8 * 70]).max() > 10_000
    assert not pcm[8 * 70 :].any()


def test_what_is_no_key_is_not_made() -> None:
    with pytest.raises(KeyError):
        tones("E", 8000)


@pytest.mark.parametrize("digit", sorted(DIGITS))
@pytest.mark.parametrize("shift", [(0.0, 0.0), (0.015, 0.015), (-0.015, 0.015), (0.015, -0.015), (-0.015, -0.015)])
def test_the_shortest_keys_are_found_within_one_and_a_half_percent(digit: str, shift: tuple[float, float]) -> None:
    assert found(pair(digit, shift=shift)) == digit


@pytest.mark.parametrize("shift", [(0.035, 0.0), (0.0, 0.035), (-0.035, 0.0), (0.0, -0.035)])
@pytest.mark.parametrize("digit", sorted(DIGITS))
def test_tones_that_are_three_and_a_half_percent_off_are_no_keys(digit: str, shift: tuple[float, float]) -> None:
    assert found(pair(digit, on_ms=100, shift=shift)) == ""


@pytest.mark.parametrize("digit", sorted(DIGITS))
def test_a_blip_is_no_key_and_a_dropout_no_second_one(digit: str) -> None:
    assert found(pair(digit, on_ms=23)) == ""
    assert found(pair(digit, off_ms=10), pair(digit)) == digit
    assert found(pair(digit), pair(digit)) == digit * 2


@pytest.mark.parametrize(
    "peaks",
    [(8000, 8000 * 10 ** (-8 / 20)), (8000 * 10 ** (-4 / 20), 8000), (1300, 1300), (20_000, 12_000)],
    ids=["lower tone 8 dB louder", "upper tone 4 dB louder", "-25 dBm0", "as loud as can be"],
)
@pytest.mark.parametrize("digit", sorted(DIGITS))
def test_uneven_quiet_and_loud_keys_are_found(digit: str, peaks: tuple[float, float]) -> None:
    assert found(pair(digit, peaks=peaks)) == digit


@pytest.mark.parametrize("digit", sorted(DIGITS))
@pytest.mark.parametrize("snr_db", [25, 20, 15])
def test_keys_are_found_in_noise(digit: str, snr_db: int) -> None:
    assert found(pair(digit, on_ms=50), noise=PEAK * 10 ** (-snr_db / 20)) == digit


@pytest.mark.parametrize("peaks", [(8000, 0), (0, 8000), (8000, 1500), (2000, 8000)])
def test_one_tone_alone_or_nearly_is_no_key(peaks: tuple[float, float]) -> None:
    assert all(found(pair(digit, on_ms=200, peaks=peaks)) == "" for digit in DIGITS)


@pytest.mark.parametrize("hz", [(350, 440), (440, 480), (480, 620), (425, 425), (1100, 1100), (2100, 2100)])
def test_tones_of_the_network_and_of_fax_machines_are_no_keys(hz: tuple[int, int]) -> None:
    time_s = np.arange(16_000) / 8000
    assert found(PEAK * np.sin(2 * np.pi * np.outer(hz, time_s)).sum(axis=0)) == ""


def test_noise_has_no_keys() -> None:
    assert found(np.zeros(8000 * 20), noise=3000) == ""


@pytest.mark.parametrize("recording", SPEECH, ids=lambda path: path.name)
@pytest.mark.parametrize("speed", [0.85, 1.0, 1.2])
def test_no_speech_talks_the_detector_off(recording: Path, speed: float) -> None:
    """Played slower and faster, for voices of other pitch."""
    from_hz = round(DETECTOR_RATE_HZ * speed)
    resampler = StreamResampler(from_hz, DETECTOR_RATE_HZ)
    ulaw = recording.suffix == ".ulaw"
    pcm = ulaw_to_pcm(recording.read_bytes()) if ulaw else wav.load(recording, DETECTOR_RATE_HZ)
    assert DtmfDetector().feed(resampler.feed(pcm) + resampler.flush()) == ""


def test_keys_are_found_while_somebody_speaks_quietly() -> None:
    voice = samples(wav.load(ROOT / "gateway/simulator/callers/hours.wav", DETECTOR_RATE_HZ))
    speech = np.resize(voice, 8 * 400) * (400 / np.abs(voice).max())
    keys = np.concatenate([pair(digit, 100, 100) for digit in "12"])
    assert found(keys + speech) == "12"


@given(st.lists(st.integers(0, 8000), max_size=12))
@settings(max_examples=25, deadline=None)
def test_any_split_finds_the_same_keys(cuts: list[int]) -> None:
    pcm = np.concatenate([np.zeros(77), *(pair(digit, 50, 50) for digit in "1590*")]).astype("<i2").tobytes()
    detector = DtmfDetector()
    assert "".join(detector.feed(piece) for piece in split_at(pcm, cuts)) == DtmfDetector().feed(pcm) == "1590*"


@given(st.lists(st.binary(max_size=1500), max_size=8))
@settings(max_examples=60, deadline=None)
def test_any_bytes_are_sound(pieces: list[bytes]) -> None:
    detector = DtmfDetector()
    assert set("".join(detector.feed(piece) for piece in pieces)) <= DIGITS


def test_a_key_is_told_while_it_is_held_and_the_sound_is_known_to_be_one() -> None:
    detector = DtmfDetector()
    held = pair("5", on_ms=1000).astype("<i2").tobytes()
    told = [detector.feed(held[at : at + 320]) for at in range(0, 16_000, 320)]
    assert "".join(told) == "".join(told[:4]) == "5"
    assert detector.sounding
    detector.feed(bytes(1600))
    assert not detector.sounding
