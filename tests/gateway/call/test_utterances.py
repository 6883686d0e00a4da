"""Utterances: frames go out in order, can be taken back, and each utterance knows how much of it was played."""

from hypothesis import given
from hypothesis import strategies as st

from gateway.call.utterances import Utterances


def frames(*numbers: int) -> list[bytes]:
    return [bytes([number]) for number in numbers]


def send(utterances: Utterances, count: int) -> list[bytes]:
    sent: list[bytes] = []
    while len(sent) < count and (front := utterances.front) is not None:
        if front.frames:
            sent.append(utterances.take())
        elif front.whole:
            utterances.retire()
        else:
            break
    return sent


def test_a_number_that_was_closed_and_comes_again_is_not_joined() -> None:
    utterances = Utterances(5)
    utterances.queue(1, frames(1, 2))
    assert utterances.close(1) == 2
    utterances.queue(2, frames(3))
    assert send(utterances, 3) == frames(1, 2, 3)
    assert utterances.positions(2.5) == [(1, 2.0), (2, 0.5)]
    assert utterances.find(1) is None
    assert utterances.find(2) is not None


def test_what_is_taken_back_is_sent_again_and_counted_once() -> None:
    utterances = Utterances(5)
    for number in (1, 2):
        utterances.queue(number, frames(*range(number * 10, number * 10 + 3)))
        utterances.close(number)
    send(utterances, 4)
    utterances.take_back(2)
    assert utterances.positions(0.0) == [(1, 2.0), (2, 0.0)]
    assert send(utterances, 9) == frames(12, 20, 21, 22)
    assert utterances.positions(4.0) == [(1, 3.0), (2, 3.0)]


def test_no_more_comes_back_than_is_kept() -> None:
    utterances = Utterances(2)
    utterances.queue(1, frames(*range(9)))
    send(utterances, 6)
    utterances.take_back(5)
    assert send(utterances, 9) == frames(4, 5, 6, 7, 8)


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 6)), max_size=12))
def test_any_taking_back_keeps_the_order(steps: list[tuple[int, int]]) -> None:
    utterances = Utterances(6)
    expected = []
    for number in range(4):
        part = frames(*range(number * 10, number * 10 + 5))
        expected += part
        utterances.queue(number, part)
        utterances.close(number)
    played: list[bytes] = []
    for count, back in steps:
        sent = send(utterances, count)
        back = min(back, len(sent))
        utterances.take_back(back)
        played += sent[: len(sent) - back]
    assert played + send(utterances, 99) == expected
