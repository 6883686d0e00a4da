"""When a pause is looked at, and what is made of the answer; the model's answers are scripted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.stt.pause import LOOKS_S, SOUNDS_FINAL, Pause
from tests.rig.prosody import ToldProsody

BYTES_PER_MS = 32
FINAL, OPEN = SOUNDS_FINAL, SOUNDS_FINAL - 0.01


class Rig:
    def __init__(self) -> None:
        self.prosody = ToldProsody()
        self.heard: list[bool | None] = []
        self.pause = Pause(self.prosody, lambda: self.heard.append(self.pause.sounds_final))
        self.fed_ms = 0

    def feed(self, ms: int) -> None:
        self.pause.feed(bytes(ms * BYTES_PER_MS))
        self.fed_ms += ms

    def answer(self, finality: float) -> None:
        self.prosody.answer(finality)


@pytest.fixture
def rig() -> Rig:
    rig = Rig()
    rig.feed(1100)
    rig.pause.silence(1.0)
    return rig


def test_a_pause_that_sounds_final_is_looked_at_once(rig: Rig) -> None:
    rig.feed(99)
    assert rig.prosody.asked == []
    rig.feed(1)
    assert len(rig.prosody.asked) == 1
    rig.answer(FINAL)
    assert rig.heard == [True]
    rig.feed(2000)
    assert len(rig.prosody.asked) == 1


def test_one_that_sounds_open_is_looked_at_once_more(rig: Rig) -> None:
    rig.feed(100)
    rig.answer(OPEN)
    rig.feed(100)
    rig.answer(FINAL)
    rig.feed(2000)
    assert rig.heard == [False, True]
    assert rig.prosody.tells == []


def test_the_second_look_waits_for_the_first_answer(rig: Rig) -> None:
    rig.feed(400)
    rig.feed(20)
    assert len(rig.prosody.asked) == 1
    rig.answer(OPEN)
    rig.feed(20)
    assert len(rig.prosody.asked) == 2


def test_what_comes_after_the_caller_has_gone_on_counts_no_more(rig: Rig) -> None:
    rig.feed(100)
    rig.pause.speech(rig.fed_ms / 1000)
    rig.answer(OPEN)
    assert rig.heard == []
    assert rig.pause.sounds_final is None


def test_a_new_pause_begins_unknown(rig: Rig) -> None:
    rig.feed(100)
    rig.answer(OPEN)
    rig.pause.speech(rig.fed_ms / 1000)
    rig.pause.silence(rig.fed_ms / 1000)
    assert rig.pause.sounds_final is None


def test_the_utterance_is_looked_at_from_a_little_before_its_beginning(rig: Rig) -> None:
    rig.pause.decided()
    rig.feed(900)
    rig.pause.speech(1.8)
    rig.feed(1000)
    rig.pause.silence(2.8)
    rig.pause.speech(2.9)  # a hesitation is a part of it
    rig.pause.silence(2.9)
    rig.feed(200)
    assert len(rig.prosody.asked[-1]) == (3200 - 1500) * BYTES_PER_MS


def test_no_more_than_eight_seconds_are_kept(rig: Rig) -> None:
    rig.feed(20_000)
    rig.pause.silence(rig.fed_ms / 1000)
    rig.feed(300)
    assert len(rig.prosody.asked[-1]) == 8000 * BYTES_PER_MS


@given(st.lists(st.integers(1, 400), min_size=1, max_size=60))
def test_however_the_audio_is_split_a_pause_is_looked_at_when_it_is_long_enough(pieces_ms: list[int]) -> None:
    rig = Rig()
    rig.pause.silence(0.0)
    for ms in pieces_ms:
        rig.feed(ms)
        while rig.prosody.tells:
            rig.answer(OPEN)
    due = [look_s for look_s in LOOKS_S if rig.fed_ms >= 1000 * look_s]
    assert bool(rig.prosody.asked) == bool(due)
    assert len(rig.prosody.asked) <= len(due)
