"""The call's clock stands still while silence is put in, and goes on behind it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.stt.cloud.base import Item, Result
from gateway.stt.cloud.clock import StreamClock, moment_s


def test_a_stream_begins_where_its_first_audio_was() -> None:
    clock = StreamClock(7.0)
    clock.sent(2.0)
    assert clock.call_s(1.5) == 8.5


def test_silence_takes_no_time_of_the_call() -> None:
    clock = StreamClock(0.0)
    clock.sent(1.0)
    for _ in range(10):
        clock.silence(0.1)
    clock.sent(1.0)
    assert clock.call_s(0.9) == 0.9
    assert clock.call_s(1.5) == pytest.approx(1.0)
    assert clock.call_s(2.5) == pytest.approx(1.5)


def test_a_result_is_told_with_the_times_of_the_call() -> None:
    clock = StreamClock(7.0)
    clock.sent(1.0)
    clock.silence(5.0)
    clock.sent(1.0)
    told = clock.on_call(Result("1", 0.5, 6.5, True, (Item("yes", 0.5, 0.75), Item("?", 6.25, 6.5, True)), "en"))
    assert told == Result("1", 7.5, 8.5, True, (Item("yes", 7.5, 7.75), Item("?", 8.25, 8.5, True)), "en")


def test_an_answer_to_a_flush_covers_all_that_was_sent_before_it() -> None:
    clock = StreamClock(0.0)
    for _ in range(3):
        clock.sent(2.0)
        clock.flushed()
    words = (Item("yes", 2.5, 3.0),)
    assert clock.on_call(Result("1", 2.0, 3.0, True, words, flushed=True)).end_s == 4.0  # the first had no answer
    assert clock.on_call(Result("2", 4.0, 4.5, True, words)).end_s == 4.5
    assert clock.on_call(Result("3", 4.0, 4.5, True, words, flushed=True)).end_s == 6.0
    assert clock.on_call(Result("4", 6.0, 6.5, True, words, flushed=True)).end_s == 6.5  # to none that we sent


def test_an_answer_is_to_its_own_flush_though_its_end_is_rounded() -> None:
    clock = StreamClock(0.0)
    clock.sent(2.0)
    clock.flushed()
    clock.sent(2.0)
    clock.flushed()
    assert clock.on_call(Result("1", 0.0, 2.01, True, (), flushed=True)).end_s == 2.01
    assert clock.on_call(Result("2", 2.01, 3.99, True, (), flushed=True)).end_s == 4.0


@pytest.mark.parametrize("told", [0, 0.25, 86_400])
def test_a_moment_is_a_number_of_seconds(told: object) -> None:
    assert moment_s(told) == told


@pytest.mark.parametrize("told", [-0.1, float("nan"), float("inf"), 1e300, 10**400, True, "1.0", None, []])
def test_what_is_no_moment_of_a_stream_is_refused(told: object) -> None:
    with pytest.raises((ValueError, TypeError)):
        moment_s(told)


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 30))))
def test_a_moment_of_the_callers_audio_is_found_again_whatever_lies_between(parts: list[tuple[bool, int]]) -> None:
    clock, audio_s = StreamClock(3.0), 3.0
    moments: list[tuple[float, float]] = []
    for is_silence, tenths in parts:
        if is_silence:
            clock.silence(tenths / 10)
        else:
            moments.append((clock.sent_s + tenths / 20, audio_s + tenths / 20))
            clock.sent(tenths / 10)
            audio_s += tenths / 10
    for stream_s, call_s in moments:
        assert clock.call_s(stream_s) == pytest.approx(call_s)
