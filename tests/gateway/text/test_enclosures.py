"""Enclosures: what is open after some text."""

import pytest

from gateway.text.enclosures import Enclosures


def depth_after(text: str) -> int:
    enclosures = Enclosures()
    for at in range(len(text)):
        enclosures.see(text, 0, at)
    return enclosures.depth


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        ("(a", 1),
        ("(a (b)", 1),
        ("(a (b))", 0),
        ("“a ‘b", 2),
        ("“a ‘b’ c”", 0),
        ('say "a', 1),
        ('say "a"', 0),
        ('27" wide', 0),
        ("5'10\" high", 0),
        ("say 'a", 1),
        ("say 'a' b", 0),
        ("say 'it's so", 1),
        ("‘it’s so", 1),
        ("the guests' keys", 0),
        ("'Tis late", 0),
        ("`a", 1),
        ("`a`", 0),
        ("<b x", 1),
        ("<b>", 0),
        ("</b", 1),
        ("a < b", 0),
        ("5 <6", 0),
        ("sad :(", 0),
        ("«a »", 0),
        ("„a“", 0),
        ("「a『b』", 1),
        ('他说"车', 1),
        ("a) b", 0),
        ("([a)", 0),
        ("(" * 50, 8),
    ],
)
def test_what_is_open_after_the_text(text: str, depth: int) -> None:
    assert depth_after(text) == depth


def test_only_the_outermost_close_is_told() -> None:
    text = "(a (b) c)"
    enclosures = Enclosures()
    assert [enclosures.see(text, 0, at) for at in range(len(text))] == [False] * 8 + [True]


def test_clearing_forgets_everything() -> None:
    enclosures = Enclosures()
    enclosures.see("<b", 0, 0)
    enclosures.see("<b", 0, 1)
    assert enclosures.in_tag
    enclosures.clear()
    assert not enclosures.in_tag
    assert enclosures.depth == 0
