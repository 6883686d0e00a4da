from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from config.errors import ConfigError
from gateway.plan.capacity import Instance, one_instance, poisson
from tests.gateway.plan.ladders import inputs, published

few = settings(max_examples=20, deadline=None)


def instance(promises: dict[str, Any] | None = None, **calls: Any) -> Instance:
    given = inputs(promises, **{"peak": 1, **calls})
    return one_instance(published(), given.calls, given.promises)


@pytest.mark.parametrize(
    ("requests_per_s", "p95_ms"), [(6.44, (164, 194)), (9.67, (238, 465)), (12.89, (423, 691)), (10.79, (238, 551))]
)
def test_the_ladder_foretells_the_published_open_loop_runs(requests_per_s: float, p95_ms: tuple[int, int]) -> None:
    # The same worker under Poisson arrivals, measured by its makers; a thousand callers who ask seldom are such.
    def late(limit_ms: float) -> float:
        talk_share = requests_per_s * 1.8 / 1000
        promises = {"sessions": 1000, "first_audio_ms": limit_ms, "refused_share": 0.5}
        return float(instance(promises, talk_share=talk_share, sentences_per_turn=1).late[1000])

    low_ms, high_ms = p95_ms
    assert late(high_ms * 1.1) < 0.05 < late(low_ms * 0.9)


def test_an_instance_holds_many_more_calls_than_clients_who_never_pause() -> None:
    held = instance()
    assert published().q_max(300) == 5
    assert 40 < held.at_once < held.by_speech
    assert held.late[held.at_once] <= 0.05 < held.late[held.at_once + 1]


def test_sessions_bind_where_speech_does_not() -> None:
    held = instance({"sessions": 10})
    assert (held.at_once, held.limit) == (10, "sessions")
    assert held.held_by(1) < 10  # callers who come to a full house are refused


def test_erlang_b_is_the_textbooks() -> None:
    def textbook(calls: float, slots: int) -> float:
        blocked = 1.0
        for n in range(1, slots + 1):
            blocked = calls * blocked / (n + calls * blocked)
        return blocked

    held = instance({"sessions": 10})
    for calls in (3.0, 9.5, 20.0):
        assert held.refused_in_fleet(calls, 1) == pytest.approx(textbook(calls, 10), rel=1e-6)
    assert held.refused_in_fleet(5000.0, 1) == pytest.approx(textbook(5000.0, 10), rel=1e-3)


@given(mean=st.floats(0, 5000))
def test_poisson_weights_have_the_mean_they_are_made_for(mean: float) -> None:
    counts, weights = poisson(mean)
    assert weights.sum() == pytest.approx(1)
    assert counts @ weights == pytest.approx(mean, rel=1e-6, abs=1e-6)


@few
@given(instances=st.integers(1, 30), more=st.integers(1, 5))
def test_more_instances_hold_more_calls_and_together_more_than_apart(instances: int, more: int) -> None:
    held = instance()
    assert held.held_by(instances + more) > held.held_by(instances)
    assert held.held_by(instances) >= instances * held.held_by(1) - 0.1 * instances


@few
@given(talk=st.floats(0.05, 0.9), more_talk=st.floats(0.01, 0.5), limit_ms=st.floats(100, 2000))
def test_more_talk_or_a_tighter_limit_never_lets_an_instance_hold_more(
    talk: float, more_talk: float, limit_ms: float
) -> None:
    assume(talk + more_talk < 0.95)
    calls = instance({"first_audio_ms": limit_ms}, talk_share=talk).at_once
    assert instance({"first_audio_ms": limit_ms}, talk_share=talk + more_talk).at_once <= calls
    assert instance({"first_audio_ms": limit_ms * 1.5}, talk_share=talk).at_once >= calls


def test_late_replies_rise_with_every_call() -> None:
    assert np.all(np.diff(instance().late) >= 0)


def test_a_worker_that_speaks_the_whole_text_first_is_later_for_longer_sentences() -> None:
    assert (
        instance(sentence_s=3.6, sentences_per_turn=1).at_once < instance(sentence_s=1.8, sentences_per_turn=2).at_once
    )


def test_replies_with_holes_are_late_however_early_they_began() -> None:
    ladder = published()
    slow = replace(
        ladder, audio_s_per_s=ladder.audio_s_per_s / 16, scheme="sessions"
    )  # two at a time, as fast as played
    given = inputs({"first_audio_ms": 60_000.0}, peak=1)
    held = one_instance(slow, given.calls, given.promises)
    assert held.late[-1] > 0.9
    assert held.at_once <= 3


def test_a_worker_slower_than_speech_or_than_the_limit_is_told_with_the_remedy() -> None:
    ladder = published()
    given = inputs(peak=1)
    with pytest.raises(ConfigError, match="slower than speech is played"):
        one_instance(replace(ladder, audio_s_per_s=ladder.audio_s_per_s / 40), given.calls, given.promises)
    with pytest.raises(ConfigError, match="within 65 ms, over the limit of 40 ms"):
        instance({"first_audio_ms": 40.0})
