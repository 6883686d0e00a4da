"""The set of recorded callers: what it holds, and that every moment in it is known."""

from collections import Counter

import numpy as np
import pytest

from gateway.bench.caller_set import KINDS, Caller, every_caller, load_callers
from gateway.bench.caller_sounds import RATE_HZ
from gateway.bench.conversation_callers import QUESTIONS

CALLERS = every_caller()


def test_the_set_is_as_wide_as_the_calls_it_stands_for() -> None:
    assert len(CALLERS) >= 40
    assert {caller.kind for caller in CALLERS} == set(KINDS)
    assert len({caller.speaker for caller in CALLERS}) > 6
    assert sum(bool(caller.package) for caller in CALLERS) >= 10
    assert {caller.language for caller in CALLERS} == {"en", "id"}
    assert any(caller.lost for caller in CALLERS)
    assert any(caller.gain_db <= -15 for caller in CALLERS)
    assert any(caller.gain_db > 0 for caller in CALLERS)
    assert all(10 <= caller.snr_db <= 20 for caller in CALLERS if caller.snr_db is not None)


def test_names_are_unique_and_a_third_is_held_out_by_them() -> None:
    assert max(Counter(caller.name for caller in CALLERS).values()) == 1
    held_out = sum(caller.held_out for caller in CALLERS)
    assert 0.2 <= held_out / len(CALLERS) <= 0.45


def test_what_is_our_own_can_be_heard_everywhere() -> None:
    heard, missing = load_callers()
    assert {c.name for c in CALLERS if not c.package} <= {c.name for c in heard}
    assert len(heard) + sum(missing.values()) == len(CALLERS)
    assert set(QUESTIONS.values()) <= {c.name for c in heard}


@pytest.mark.parametrize("caller", [c for c in CALLERS if not c.package], ids=lambda caller: caller.name)
def test_speech_begins_and_ends_where_the_turn_says(caller: Caller) -> None:
    turn = caller.turn(interrupt_after_s=1.5)
    pcm = np.abs(np.frombuffer(turn.pcm, "<i2").astype(float))
    assert turn.interrupt_after_s == 1.5
    assert 0.02 < turn.speech_end_s - turn.speech_start_s < 10
    assert len(pcm) / RATE_HZ == pytest.approx(turn.speech_end_s + turn.speech_start_s)
    speech = pcm[round(turn.speech_start_s * RATE_HZ) : round(turn.speech_end_s * RATE_HZ)]
    assert speech.max() > 300


def test_a_caller_sounds_the_same_every_time() -> None:
    noisy = next(c for c in CALLERS if c.snr_db is not None and c.voice)
    assert noisy.turn().pcm == noisy.turn().pcm


def test_a_text_is_in_no_repr() -> None:
    assert "Saturday" not in repr(next(c for c in CALLERS if c.name == "opening-hours"))
