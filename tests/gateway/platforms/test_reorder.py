"""Packets come out in order, none twice, and none is waited for long."""

from hypothesis import given
from hypothesis import strategies as st

from gateway.platforms.reorder import WINDOW_PACKETS, Reorder


def fed(reorder: Reorder, *numbers: int) -> list[int]:
    return [audio[0] for number in numbers for audio in reorder.feed(number, bytes([number % 256]))]


def test_what_comes_in_order_passes_at_once() -> None:
    reorder = Reorder()
    for number in range(7, 20):
        assert fed(reorder, number) == [number]


def test_a_packet_that_was_overtaken_takes_its_place() -> None:
    reorder = Reorder()
    assert fed(reorder, 1, 3) == [1]
    assert fed(reorder, 2) == [2, 3]


def test_a_lost_packet_is_given_up_when_the_window_is_full() -> None:
    reorder = Reorder(3)
    assert fed(reorder, 1, 3, 4, 5) == [1]
    assert fed(reorder, 6) == [3, 4, 5, 6]
    assert fed(reorder, 2) == []


def test_a_packet_is_heard_once() -> None:
    assert fed(Reorder(), 1, 1, 3, 3, 2, 2, 3) == [1, 2, 3]


def test_what_still_waits_can_be_had_in_order() -> None:
    reorder = Reorder()
    assert fed(reorder, 1, 4, 3) == [1]
    assert [audio[0] for audio in reorder.flush()] == [3, 4]
    assert reorder.flush() == []
    assert fed(reorder, 2, 5) == [5]


def test_a_count_that_begins_anew_is_followed() -> None:
    assert fed(Reorder(), 200, 202, 1, 2) == [200, 202, 1, 2]


def test_a_few_absurd_numbers_do_not_silence_the_stream() -> None:
    reorder = Reorder()
    fed(reorder, 1, *(10**18 + n for n in range(WINDOW_PACKETS + 1)))
    assert fed(reorder, *range(2, 100))[-1] == 99


@given(st.integers(0, WINDOW_PACKETS), st.randoms(use_true_random=False))
def test_disorder_within_the_window_is_undone(distance: int, rng: "object") -> None:
    order = sorted(range(1, 60), key=lambda n: n + rng.random() * distance)  # type: ignore[attr-defined] # a Random
    reorder = Reorder()
    heard = fed(reorder, 0, *order)
    assert heard == list(range(60))


@given(st.lists(st.integers(0, 300), max_size=200), st.integers(1, 8))
def test_nothing_waits_beyond_the_window_and_nothing_is_invented(numbers: list[int], window: int) -> None:
    reorder = Reorder(window)
    out = [audio for number in numbers for audio in reorder.feed(number, str(number).encode())]
    rest = reorder.flush()
    assert len(rest) <= window
    assert set(out + rest) <= {str(number).encode() for number in numbers}
