"""ClauseBoundary and the first-clause mode of the chunker."""

import pytest

from gateway.text.boundary import Verdict
from gateway.text.chunker import SentenceChunker
from gateway.text.clause import ClauseBoundary
from gateway.text.piece import FIRST_CLAUSE_MIN_CHARS


def early(text: str, language: str = "en") -> list[str]:
    chunker = SentenceChunker(language, first_clause=True)
    done = [piece for char in text for piece in chunker.feed(char)]
    return done + chunker.flush()


@pytest.mark.parametrize(
    ("language", "text", "pieces"),
    [
        ("en", "Of course I can, let me look. Done, sir.", ["Of course I can,", "let me look.", "Done, sir."]),
        ("en", "Sure, let me look it up, please.", ["Sure, let me look it up,", "please."]),
        ("en", "One thing is certain: it is closed.", ["One thing is certain:", "it is closed."]),
        ("en", "I looked it up — it is closed.", ["I looked it up —", "it is closed."]),
        ("en", "I looked it up—it is closed.", ["I looked it up—", "it is closed."]),
        ("en", "We open at 10am–4pm on Sunday.", ["We open at 10am–4pm on Sunday."]),
        ("en", "The total is $1,204.06 today.", ["The total is $1,204.06 today."]),
        ("en", "You can press 1, 2 or 3 now.", ["You can press 1, 2 or 3 now."]),
        ("en", "It was signed on May 5, 2026 at noon.", ["It was signed on May 5, 2026 at noon."]),
        ("en", "We ship from Portland, Oregon to you.", ["We ship from Portland, Oregon to you."]),
        ("en", "Unfortunately, Anna left early.", ["Unfortunately,", "Anna left early."]),
        ("en", "He told me “well, maybe, later” then.", ["He told me “well, maybe, later” then."]),
        ("en", "The keys (large, small, old) are here.", ["The keys (large, small, old) are here."]),
        ("en", 'Wait <break time="1s", x="2"/> here.', ['Wait <break time="1s", x="2"/> here.']),
        ("en", "The match starts at 14:05 today.", ["The match starts at 14:05 today."]),
        ("en", "First line here,\nsecond line.", ["First line here,", "second line."]),
        ("id", "Baik Pak, saya cek dulu ya, tunggu.", ["Baik Pak, saya cek dulu ya,", "tunggu."]),
        ("zh", "好的没问题我马上为您查询一下，请稍等。", ["好的没问题我马上为您查询一下，", "请稍等。"]),
    ],
)
def test_the_first_clause_is_released_where_nothing_is_torn(language: str, text: str, pieces: list[str]) -> None:
    assert early(text, language) == pieces


def test_only_the_first_piece_of_a_reply_is_a_clause_and_every_reply_has_one() -> None:
    chunker = SentenceChunker(first_clause=True)
    text = "I found your order, it left today. It arrives soon, I think."
    first = chunker.feed(text) + chunker.flush()
    assert first == ["I found your order,", "it left today.", "It arrives soon, I think."]
    assert chunker.feed(text)[:1] == ["I found your order,"]


def test_without_the_mode_no_clause_is_released() -> None:
    assert SentenceChunker().feed("I found your order, it left today") == []


def test_a_short_clause_waits() -> None:
    assert early("a" * (FIRST_CLAUSE_MIN_CHARS - 2) + ", b c") == ["a" * (FIRST_CLAUSE_MIN_CHARS - 2) + ", b c"]
    assert len(early("a" * (FIRST_CLAUSE_MIN_CHARS - 1) + ", b c")) == 2


def test_a_pause_of_the_model_releases_a_clause_but_not_a_number() -> None:
    chunker = SentenceChunker(first_clause=True)
    assert chunker.feed("I found your order, ") == []
    assert chunker.undecided
    assert chunker.release() == ["I found your order,"]
    chunker.reset()
    assert chunker.feed("You can press 1, ") + chunker.release() == []


def test_a_settled_clause_at_the_end_of_the_reply_stays_with_its_sentence() -> None:
    boundary = ClauseBoundary(",", 5, "word", False)
    assert boundary.settle() is Verdict.GO_ON
    boundary.see(" ", 5)
    assert boundary.settle() is Verdict.CUT
    assert boundary.settle(over=True) is Verdict.GO_ON
