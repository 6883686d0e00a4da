"""Small words: every language of the bot has its own, written as recognisers write them."""

import pytest

from gateway.call.hearing.habits import habits_of


@pytest.mark.parametrize("language", ["en", "id", "es", "fr", "it", "pt", "hi", "ja", "zh"])
def test_every_language_has_its_small_words_in_lower_case(language: str) -> None:
    habits = habits_of(language)
    for words in (habits.dangling, habits.answers, habits.backchannels, habits.attention, habits.dictation):
        assert words
        assert all(word == word.lower().strip() != "" for word in words)
    assert not habits.dangling & habits.answers


def test_a_region_changes_nothing_and_an_unknown_language_is_taken_for_english() -> None:
    assert habits_of("pt-br") is habits_of("pt")
    assert habits_of("tlh") is habits_of("en")
