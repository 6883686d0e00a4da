"""Kinds of characters."""

import pytest

from gateway.text.characters import is_cjk, is_emoji, phonemes, starts_uncased


@pytest.mark.parametrize("char", ["🎉", "✅", "❤", "\ufe0f", "\u200d", "🏽", "🇯"])
def test_emoji_and_their_parts(char: str) -> None:
    assert is_emoji(char)


@pytest.mark.parametrize("char", ["a", "1", "$", "+", "©", "👉", "→"])
def test_signs_and_pointing_hands_are_no_emoji(char: str) -> None:
    assert not is_emoji(char)


@pytest.mark.parametrize(("char", "uncased"), [("क", True), ("あ", True), ("a", False), ("A", False), ("1", False)])
def test_scripts_without_capitals(char: str, uncased: bool) -> None:
    assert starts_uncased(char) is uncased


@pytest.mark.parametrize(
    ("char", "cjk"), [("漢", True), ("か", True), ("。", True), ("！", True), ("a", False), ("ह", False)]
)
def test_scripts_without_spaces(char: str, cjk: bool) -> None:
    assert is_cjk(char) is cjk


def test_digits_and_signs_cost_more_than_letters() -> None:
    assert phonemes("a") < phonemes("漢") < phonemes("A") < phonemes("$") == phonemes("@") < phonemes("7")
    assert phonemes("a") < phonemes("ह") < phonemes("か")
