"""Piece: forced cuts of text that has no end."""

import pytest

from gateway.text.characters import phonemes
from gateway.text.chunker import SentenceChunker
from gateway.text.piece import MAX_PIECE_CHARS, MAX_PIECE_PHONEMES


def pieces(text: str, language: str = "en") -> list[str]:
    chunker = SentenceChunker(language)
    return chunker.feed(text) + chunker.flush()


def test_a_long_sentence_is_cut_at_its_last_clause_mark() -> None:
    clause = "the quick brown fox jumps over the lazy dog near the river bank, "
    done = pieces(clause * 12)
    assert len(done) > 1
    assert all(piece.endswith("bank,") for piece in done)


def test_without_clause_marks_it_is_cut_at_a_space() -> None:
    done = pieces("word " * 200)
    assert all(piece.split() == ["word"] * len(piece.split()) for piece in done)
    assert max(map(len, done)) <= MAX_PIECE_CHARS


def test_a_cut_does_not_tear_numbers_or_names_while_there_is_another_space() -> None:
    done = pieces("we have it " * 26 + "555 0142 Anna Maria Smith " + "and so on " * 30)
    assert not any(piece.endswith(("555", "Anna", "Maria")) for piece in done)


def test_a_cut_does_not_tear_a_tag() -> None:
    done = pieces("word " * 55 + '<say as="x y z w v u" with="many more words in here"> ' + "word " * 20)
    assert all(piece.count("<") == piece.count(">") for piece in done)


def test_text_without_spaces_is_cut_at_the_bound() -> None:
    assert [len(piece) for piece in pieces("x" * 700)] == [MAX_PIECE_CHARS, MAX_PIECE_CHARS, 100]


@pytest.mark.parametrize("unit", ["9", "12,345 ", "$", "漢", "か", "WORD ", "नमस्ते "])
def test_what_is_said_long_is_cut_short(unit: str) -> None:
    done = pieces(unit * 300)
    dearest = phonemes("9")
    assert max(sum(phonemes(char) for char in piece) for piece in done) < MAX_PIECE_PHONEMES + dearest


def test_a_quotation_that_never_closes_is_cut_at_its_sentences() -> None:
    sentence = "Here is one more sentence of a quotation that never ends. "
    done = pieces("He said “" + sentence * 12)
    assert all(piece.endswith("ends.") for piece in done)
    assert max(map(len, done)) <= MAX_PIECE_CHARS


def test_an_unclosed_quotation_hides_no_sentence_end_of_its_line() -> None:
    assert pieces("He said “one. Two! Dr. Lee came\nNext line.") == [
        "He said “one.",
        "Two!",
        "Dr. Lee came",
        "Next line.",
    ]
    assert pieces("「はい。いいえ。たぶん", "ja") == ["「はい。", "いいえ。", "たぶん"]


def test_what_follows_a_forced_cut_is_no_list_marker() -> None:
    done = pieces("word " * 59 + "see 3. The end.")
    assert done[-1] == "The end."
