"""Spoken.origin_end(): how much of the text has been heard."""

from gateway.text.spans import Span, Spoken

_SPOKEN = Spoken("three dollars now", (Span(0, 5, 0, 2), Span(6, 13, 0, 2), Span(14, 17, 3, 6)))


def test_nothing_heard_covers_nothing() -> None:
    assert _SPOKEN.origin_end(0) == 0
    assert Spoken("", ()).origin_end(5) == 0


def test_a_word_that_was_begun_counts() -> None:
    assert _SPOKEN.origin_end(1) == 2
    assert _SPOKEN.origin_end(14) == 2
    assert _SPOKEN.origin_end(15) == 6
    assert _SPOKEN.origin_end(99) == 6
