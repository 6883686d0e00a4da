"""The echo gate: the bot's own voice is silenced, the caller's passes, and a quiet line costs nothing."""

import numpy as np
import pytest
from numpy.typing import NDArray

from gateway.call.hearing.echo import EchoGate
from media.formats import ULAW_8K, AudioFormat, Encoding
from media.g711 import pcm_to_alaw, pcm_to_ulaw

ALAW_8K = AudioFormat(Encoding.ALAW, 8000)
RATE_HZ = 8000
FRAME = 160
Sound = NDArray[np.float64]


def voice(seed: int, seconds: float = 2.0, level: float = 24_000.0) -> Sound:
    """Noise with the rhythm of syllables, coloured as voices are."""
    noise = np.random.default_rng(seed).normal(0, 1, round(seconds * RATE_HZ))
    coloured = np.convolve(noise, np.hanning(9), "same")
    at = np.arange(len(coloured)) / RATE_HZ
    rhythm = np.clip(np.sin(2 * np.pi * 3 * at + seed), 0, 1)
    return np.asarray(coloured / np.abs(coloured).max() * rhythm * level)


def late(sound: Sound, delay_s: float, db: float) -> Sound:
    return np.concatenate((np.zeros(round(delay_s * RATE_HZ)), sound))[: len(sound)] * 10 ** (db / 20)


def encoded(sound: Sound, wire: AudioFormat) -> list[bytes]:
    pcm = sound.clip(-32768, 32767).astype("<i2").tobytes()
    data = {Encoding.ULAW: pcm_to_ulaw, Encoding.ALAW: pcm_to_alaw}.get(wire.encoding, bytes)(pcm)
    size = FRAME * wire.encoding.bytes_per_sample
    return [data[i : i + size] for i in range(0, len(data), size)]


def gated(bot: Sound, caller: Sound, wire: AudioFormat = ULAW_8K, ahead: int = 5) -> tuple[list[bool], EchoGate]:
    """Which of the caller's frames were silenced, while the bot's are sent a lead ahead."""
    gate = EchoGate(wire, wire)
    sent, said = encoded(bot, wire), encoded(caller, wire)
    for number, frame in enumerate(sent[:ahead]):
        gate.sent(frame, number * 0.02)
    silenced = []
    for number, payload in enumerate(said):
        if number + ahead < len(sent):
            gate.sent(sent[number + ahead], (number + ahead) * 0.02)
        passed = gate.passed(payload, (number + 1) * 0.02)
        assert len(passed) == len(payload)
        assert gate.echoing is (passed != payload)
        silenced.append(gate.echoing)
    return silenced, gate


@pytest.mark.parametrize("wire", [ULAW_8K, ALAW_8K, AudioFormat(Encoding.L16, 8000)])
@pytest.mark.parametrize(("db", "delay_s"), [(-20.0, 0.15), (-12.0, 0.05), (-26.0, 0.45)])
def test_f44_an_echo_is_silenced_but_for_its_first_moment(wire: AudioFormat, db: float, delay_s: float) -> None:
    bot = voice(1)
    echo = late(bot, delay_s, db)
    silenced, _ = gated(bot, echo, wire)
    loud = [n for n in range(len(silenced)) if np.sqrt((echo[n * FRAME : (n + 1) * FRAME] ** 2).mean()) > 80]
    passed = [n for n in loud if not silenced[n]]
    assert len(passed) <= 0.2 * len(loud)
    assert max(passed, default=0) - loud[0] <= 20  # 400 ms: the lag is known from then on


def test_another_voice_passes() -> None:
    for seed in range(2, 8):
        silenced, _ = gated(voice(1), voice(seed))
        assert sum(silenced) <= 2


def test_the_callers_voice_over_an_echo_passes() -> None:
    bot = voice(1, 3.0)
    caller = voice(5, 3.0)
    silenced, _ = gated(bot, late(bot, 0.15, -20) + caller)
    loud = [n for n in range(len(silenced)) if np.sqrt((caller[n * FRAME : (n + 1) * FRAME] ** 2).mean()) > 3000]
    assert sum(silenced[n] for n in loud) <= 0.1 * len(loud)


def test_a_lag_that_is_no_longer_true_is_forgotten() -> None:
    bot = voice(1, 4.0)
    _, gate = gated(bot, late(bot, 0.15, -20))
    assert gate._lag is not None
    for number in range(200, 420):
        at_s = number * 0.02
        gate.sent(encoded(voice(number, 0.02), ULAW_8K)[0], at_s)
        gate.passed(b"\x10\x90" * 80, at_s)
    assert gate._lag is None


def test_while_the_bot_is_silent_everything_passes() -> None:
    silenced, _ = gated(np.zeros(0), voice(3))
    assert not any(silenced)


def test_sides_of_different_rates_are_left_alone() -> None:
    gate = EchoGate(ULAW_8K, AudioFormat(Encoding.L16, 16_000))
    gate.sent(b"\x01\x02" * 320, 0.0)
    assert gate.passed(b"\x10" * 160, 0.02) == b"\x10" * 160
