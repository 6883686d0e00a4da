"""Sounds of callers: what a line does to them, and what is not installed."""

import numpy as np
import pytest

from gateway.bench.caller_sounds import RATE_HZ, NotInstalled, human, made_sound, own_recording, treated

TONE = 5000 * np.sin(2 * np.pi * 440 * np.arange(RATE_HZ) / RATE_HZ)


def line(gain_db: float = 0.0, snr_db: float | None = None, lost: float = 0.0) -> np.ndarray:
    return np.frombuffer(treated(TONE, gain_db, snr_db, lost, np.random.default_rng(1)), "<i2").astype(float)


def test_a_clean_line_changes_nothing_but_the_rounding() -> None:
    assert np.abs(line() - TONE).max() <= 1


def test_a_gain_is_in_decibels_and_what_is_too_loud_is_clipped() -> None:
    assert np.abs(line(gain_db=-20.0)).max() == pytest.approx(500, abs=2)
    assert np.abs(line(gain_db=40.0)).max() == 32_767


def test_noise_is_as_far_below_the_speech_as_asked() -> None:
    noise = line(snr_db=15.0) - TONE
    below_db = 20 * np.log10(TONE.std() / noise.std())
    assert below_db == pytest.approx(15.0, abs=1.0)


def test_lost_frames_are_silent_and_take_their_time() -> None:
    frames = line(lost=0.3).reshape(-1, RATE_HZ // 50)
    gone = [not frame.any() for frame in frames]
    assert len(frames) == 50
    assert 5 <= sum(gone) <= 25


@pytest.mark.parametrize(
    "sound",
    ["cough", "throat", "breath", "click", "door", "scrape", "typing", "hum", "hiss", "traffic", "beep"],
)
def test_a_made_sound_is_audible_and_not_clipped(sound: str) -> None:
    peak = np.abs(made_sound(sound, np.random.default_rng(3))).max()
    assert 500 < peak <= 32_767


def test_what_is_not_installed_is_said() -> None:
    with pytest.raises(NotInstalled) as caught:
        human("no-such-package", ["hello.wav"])
    assert caught.value.package == "no-such-package"


def test_silences_between_files_are_milliseconds() -> None:
    assert len(human("no-such-package", [250, 250])) == RATE_HZ // 2


def test_our_own_recordings_are_telephone_sound() -> None:
    assert len(own_recording("opening-hours")) > RATE_HZ
