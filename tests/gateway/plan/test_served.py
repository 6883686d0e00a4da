import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.plan.served import Served


def finish(served: Served[str]) -> tuple[float, str]:
    done_s = served.next_done_s()
    assert done_s is not None
    return done_s, served.complete(done_s)


def test_one_reply_takes_its_speech_at_the_speed_of_one() -> None:
    served = Served[str]([4.0, 6.0])
    served.ask(10.0, 8.0, "only")
    assert finish(served) == (12.0, "only")
    assert served.next_done_s() is None


def test_replies_share_the_speed_of_their_number() -> None:
    served = Served[str]([4.0, 6.0])
    served.ask(0.0, 6.0, "first")
    served.ask(1.0, 3.0, "second")  # the first has 2 s left; both now get 3 s a second
    for expected_s, expected in ((1 + 2 / 3, "first"), (1 + 2 / 3 + 1 / 4, "second")):
        done_s, reply = finish(served)
        assert reply == expected
        assert done_s == pytest.approx(expected_s)


def test_more_replies_than_the_ladder_knows_share_its_last_speed() -> None:
    served = Served[str]([4.0])
    for name in "ab":
        served.ask(0.0, 4.0, name)
    assert finish(served)[0] == pytest.approx(1.0)


def test_what_is_asked_or_lost_changes_the_version() -> None:
    served = Served[str]([4.0])
    before = served.version
    served.ask(0.0, 4.0, "a")
    assert served.version != before
    before = served.version
    assert served.abandon() == ["a"]
    assert (served.pending, served.version != before) == (0, True)


@given(asked=st.lists(st.tuples(st.floats(0, 5), st.floats(0.1, 20)), min_size=1, max_size=30))
def test_no_speech_is_made_or_lost(asked: list[tuple[float, float]]) -> None:
    served = Served[str]([3.0] * 40)  # the same speed for any number: busy time is speech over speed
    now_s, busy_s = 0.0, 0.0
    for gap_s, audio_s in asked:
        arrives_s = now_s + gap_s
        while (done_s := served.next_done_s()) is not None and done_s <= arrives_s:
            busy_s += done_s - now_s
            now_s = done_s
            served.complete(now_s)
        busy_s += (arrives_s - now_s) * bool(served.pending)
        now_s = arrives_s
        served.ask(now_s, audio_s, "")
    while (done_s := served.next_done_s()) is not None:
        busy_s += done_s - now_s
        now_s = done_s
        served.complete(now_s)
    assert busy_s == pytest.approx(sum(audio_s for _, audio_s in asked) / 3.0, rel=1e-6)
