"""Steady tones: beeps of every pitch, in noise and companded, and nothing in speech, keys and the network's signals."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from media import wav
from media.beep import DETECTOR_RATE_HZ, Tone, ToneDetector
from media.dtmf import ToneTiming, tones
from media.g711 import pcm_to_ulaw, ulaw_to_pcm
from media.resample import StreamResampler
from tests.media.signals import split_at

ROOT = Path(__file__).parents[2]
SPEECH = sorted(
    [
        *(ROOT / "gateway/simulator/callers").glob("*.wav"),
        *(ROOT / "gateway/simulator/callers_id").glob("*.wav"),
        *(ROOT / "tests/gateway/stt/speech").glob("*.wav"),
        *(ROOT / "gateway/bench/callers").glob("*.ulaw"),
    ]
)
PEAK = 6000.0


def sine(hz: float, seconds: float, peak: float = PEAK) -> np.ndarray:
    return peak * np.sin(2 * np.pi * hz * np.arange(round(seconds * 8000)) / 8000)


def silence(seconds: float) -> np.ndarray:
    return np.zeros(round(seconds * 8000))


def companded(signal: np.ndarray, noise: float = 0.0) -> bytes:
    if noise:
        signal = signal + np.random.default_rng(3).normal(0, noise, len(signal))
    return ulaw_to_pcm(pcm_to_ulaw(signal.clip(-32768, 32767).round().astype("<i2").tobytes()))


def found(*parts: np.ndarray, noise: float = 0.0) -> list[Tone]:
    return ToneDetector().feed(companded(np.concatenate([silence(0.5), *parts, silence(0.5)]), noise))


@pytest.mark.parametrize("snr_db", [None, 20, 10])
@pytest.mark.parametrize("seconds", [0.15, 0.2, 0.4, 1.0])
@pytest.mark.parametrize("hz", [400, 440, 850, 1000, 1400, 2000, 2500])
def test_a_beep_is_found_with_its_pitch_and_its_time(hz: int, seconds: float, snr_db: int | None) -> None:
    noise = PEAK / np.sqrt(2) * 10 ** (-snr_db / 20) if snr_db else 0.0
    (tone,) = found(sine(hz, seconds), noise=float(noise))
    assert tone.hz == pytest.approx(hz, abs=8)
    assert tone.began_s == pytest.approx(0.5, abs=0.04)
    assert tone.lasted_s == pytest.approx(seconds, abs=0.04)


def test_a_square_wave_is_a_beep_too() -> None:
    (tone,) = found(PEAK * np.sign(sine(900, 0.4)))
    assert tone.hz == pytest.approx(900, abs=5)


@pytest.mark.parametrize("peak", [500.0, 30_000.0])
def test_quiet_and_loud_beeps_are_found(peak: float) -> None:
    assert len(found(sine(1000, 0.3, peak))) == 1


def test_a_click_and_a_hum_are_none() -> None:
    assert found(sine(1000, 0.1)) == []
    assert found(sine(1000, 0.4, 100.0)) == []
    assert found(sine(200, 0.4)) == []


def test_a_tone_that_something_else_follows_at_once_is_none() -> None:
    """A melody, the three tones of a line out of order, a whistle into speech."""
    assert found(sine(950, 0.33), sine(1400, 0.33), sine(1800, 0.33)) == []
    speech = np.frombuffer(wav.load(ROOT / "gateway/simulator/callers/hours.wav", 8000), "<i2").astype(float)
    assert found(sine(1000, 0.3), speech[2000:6000] * 3) == []


@pytest.mark.parametrize("hz", [(440, 480), (350, 440), (480, 620), (400, 450)])
def test_the_signals_of_networks_are_two_tones(hz: tuple[int, int]) -> None:
    assert found(sine(hz[0], 1.0) + sine(hz[1], 1.0)) == []


@pytest.mark.parametrize("digit", "1590*#D")
@pytest.mark.parametrize("twist_db", [0, -8])
def test_keys_are_two_tones(digit: str, twist_db: int) -> None:
    assert ToneDetector().feed(tones(digit * 3, 8000, ToneTiming(300, 300)) + bytes(4000)) == []
    assert found(sine(697, 0.4) + sine(1209, 0.4, PEAK * 10 ** (twist_db / 20))) == []


def test_noise_is_none() -> None:
    assert found(silence(20.0), noise=3000.0) == []


@pytest.mark.parametrize("speed", [0.85, 1.0])
@pytest.mark.parametrize("recording", SPEECH, ids=lambda path: path.name)
def test_no_caller_sounds_like_a_beep(recording: Path, speed: float) -> None:
    ulaw = recording.suffix == ".ulaw"
    pcm = ulaw_to_pcm(recording.read_bytes()) if ulaw else wav.load(recording, DETECTOR_RATE_HZ)
    resampler = StreamResampler(round(DETECTOR_RATE_HZ * speed), DETECTOR_RATE_HZ)
    assert ToneDetector().feed(resampler.feed(pcm) + resampler.flush() + bytes(8000)) == []


@given(st.lists(st.integers(0, 30_000), max_size=12))
@settings(max_examples=40, deadline=None)
def test_any_split_finds_the_same_tones(cuts: list[int]) -> None:
    pcm = companded(np.concatenate([silence(0.2), sine(1000, 0.3), silence(0.4), sine(440, 0.2), silence(0.4)]))
    detector = ToneDetector()
    pieces = [tone for piece in split_at(pcm, cuts) for tone in detector.feed(piece)]
    assert pieces == ToneDetector().feed(pcm)
    assert len(pieces) == 2


@given(st.lists(st.binary(max_size=1500), max_size=8))
@settings(max_examples=60, deadline=None)
def test_any_bytes_are_sound(pieces: list[bytes]) -> None:
    detector = ToneDetector()
    assert all(tone.lasted_s > 0 for piece in pieces for tone in detector.feed(piece))


def test_it_is_known_how_long_a_tone_has_been_sounding() -> None:
    detector = ToneDetector()
    detector.feed(companded(sine(2100, 2.0)))
    assert detector.sounding_s == pytest.approx(2.0, abs=0.05)
    detector.feed(bytes(1600))
    assert detector.sounding_s == 0.0
