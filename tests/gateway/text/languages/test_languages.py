"""The languages' data: every language has what the rules rely on."""

import pytest

from gateway.text.languages import base_code, en, sentence_rules, speech_rules
from gateway.text.languages.rules import SentenceRules, listed, words
from gateway.text.languages.speech import table

_SPOKEN = ["en", "id", "es", "fr", "it", "pt", "hi"]


@pytest.mark.parametrize(("tag", "code"), [("pt-BR", "pt"), ("pt_br", "pt"), ("EN", "en"), ("zh-Hans-CN", "zh")])
def test_a_tag_belongs_to_its_base_language(tag: str, code: str) -> None:
    assert base_code(tag) == code


def test_an_unknown_language_gets_common_sentence_rules_and_no_speech() -> None:
    assert sentence_rules("xx") == SentenceRules()
    assert speech_rules("xx") is None
    assert speech_rules("ja") is None


@pytest.mark.parametrize("language", _SPOKEN)
def test_every_spoken_language_names_the_same_signs_and_ten_digits(language: str) -> None:
    speech = speech_rules(language)
    assert speech is not None
    assert set(en.SPEECH.signs) - {"sharp", "percent_one"} <= set(speech.signs)
    assert len(speech.digit_names) == 10
    assert {"$", "€", "rp"} <= set(speech.currencies)


@pytest.mark.parametrize("language", _SPOKEN)
def test_tables_are_keyed_in_small_letters(language: str) -> None:
    speech = speech_rules(language)
    assert speech is not None
    for entries in (speech.abbreviations, speech.before_number, speech.after_number, speech.currencies, speech.scales):
        assert [key for key in entries if key != key.lower() or not key] == []


@pytest.mark.parametrize("language", [*_SPOKEN, "ja", "zh"])
def test_no_abbreviation_has_two_meanings(language: str) -> None:
    rules = sentence_rules(language)
    assert not rules.titles & rules.closing
    assert not rules.titles & rules.before_number
    assert not rules.closing & rules.before_number


def test_word_lists_and_tables_are_read() -> None:
    assert words("a b", "b c") == {"a", "b", "c"}
    assert listed("b a", "c") == ("b", "a", "c")
    assert table("a.=b c | d=e\n  f=g") == {"a.": "b c", "d": "e", "f": "g"}
