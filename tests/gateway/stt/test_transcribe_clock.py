"""The call's clock stands still while silence is put in, and goes on behind it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.stt.transcribe_clock import StreamClock


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
