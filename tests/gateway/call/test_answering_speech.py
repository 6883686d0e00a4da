"""Who has answered, judged from recorded voices through the real ear for speech: people's hellos, and announcements."""

import random
from pathlib import Path

import numpy as np
import pytest

from gateway.call.answering import AnsweredBy, Answering
from gateway.stt.base import SpeechStarted
from gateway.stt.silero import FRAME_SAMPLES, SileroNetwork, SileroScore, load_silero
from gateway.stt.vad import VoiceActivity
from media.beep import ToneDetector
from media.g711 import pcm_to_ulaw, ulaw_to_pcm
from media.resample import StreamResampler

CALLERS = Path(__file__).parents[3] / "gateway/bench/callers"
# Nobody answers the phone with more in one breath.
HELLO_S = 1.8
LOOK_BYTES = 800


def voice(path: Path) -> np.ndarray:
    """A recording without the silence around it."""
    samples = np.frombuffer(ulaw_to_pcm(path.read_bytes()), "<i2").astype(float)
    loud = np.flatnonzero(np.abs(samples) > 0.03 * np.abs(samples).max())
    return samples[loud[0] : loud[-1]]


def silence(seconds: float) -> np.ndarray:
    return np.zeros(round(8000 * seconds))


VOICES = {path.stem: voice(path) for path in sorted(CALLERS.glob("*.ulaw"))}
HELLOS = [name for name, samples in VOICES.items() if len(samples) / 8000 <= HELLO_S]


@pytest.fixture(scope="module")
def silero() -> SileroNetwork:
    return load_silero()


def heard(silero: SileroNetwork, *parts: np.ndarray) -> tuple[Answering, float, float]:
    """Listen to a noisy line; return who answered, when that was first known, and when a message could be left."""
    signal = np.concatenate([*parts, silence(3.0)])
    signal = signal + np.random.default_rng(5).normal(0, 60, len(signal))
    pcm = ulaw_to_pcm(pcm_to_ulaw(signal.clip(-32768, 32767).astype("<i2").tobytes()))
    ear, resampler = VoiceActivity(SileroScore(silero), frame_samples=FRAME_SAMPLES), StreamResampler(8000, 16_000)
    answering, tones = Answering(), ToneDetector()
    speaking, ended_s, known_s, message_s = False, 0.0, 0.0, 0.0
    for at in range(0, len(pcm), LOOK_BYTES):
        now_s = (at + LOOK_BYTES) / 16_000
        for tone in tones.feed(pcm[at : at + LOOK_BYTES]):
            answering.heard(tone)
        for transition in ear.feed(resampler.feed(pcm[at : at + LOOK_BYTES])):
            speaking = isinstance(transition, SpeechStarted)
            ended_s = ended_s if speaking else transition.at_s
        answering.look(now_s, speaking, 0.0 if speaking else now_s - ended_s, tones.sounding_s)
        known_s = known_s or (now_s if answering.answered_by else 0.0)
        if answering.answered_by is AnsweredBy.MACHINE and answering.may_speak(now_s):
            message_s = message_s or now_s
    return answering, known_s, message_s


@pytest.mark.parametrize("name", HELLOS[:12])
def test_a_recorded_hello_is_a_person_who_is_greeted_within_a_second(name: str, silero: SileroNetwork) -> None:
    answering, known_s, _ = heard(silero, silence(0.4), VOICES[name])
    assert answering.answered_by is AnsweredBy.HUMAN
    assert known_s - (0.4 + len(VOICES[name]) / 8000) < 1.0


@pytest.mark.parametrize("seed", range(6))
def test_f119_a_recorded_announcement_is_a_machine_and_takes_its_message_behind_the_beep(
    seed: int, silero: SileroNetwork
) -> None:
    chosen = random.Random(seed)
    parts = [silence(0.4)]
    for name in chosen.sample(sorted(VOICES), 4):
        parts += [VOICES[name], silence(chosen.uniform(0.2, 0.45))]
    hz = chosen.choice([440, 850, 1000, 1400, 2000])
    parts.append(6000 * np.sin(2 * np.pi * hz * np.arange(2400) / 8000))
    beeped_s = sum(map(len, parts)) / 8000
    answering, _, message_s = heard(silero, *parts)
    assert answering.answered_by is AnsweredBy.MACHINE
    assert 0.1 < message_s - beeped_s < 0.4
