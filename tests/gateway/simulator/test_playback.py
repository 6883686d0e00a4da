"""The play queue's model, sample by sample. Rates are small numbers where that reads better."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.simulator.playback import LONGEST_HOLE_S, RECEIVER_BUFFER_S, Playback

RATE = 8000
LOUD = b"\x00\x40"


def audio(seconds: float, sample: bytes = LOUD) -> bytes:
    return sample * round(seconds * RATE)


def test_what_arrives_is_heard_from_that_moment_with_silence_around() -> None:
    playback = Playback(RATE)
    playback.put(0.5, audio(0.25))
    assert playback.heard(1.0) == audio(0.5, b"\0\0") + audio(0.25) + audio(0.25, b"\0\0")


def test_what_arrives_early_waits_its_turn() -> None:
    playback = Playback(RATE)
    playback.put(0.0, audio(1.0))
    playback.put(0.1, audio(0.5))
    assert playback.heard(2.0) == audio(1.5) + audio(0.5, b"\0\0")
    assert playback.audible(0.0) == (0.0, 1.5)


def test_the_time_line_ends_where_the_call_ends() -> None:
    playback = Playback(RATE)
    playback.put(0.5, audio(1.0))
    assert playback.heard(0.25) == audio(0.25, b"\0\0")
    assert playback.heard(0.75) == audio(0.5, b"\0\0") + audio(0.25)


def test_a_mark_is_due_when_everything_before_it_has_been_played() -> None:
    playback = Playback(RATE)
    playback.put(0.0, audio(1.0))
    playback.mark(0.1, "first")
    playback.put(0.1, audio(1.0))
    playback.mark(0.1, "second")
    assert playback.due(0.99) == []
    assert playback.due(1.0) == ["first"]
    assert playback.due(5.0) == ["second"]
    assert playback.due(5.0) == []


def test_a_mark_with_nothing_queued_is_due_at_once() -> None:
    playback = Playback(RATE)
    playback.mark(0.3, "now")
    assert playback.due(0.3) == ["now"]


def test_a_clear_cuts_at_the_sample_and_returns_the_waiting_marks() -> None:
    playback = Playback(RATE)
    playback.put(0.0, audio(1.0))
    playback.mark(0.0, "cut")
    playback.put(0.0, audio(1.0))
    playback.mark(0.0, "never begun")
    assert playback.clear(0.25) == ["cut", "never begun"]
    assert playback.due(9.0) == []
    playback.put(0.5, audio(0.25))
    assert playback.heard(1.0) == audio(0.25) + audio(0.25, b"\0\0") + audio(0.25) + audio(0.25, b"\0\0")
    assert playback.audible(0.0, 0.4) == (0.0, 0.25)


def test_a_clear_with_nothing_queued_changes_nothing() -> None:
    playback = Playback(RATE)
    assert playback.clear(0.1) == []
    playback.put(0.2, audio(0.1))
    assert playback.clear(5.0) == []
    assert playback.audible(0.0) == pytest.approx((0.2, 0.3))


def test_a_hole_the_receivers_buffer_hides_is_heard_but_no_gap() -> None:
    playback = Playback(RATE)
    for at_s in (0.0, 0.02, 0.09, 0.11):  # the third frame is 50 ms late
        playback.put(at_s, audio(0.02))
    assert playback.gaps == []
    assert b"\0\0" * 400 in playback.heard(0.13)


def test_lateness_adds_up_until_the_buffer_is_dry() -> None:
    playback = Playback(RATE)
    for at_s in (0.0, 0.06, 0.12):  # 40 ms late each time
        playback.put(at_s, audio(0.02))
    assert [(gap.at_s, gap.length_s) for gap in playback.gaps] == [pytest.approx((0.1, 0.02))]


@pytest.mark.parametrize("separator", ["mark", "clear", "turn"])
def test_silence_between_utterances_is_no_gap(separator: str) -> None:
    playback = Playback(RATE)
    playback.put(0.0, audio(0.1))
    if separator == "mark":
        playback.mark(0.1, "end")
    elif separator == "clear":
        playback.clear(0.1)
    else:
        playback.end_utterance()
    playback.put(3.0, audio(0.1))
    assert playback.gaps == []
    playback.put(4.0, audio(0.1))
    assert len(playback.gaps) == 1


def test_digital_silence_is_neither_a_frame_nor_audible() -> None:
    playback = Playback(RATE)
    playback.put(0.0, audio(1.0, b"\0\0"))
    playback.put(1.0, audio(0.1, b"\x02\x00"))
    playback.put(1.1, audio(0.1))
    assert playback.first_frame_s(0.0) == 1.0
    assert playback.audible(0.0) == pytest.approx((1.1, 1.2))


def test_windows_look_only_inside() -> None:
    playback = Playback(RATE)
    playback.put(1.0, audio(1.0))
    assert playback.audible(0.0, 1.0) is None
    assert playback.audible(2.0) is None
    assert playback.audible(1.25, 1.5) == (1.25, 1.5)
    assert playback.first_frame_s(0.0, 1.0) is None
    assert playback.first_frame_s(0.0, 1.1) == 1.0
    assert playback.first_frame_s(1.1) is None


def test_a_pause_inside_speech_is_seen() -> None:
    playback = Playback(RATE)
    playback.put(0.0, audio(0.1) + audio(0.1, b"\0\0") + audio(0.1))
    assert playback.audible(0.0, 0.2) == pytest.approx((0.0, 0.1))
    assert playback.audible(0.1, 0.2) is None
    assert playback.audible(0.0) == pytest.approx((0.0, 0.3))


@given(st.lists(st.integers(1, 400), min_size=1, max_size=30))
def test_any_split_of_a_burst_gives_the_same_time_line(sizes: list[int]) -> None:
    whole, split = Playback(RATE), Playback(RATE)
    pcm = bytes(range(256)) * 100
    pcm = pcm[: sum(sizes) * 2]
    whole.put(0.1, pcm)
    offset = 0
    for size in sizes:
        split.put(0.1, pcm[offset : offset + size * 2])
        offset += size * 2
    split.put(0.1, pcm[offset:])
    assert whole.heard(3.0) == split.heard(3.0)
    assert split.gaps == []


def test_without_marks_a_long_hole_is_a_pause_and_a_short_one_a_gap() -> None:
    playback = Playback(RATE, marks=False)
    playback.put(0.0, audio(0.02))
    playback.put(0.3, audio(0.02))
    playback.put(0.3 + 0.02 + LONGEST_HOLE_S + RECEIVER_BUFFER_S + 0.02, audio(0.02))
    assert len(playback.gaps) == 1
    assert playback.gaps[0].at_s == pytest.approx(0.02 + RECEIVER_BUFFER_S)


@pytest.mark.parametrize(("silence_s", "gaps"), [(0.1, 1), (0.2, 0)], ids=["in a word", "after a sentence"])
def test_without_marks_a_hole_after_enough_silence_is_the_pause_after_a_sentence(silence_s: float, gaps: int) -> None:
    playback = Playback(RATE, marks=False)
    playback.put(0.0, audio(0.5))
    playback.put(0.5, bytes(round(silence_s * RATE) * 2))
    playback.put(0.5 + silence_s + 0.2, audio(0.5))
    assert len(playback.gaps) == gaps


def test_silence_that_keeps_the_line_alive_begins_no_utterance() -> None:
    playback = Playback(RATE, marks=False)
    playback.put(0.0, audio(0.02))
    for at_s in (1.0, 2.0):
        playback.put(at_s, bytes(320))
    playback.put(2.3, audio(0.02))
    assert playback.gaps == []


def test_a_full_queue_takes_nothing_more_until_it_has_played() -> None:
    playback = Playback(RATE, queue_s=0.05)
    assert [playback.put(0.0, audio(0.02)) for _ in range(3)] == [True, True, False]
    assert playback.queued_s(0.0) == pytest.approx(0.04)
    assert playback.put(0.02, audio(0.02))
    assert playback.queued_s(5.0) == 0.0


def test_any_part_of_the_past_can_be_played_back() -> None:
    playback = Playback(8000)
    playback.put(0.1, audio(0.1))
    playback.put(0.5, audio(0.1))
    whole = playback.heard(1.0)
    for from_s, until_s in ((0.0, 1.0), (0.05, 0.15), (0.15, 0.55), (0.2, 0.5), (0.55, 0.9)):
        cut = slice(round(from_s * 8000) * 2, round(until_s * 8000) * 2)
        assert playback.between(from_s, until_s) == whole[cut]
