"""Pace: a filler when the caller waits, words cut loose when the model dribbles, and neither while something sounds."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.call.thinking.pace import FILL_AGAIN_S, Due, Fillers, Pace, cut_loose
from gateway.text.chunker import SentenceChunker


def test_f120_a_filler_is_due_once_the_caller_has_waited_and_again_only_much_later() -> None:
    pace = Pace(1.25, 2.5, 10.0)
    assert pace.due(11.0, busy=False) is Due.NOTHING
    assert pace.due(11.25, busy=False) is Due.FILLER
    assert pace.due(11.5, busy=True) is Due.NOTHING
    assert pace.due(13.0, busy=False) is Due.NOTHING
    assert pace.due(11.25 + FILL_AGAIN_S, busy=False) is Due.FILLER


def test_nothing_is_due_while_something_sounds_or_when_fillers_are_off() -> None:
    pace = Pace(1.2, 2.5, 0.0)
    assert pace.due(3.0, busy=True) is Due.NOTHING
    assert pace.due(4.0, busy=False) is Due.NOTHING  # the wait begins when the sound ends
    assert Pace(0.0, 2.5, 0.0).due(60.0, busy=False) is Due.NOTHING


def test_f68_words_that_no_sentence_takes_are_due_in_the_end() -> None:
    pace = Pace(0.0, 2.5, 0.0)
    pace.wrote(1.0)
    pace.wrote(2.0)
    assert pace.due(3.4, busy=False) is Due.NOTHING
    assert pace.due(3.5, busy=False) is Due.WORDS
    pace.put_off(3.5)
    assert pace.due(3.6, busy=False) is Due.NOTHING
    pace.spoke(3.7)
    assert pace.due(60.0, busy=False) is Due.NOTHING


def test_fillers_go_round_and_never_repeat() -> None:
    fillers = Fillers(["a", "b", "c", "a", " "])
    said = [fillers.next() for _ in range(9)]
    assert set(said) == {"a", "b", "c"}
    assert all(a != b for a, b in zip(said, said[1:], strict=False))


def test_one_filler_alone_is_said_every_other_time() -> None:
    fillers = Fillers(["a"])
    assert [fillers.next() for _ in range(4)] == ["a", "", "a", ""]
    assert Fillers([]).next() == ""


@pytest.mark.parametrize(
    ("text", "said", "then", "rest"),
    [
        ("We open at nine in", "We open at nine", " the morning.", "in the morning."),
        ("We open at nine in ", "We open at nine in", "the morning.", "the morning."),
        ("We open at nine, and on Sat", "We open at nine,", "urday at ten.", "and on Saturday at ten."),
        ("It costs $3", "It costs", ".50 today.", "$3.50 today."),
    ],
)
def test_f68_the_cut_is_at_a_clause_or_a_word_and_no_word_is_lost(text: str, said: str, then: str, rest: str) -> None:
    chunker = SentenceChunker("en")
    assert chunker.feed(text) == []
    assert cut_loose(chunker, spaced=text[-1].isspace()) == [said]
    assert chunker.feed(then) + chunker.flush() == [rest]


def test_half_a_word_is_nothing_to_say_yet() -> None:
    chunker = SentenceChunker("en")
    chunker.feed("Wednes")
    assert cut_loose(chunker, spaced=False) == []
    assert chunker.feed("day.") + chunker.flush() == ["Wednesday."]
    assert cut_loose(chunker, spaced=False) == []


@settings(deadline=None)
@given(st.lists(st.sampled_from(["We ", "open ", "at ", "nine, ", "Sun", "day", ". ", "3.", "50 "]), max_size=20))
def test_cutting_anywhere_loses_and_repeats_no_letter(deltas: list[str]) -> None:
    chunker = SentenceChunker("en")
    said: list[str] = []
    for delta in deltas:
        said += chunker.feed(delta) + cut_loose(chunker, spaced=delta[-1].isspace())
    said += chunker.flush()
    assert "".join("".join(said).split()) == "".join("".join(deltas).split())
