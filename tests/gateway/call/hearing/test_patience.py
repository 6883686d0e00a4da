"""Patience: whole sentences are answered soon, thinking and dictating callers are waited for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.call.hearing.patience import Completeness, Patience, completeness

C = Completeness


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "What time do you open on Monday?"),
        ("en", "I would like to book a table for four people."),
        ("en", "Yes"),
        ("en", "no, thanks"),
        ("en", "It's anna dot smith at example dot com."),
        ("en", "anna.smith@example.com"),
        ("en", "Which one is it for?"),
        ("en", "At half past 7."),
        ("id", "Jam berapa buka hari Minggu?"),
        ("id", "Tidak, terima kasih."),
        ("es", "¿A qué hora abren el lunes?"),
        ("fr", "Non, merci."),
        ("it", "Vorrei prenotare un tavolo."),
        ("pt", "Sim"),
        ("hi", "मुझे एक टेबल बुक करनी है।"),
        ("ja", "予約をお願いします。"),
        ("zh", "我想订一张桌子。"),
    ],
)
def test_a_whole_sentence_is_complete(language: str, text: str) -> None:
    assert completeness(text, language) is C.COMPLETE


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "I'd like to, um"),
        ("en", "I would like to book a table for."),
        ("en", "Could I speak to my."),
        ("en", "We open at nine and"),
        ("en", "I think..."),
        ("en", "Well,"),
        ("en", "My phone number is 555"),
        ("en", "My phone number is five five five."),
        ("en", "555 12"),
        ("en", "It's spelt M A R"),
        ("en", "My email is anna at gmail"),
        ("en", "anna@gmail"),
        ("en", "Do you have?"),
        ("id", "Saya mau pesan meja untuk."),
        ("id", "Nomor telepon saya 0812 345"),
        ("id", "Saya mau tanya eh"),
        ("es", "Quiero reservar una mesa para"),
        ("fr", "Je voudrais réserver une table pour"),
        ("it", "Vorrei prenotare un tavolo per"),
        ("pt", "Eu quero reservar uma mesa para"),
        ("hi", "मैं सोमवार को"),
        ("ja", "予約したいんですけど"),
        ("zh", "我想订桌子但是"),
    ],
)
def test_a_caller_who_thinks_or_dictates_is_unfinished(language: str, text: str) -> None:
    assert completeness(text, language) is C.UNFINISHED


@pytest.mark.parametrize("text", ["", "   ", "..."])
def test_without_words_nothing_is_known(text: str) -> None:
    assert completeness(text, "en") is C.UNKNOWN


def test_without_words_who_was_asked_to_dictate_has_more_time() -> None:
    assert completeness("", "en", asked="Could you spell that for me?") is C.UNFINISHED
    assert completeness("", "id", asked="Boleh saya minta nomor teleponnya?") is C.UNFINISHED
    assert completeness("", "en", asked="Your number is noted.") is C.UNKNOWN


def test_words_without_a_mark_are_open() -> None:
    assert completeness("book a table", "en") is C.OPEN


def test_an_unmarked_end_is_waited_for_longer_where_the_recogniser_marks_ends() -> None:
    patience = Patience(300, 600, 1100)
    assert patience.silence_ms(C.OPEN, punctuates=True) == 1100
    assert patience.silence_ms(C.COMPLETE, punctuates=True) == 300


def test_who_was_asked_for_a_number_is_waited_for() -> None:
    asked = "What is your phone number?"
    assert completeness("Yes, 55.", "en", asked=asked) is C.UNFINISHED
    assert completeness("555 123 4567", "en", asked=asked) is not C.UNFINISHED
    assert completeness("M as in Mike.", "en", asked="Please spell your name.") is C.UNFINISHED


def test_half_an_address_that_was_read_as_a_sentence_is_not_believed() -> None:
    assert completeness("My mail is on it.", "en", asked="Thank you. What is your e-mail address?") is C.UNKNOWN
    assert completeness("It is anna@example.com.", "en", asked="What is your e-mail address?") is C.COMPLETE
    assert completeness("I will do that.", "en", asked="What is your number? I see it here.") is C.COMPLETE


def test_a_small_number_is_no_dictation() -> None:
    assert completeness("A table for 4.", "en") is C.COMPLETE


def test_an_unknown_language_is_judged_like_english() -> None:
    assert completeness("for the", "xx") is C.UNFINISHED
    assert completeness("para", "pt-br") is C.UNFINISHED


def test_the_silence_grows_with_doubt() -> None:
    patience = Patience(300, 600, 1100)
    assert [patience.silence_ms(c) for c in C] == [300, 600, 900, 1100]


def test_a_voice_that_goes_on_outweighs_words_that_look_whole() -> None:
    patience = Patience(300, 600, 1100)
    assert [patience.silence_ms(c, sounds_open=True) for c in C] == [1100, 600, 900, 1100]


@given(st.text(max_size=80), st.sampled_from(["en", "id", "hi", "ja"]))
def test_any_text_is_judged(text: str, language: str) -> None:
    assert completeness(text, language, asked=text) in Completeness


@pytest.mark.timeout(20)  # a search that looks back from every letter would take hours
@pytest.mark.parametrize("endless", ["a ", "1 ", ".", "- ", "at "])
def test_words_without_end_are_judged_by_their_end(endless: str) -> None:
    assert completeness(endless * 100_000 + "that is all.", "en") is Completeness.COMPLETE
    assert completeness(endless * 100_000 + "and my", "en") is Completeness.UNFINISHED
