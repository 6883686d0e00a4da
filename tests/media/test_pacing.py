import pytest
from hypothesis import given
from hypothesis import strategies as st

from media.pacing import Schedule

# A loop's clock hours after boot, where a float has fewer digits left for the fraction.
T0_S = 123_456.789
HAIR_S = 2e-6
TIMINGS = st.tuples(st.sampled_from([10, 20, 30, 60, 100]), st.integers(0, 400)).map(
    lambda pair: (pair[0], pair[0] + pair[1])
)


def _pump(schedule: Schedule, now_s: float, queued: int) -> int:
    """What a player does when it wakes: send what is due and there."""
    frames = min(schedule.due(now_s), queued)
    schedule.sent(frames, now_s)
    return frames


def test_a_call_begins_with_the_lead_and_goes_on_frame_by_frame() -> None:
    schedule = Schedule(20, 100)
    schedule.start(T0_S)
    assert schedule.due(T0_S) == 5
    schedule.sent(5, T0_S)
    assert schedule.due(T0_S) == 0
    assert schedule.next_due_s == pytest.approx(T0_S + 0.020, abs=HAIR_S)
    assert schedule.due(T0_S + 0.019) == 0
    assert schedule.due(T0_S + 0.020) == 1


def test_a_lead_that_is_no_multiple_of_a_frame_is_not_exceeded() -> None:
    schedule = Schedule(20, 70)
    assert _pump(schedule, T0_S, 100) == 3
    assert schedule.next_due_s == pytest.approx(T0_S + 0.010, abs=HAIR_S)


def test_a_stall_within_the_lead_is_made_up_at_once_and_was_not_heard() -> None:
    schedule = Schedule(20, 100)
    _pump(schedule, T0_S, 100)
    assert schedule.ahead_s(T0_S + 0.099) > 0
    assert schedule.due(T0_S + 0.099) == 4
    assert schedule.due(T0_S + 0.100) == 5


def test_a_stall_beyond_the_lead_is_not_made_up_by_a_burst() -> None:
    schedule = Schedule(20, 100)
    _pump(schedule, T0_S, 100)
    late_s = T0_S + 0.500
    assert schedule.ahead_s(late_s) == pytest.approx(-0.400)
    assert schedule.due(late_s) == 5
    schedule.sent(5, late_s)
    assert schedule.played_s(late_s) == pytest.approx(0.100)
    assert schedule.ahead_s(late_s) == pytest.approx(0.100)
    assert schedule.next_due_s == pytest.approx(late_s + 0.020)


def test_after_an_idle_gap_the_next_utterance_begins_with_the_lead_again() -> None:
    schedule = Schedule(20, 100)
    _pump(schedule, T0_S, 3)
    assert schedule.ends_s == pytest.approx(T0_S + 0.060)
    for later_s in (T0_S + 1, T0_S + 2, T0_S + 60):
        assert _pump(schedule, later_s, 0) == 0
    assert _pump(schedule, T0_S + 61, 100) == 5
    assert schedule.played_s(T0_S + 61.030) == pytest.approx(0.090)


def test_the_position_stands_still_while_there_is_nothing_to_play() -> None:
    schedule = Schedule(20, 100)
    schedule.start(T0_S)
    assert schedule.played_s(T0_S - 1) == 0
    assert schedule.played_s(T0_S + 1) == 0
    _pump(schedule, T0_S + 1, 2)
    assert schedule.played_s(T0_S + 1.010) == pytest.approx(0.010)
    assert schedule.played_s(T0_S + 9) == pytest.approx(0.040)


def test_after_a_clear_the_schedule_starts_at_position_zero() -> None:
    schedule = Schedule(20, 100)
    _pump(schedule, T0_S, 100)
    schedule.start(T0_S + 0.030)
    assert schedule.played_s(T0_S + 0.030) == 0
    assert schedule.ends_s == T0_S + 0.030
    assert _pump(schedule, T0_S + 0.030, 100) == 5


def test_a_schedule_never_started_begins_with_its_first_frame() -> None:
    schedule = Schedule(20, 100)
    assert schedule.played_s(T0_S) == 0
    assert schedule.next_due_s < T0_S
    assert _pump(schedule, T0_S, 100) == 5
    assert schedule.ends_s == pytest.approx(T0_S + 0.100)


@given(TIMINGS, st.integers(1, 3000))
def test_a_player_that_wakes_when_told_is_in_time_to_the_last_frame(timing: tuple[int, int], total: int) -> None:
    frame_ms, lead_ms = timing
    schedule = Schedule(frame_ms, lead_ms)
    now_s, sent = T0_S, 0
    schedule.start(now_s)
    while sent < total:
        frames = _pump(schedule, now_s, total - sent)
        assert frames >= 1, "woken with nothing due"
        sent += frames
        assert 0 <= schedule.ahead_s(now_s) <= lead_ms / 1000 + HAIR_S
        now_s = max(now_s, schedule.next_due_s)
    # Nothing drifted: the end is where the arithmetic of the whole puts it.
    assert schedule.ends_s == pytest.approx(T0_S + total * frame_ms / 1000, abs=HAIR_S)


@given(TIMINGS, st.lists(st.tuples(st.floats(0, 1), st.integers(0, 60)), max_size=60))
def test_however_late_the_player_and_bursty_the_source_the_receiver_agrees(
    timing: tuple[int, int], steps: list[tuple[float, int]]
) -> None:
    """A receiver that counts for itself: it plays what arrives, and waits when it has nothing."""
    frame_ms, lead_ms = timing
    schedule = Schedule(frame_ms, lead_ms)
    schedule.start(T0_S)
    now_s, queued, held_s, played_s = T0_S, 0, 0.0, 0.0
    for pause_s, arriving in steps:
        now_s += pause_s
        played_s += min(pause_s, held_s)
        held_s = max(0.0, held_s - pause_s)
        assert schedule.played_s(now_s) == pytest.approx(played_s, abs=HAIR_S)
        queued += arriving
        due = schedule.due(now_s)
        frames = _pump(schedule, now_s, queued)
        queued -= frames
        held_s += frames * frame_ms / 1000
        assert held_s <= lead_ms / 1000 + HAIR_S
        # And never less than could be had: one frame more would exceed the lead.
        assert held_s + (due - frames + 1) * frame_ms / 1000 > lead_ms / 1000 - HAIR_S
        assert max(0.0, schedule.ahead_s(now_s)) == pytest.approx(held_s, abs=HAIR_S)


@pytest.mark.parametrize(("frame_ms", "lead_ms"), [(20, 19), (0, 100), (-20, 100), (20, 0)])
def test_a_lead_that_holds_no_frame_is_refused(frame_ms: int, lead_ms: int) -> None:
    with pytest.raises(ValueError, match=f"lead of {lead_ms} ms is less than one frame of {frame_ms} ms"):
        Schedule(frame_ms, lead_ms)
