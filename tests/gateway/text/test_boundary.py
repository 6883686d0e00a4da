"""Boundary: how early it knows, and what it does when nothing more comes."""

import pytest

from gateway.text.boundary import Boundary, Verdict
from gateway.text.chunker import SentenceChunker
from gateway.text.expectation import Before
from gateway.text.languages import sentence_rules


@pytest.mark.parametrize(
    ("fed", "done"),
    [
        ("It left. I", ["It left."]),
        ("It left. (", []),
        ("It left.", []),
        ("It left. a", []),
        ("Really? Y", ["Really?"]),
        ("Open at 9 a.m. P", []),
        ("Open at 9 a.m. Please ", ["Open at 9 a.m."]),
        ("はい。い", ["はい。"]),
        ("हाँ। न", ["हाँ।"]),
        ("Fine\n", ["Fine"]),
        ("It is $3.", []),
        ("It is $3.5", []),
        ("It is room 3. 2", ["It is room 3."]),
        ("Ready.Nex", []),
        ("Ready.Next ", ["Ready."]),
        ("Ask a sales rep. H", ["Ask a sales rep."]),
        ("Ask Rep. H", []),
    ],
)
def test_a_sentence_comes_out_as_soon_as_it_is_sure(fed: str, done: list[str]) -> None:
    assert SentenceChunker().feed(fed) == done


@pytest.mark.parametrize(
    ("fed", "done"),
    [
        ("It left.", ["It left."]),
        ("It left. ", ["It left."]),
        ("Your locker is number 47.", ["Your locker is number 47."]),
        ("He was born on May 1, 1980.", ["He was born on May 1, 1980."]),
        ("It costs $3.", ["It costs $3."]),
        ("We open at 9 a.m.", ["We open at 9 a.m."]),
        ("Really?!", ["Really?!"]),
        ("He asked “why?”", ["He asked “why?”"]),
        ("No.", ["No."]),
        ("Ask Dr.", []),
        ("Ask J.", []),
        ("Take the no.", []),
        ("1.", []),
        ("Let me see...", []),
        ("He said “yes.", []),
        ("We open at 9 a.m. Ple", []),
        ("half a sen", []),
    ],
)
def test_a_pause_of_the_model_releases_what_is_probably_whole(fed: str, done: list[str]) -> None:
    chunker = SentenceChunker()
    chunker.feed(fed)
    assert chunker.release() == done


def test_nothing_is_lost_or_doubled_around_a_release() -> None:
    chunker = SentenceChunker()
    done = chunker.feed("It costs $3.") + chunker.release() + chunker.feed("50 today. Bye") + chunker.flush()
    assert done == ["It costs $3.", "50 today.", "Bye"]


def test_a_refused_release_does_not_end_the_wait() -> None:
    chunker = SentenceChunker()
    done = chunker.feed("Ask Dr.") + chunker.release() + chunker.feed(" Lee. Now") + chunker.flush()
    assert done == ["Ask Dr. Lee.", "Now"]


def test_waiting_is_told_so_that_a_timer_is_run_only_then() -> None:
    chunker = SentenceChunker()
    chunker.feed("It left")
    assert not chunker.undecided
    chunker.feed(".")
    assert chunker.undecided
    chunker.feed(" It")
    assert not chunker.undecided


@pytest.mark.parametrize(
    "text", ["Wow" + "!" * 500 + " ok", "Wow. " + " " * 500 + "ok", "Wow. " + "“" * 500, "Mr. " + "x" * 200]
)
def test_rows_of_marks_and_spaces_do_not_wait_for_ever(text: str) -> None:
    chunker = SentenceChunker()
    done = chunker.feed(text)
    assert "".join((" ".join(done + chunker.flush())).split()) == "".join(text.split())


def test_a_long_word_decides_nothing() -> None:
    boundary = Boundary(sentence_rules("en"), ".", 4, Before("left", "It", False, True, False))
    boundary.see(" ", 4)
    verdicts = [boundary.see("x", at) for at in range(5, 60)]
    assert Verdict.GO_ON in verdicts


def test_a_reply_in_small_letters_is_cut_too() -> None:
    chunker = SentenceChunker()
    assert chunker.feed("hello there. how are you? fine") == ["hello there.", "how are you?"]
