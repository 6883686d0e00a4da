"""The spectrum of Whisper's family, against the library that Whisper itself is run with here."""

import numpy as np
import pytest
from faster_whisper.feature_extractor import FeatureExtractor

from gateway.stt.log_mel import BANDS, HOP, log_mel

RATE_HZ = 16_000


def sound(seconds: float, seed: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """A voiced sweep in noise, with silence at both ends."""
    at_s = np.arange(round(seconds * RATE_HZ)) / RATE_HZ
    rng = np.random.default_rng(seed)
    pcm = np.sin(2 * np.pi * (120 + 300 * at_s) * at_s) + 0.1 * rng.normal(size=len(at_s))
    pcm[: RATE_HZ // 5] = pcm[-RATE_HZ // 5 :] = 0
    return np.asarray(pcm, np.float32)


@pytest.mark.parametrize("seconds", [1.0, 2.5, 8.0])
def test_it_is_what_faster_whisper_computes_of_a_normalised_wave(seconds: float) -> None:
    pcm = sound(seconds, seed=round(10 * seconds))
    normalised = (pcm - pcm.mean()) / np.sqrt(pcm.var() + 1e-7)
    theirs = FeatureExtractor()(normalised, padding=0)
    ours = log_mel(pcm)
    assert ours.shape == (BANDS, round(seconds * RATE_HZ) // HOP)
    assert np.abs(ours - theirs[:, : ours.shape[1]]).max() < 2e-3


def test_loudness_does_not_matter() -> None:
    pcm = sound(2.0, seed=3)
    assert np.abs(log_mel(pcm) - log_mel(pcm * np.float32(0.03))).max() < 0.02


def test_silence_is_finite() -> None:
    assert np.isfinite(log_mel(np.zeros(RATE_HZ, np.float32))).all()
