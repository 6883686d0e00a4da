"""Faults that people reported of voice bots' text, by the numbers of the field cases (section 6)."""

import pytest

from gateway.text.chunker import SentenceChunker
from gateway.text.speakable import speak


def streamed(*tokens: str) -> list[str]:
    chunker = SentenceChunker()
    return [piece for token in tokens for piece in chunker.feed(token)] + chunker.flush()


def test_f81_a_number_split_across_tokens_is_not_cut() -> None:
    assert streamed("It is $3", ".", "50 today.", " Good") == ["It is $3.50 today.", "Good"]
    assert streamed("At 98", ".", "6°F it", " is fine.") == ["At 98.6°F it is fine."]


@pytest.mark.parametrize(
    "text",
    ["Ask Dr. Smith now.", "Bring a card, e.g. a passport.", "The U.S. office is here.", "Go to St. Mary today."]
    + ["It opens at 9:30 a.m. every day.", "Take No. 5 there."],
)
def test_f82_abbreviations_do_not_cut(text: str) -> None:
    assert streamed(*text) == [text]


def test_f82_an_abbreviation_may_end_its_sentence() -> None:
    assert streamed("It opens at 9 a.m. ", "Then", " we start.") == ["It opens at 9 a.m.", "Then we start."]


def test_f83_a_sentence_that_ends_in_a_digit_is_released_by_the_next_token_or_the_timer() -> None:
    chunker = SentenceChunker()
    assert chunker.feed("He was born on May 1, 1980.") == []
    assert chunker.undecided
    assert chunker.release() == ["He was born on May 1, 1980."]
    assert chunker.feed("He was born in 1980.") + chunker.feed(" He") == ["He was born in 1980."]


def test_f85_dots_in_addresses_and_attributes_do_not_cut() -> None:
    assert streamed("Write to first", ".", "last@x", ".com today.") == ["Write to first.last@x.com today."]
    assert streamed('Say <prosody ratio="1', '.05"> it.') == ['Say <prosody ratio="1.05"> it.']


def test_f87_marks_are_stripped_with_balance_and_nothing_else_is() -> None:
    assert speak("It is *ita" + "lic* and **bold**.").text == "It is italic and bold."
    assert speak("That is 5 * 3 for snake_case.").text == "That is five times three for snake case."
    assert speak("an *open mark").text == "an open mark"


def test_f88_emoji_arrows_and_tables_are_not_spoken() -> None:
    assert speak("✅ Done").text == "Done"
    assert speak("A → B").text == "A B"
    assert speak("| Day | Hours |\n|---|---|\n| Friday | nine |").text == "Day, Hours, Friday, nine,"
    assert speak("┌──┐ │ ✅").text == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("3,497", "three thousand four hundred and ninety seven"),
        ("$5.3 billion", "five point three billion dollars"),
        ("9:30PM", "nine thirty P M"),
    ],
)
def test_f89_numbers_are_read_as_people_read_them(text: str, said: str) -> None:
    assert speak(text).text == said


def test_f91_spoken_words_map_back_to_the_text_they_came_from() -> None:
    text = "You owe **$1,250** by 9:30PM."
    spoken = speak(text)
    for span in spoken.spans:
        if spoken.text[span.start : span.end] in ("thousand", "dollars"):
            assert text[span.origin_start : span.origin_end] == "$1,250"
        if spoken.text[span.start : span.end] == "thirty":
            assert text[span.origin_start : span.origin_end] == "9:30PM"
