"""expectation(): what the word before a full stop says about what follows."""

import pytest

from gateway.text.expectation import After, Before, core, expectation
from gateway.text.languages import sentence_rules


@pytest.mark.parametrize(
    ("language", "previous", "word", "first", "expected"),
    [
        ("en", "is", "done", False, After.ANYTHING),
        ("en", "ask", "Dr", False, After.ALWAYS_MORE),
        ("en", "Elm", "Dr", False, After.NAME),
        ("en", "5th", "St", False, After.NAME),
        ("en", "on", "St", False, After.ALWAYS_MORE),
        ("en", "gate", "No", False, After.NUMBER),
        ("en", "on", "Jan", False, After.NUMBER),
        ("en", "9", "a.m", False, After.CLOSING),
        ("en", "hats,", "etc", False, After.CLOSING),
        ("en", "Plan", "B", False, After.ANYTHING),
        ("en", "for", "R", False, After.NAME),
        ("en", "by", "T.S", False, After.NAME),
        ("en", "", "1", True, After.ALWAYS_MORE),
        ("en", "", "iv", True, After.ALWAYS_MORE),
        ("en", "", "No", True, After.NUMBER),
        ("en", "things:", "1", False, After.ALWAYS_MORE),
        ("en", "Ruiz,", "M.Sc.B", False, After.CLOSING),
        ("en", "plan", "(incl", False, After.ALWAYS_MORE),
        ("id", "Budi,", "S.Kom", False, After.CLOSING),
        ("id", "oleh", "dr", False, After.ALWAYS_MORE),
        ("it", "", "L'ing", False, After.ALWAYS_MORE),
        ("xx", "ask", "Dr", False, After.ALWAYS_MORE),
    ],
)
def test_words_before_a_full_stop(language: str, previous: str, word: str, first: bool, expected: After) -> None:
    before = Before(word, previous, first, False, False)
    assert expectation(sentence_rules(language), before) is expected


@pytest.mark.parametrize(
    ("token", "word"), [("“(Dr", "Dr"), ("a/St", "St"), ("*No*", "No"), ("it’s", "it's"), ("...", "")]
)
def test_the_core_of_a_token_is_without_marks(token: str, word: str) -> None:
    assert core(token) == word
