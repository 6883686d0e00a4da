"""speak() against the tables, its spans, and what must never reach a voice."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.text.spans import Spoken
from gateway.text.speakable import speak
from tests.gateway.text.tables import Case, cases

_CASES = cases("normalising", "spoken")


def comparable(text: str) -> str:
    """Letters, marks and digits in small letters; everything else is a space."""
    text = unicodedata.normalize("NFC", text).lower()
    return " ".join("".join(char if unicodedata.category(char)[0] in "LMN" else " " for char in text).split())


def origin(text: str, spoken: Spoken, word: str) -> str:
    """What the spoken word stands for in the text."""
    at = spoken.text.index(word)
    return next(text[span.origin_start : span.origin_end] for span in spoken.spans if span.start <= at < span.end)


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case.name)
def test_text_is_said_in_one_of_its_accepted_forms(case: Case) -> None:
    assert comparable(speak(case.text, case.lang).text) in [comparable(form) for form in case.right]


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case.name)
def test_nothing_unspeakable_is_left(case: Case) -> None:
    said = speak(case.text, case.lang).text
    assert not [char for char in said if char in "*#_`[]" or unicodedata.category(char)[0] == "S" or char.isdigit()]
    assert not re.search(r"(?m)^\s*-", said)


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case.name)
def test_every_spoken_word_has_its_place_in_the_text_in_order(case: Case) -> None:
    spoken = speak(case.text, case.lang)
    words = [spoken.text[span.start : span.end] for span in spoken.spans]
    assert "".join(words).replace(" ", "") == spoken.text.replace(" ", "")
    starts = [span.origin_start for span in spoken.spans]
    assert starts == sorted(starts)
    assert all(0 <= span.origin_start < span.origin_end <= len(case.text) for span in spoken.spans)


def test_an_expanded_number_keeps_the_place_of_the_digits() -> None:
    text = "Total **Rp 150.000** untuk Anda."
    spoken = speak(text, "id")
    assert spoken.text == "Total seratus lima puluh ribu rupiah untuk Anda."
    assert {origin(text, spoken, word) for word in ("seratus", "puluh", "rupiah")} == {"Rp 150.000"}
    assert origin(text, spoken, "untuk") == "untuk"


def test_words_behind_markdown_entities_and_links_keep_their_place() -> None:
    text = "See [our page](https://example.com/a_b) &amp; *ask*  \\#now please."
    spoken = speak(text)
    assert spoken.text.startswith("See our page and ask")
    assert origin(text, spoken, "page") == "page"
    assert origin(text, spoken, "and") == "&"
    assert origin(text, spoken, "please") == "please."


def test_heard_characters_map_back_to_the_text_they_cover() -> None:
    text = "It costs $3.50 today."
    spoken = speak(text)
    heard = spoken.text.index("fifty") + 2
    assert text[: spoken.origin_end(heard)] == "It costs $3.50"
    assert spoken.origin_end(0) == 0


@pytest.mark.parametrize("text", ["", "  \n", "🎉", "✅ 👋🏽", "***", "---", "```", "…", "→", "❤️"])
def test_text_without_words_has_nothing_to_say(text: str) -> None:
    assert speak(text) == Spoken("", ())


def test_the_lexicon_decides_before_every_rule() -> None:
    lexicon = {"Nguyen": "win", "ATM": "cash machine", "Dr.": "doc"}
    text = "nguyen uses the ATM of Dr. Lee."
    spoken = speak(text, "en", lexicon)
    assert spoken.text == "win uses the cash machine of doc Lee."
    assert origin(text, spoken, "machine") == "ATM"


def test_the_lexicon_knows_whole_words_only() -> None:
    assert speak("cats and a cat", "en", {"cat": "feline"}).text == "cats and a feline"


@pytest.mark.parametrize(("language", "said"), [("ja", "3 個です"), ("zh", "3 個です"), ("xx", "3 個です")])
def test_a_language_without_rules_keeps_its_numbers(language: str, said: str) -> None:
    assert speak("**3 個**です ✅", language).text.replace("個 で", "個で") == said


def test_a_regional_tag_speaks_like_its_language() -> None:
    assert speak("R$ 5", "pt-BR").text == speak("R$ 5", "pt").text == "cinco reais"


def test_lines_end_in_pauses_and_list_numbers_are_said() -> None:
    assert (
        speak("# Hours\nWe close at noon.\n1. Knock\n2. Wait").text == "Hours. We close at noon. one, Knock. two, Wait"
    )


def test_unbalanced_marks_are_dropped() -> None:
    assert speak("**Warning. Hot _surface.").text == "Warning. Hot surface."


def test_the_words_stay_out_of_the_repr() -> None:
    assert "secret" not in repr(speak("my secret number"))


def test_a_word_with_sounds_stays_as_it_is_written_and_its_place_is_told() -> None:
    written = "Ask **Xiaomi's** shop, or Nguyen in new  york, on 5 May."
    spoken = speak(written, "en", {"xiaomi": "/ʃaʊˈmiː/", "Nguyen": "win", "New  York": "/nuː jɔrk/"})
    assert spoken.text == "Ask Xiaomi's shop, or win in new york, on the fifth of May."
    places = [(spoken.text[p.start_char : p.end_char], p.ipa) for p in spoken.pronunciations]
    assert places == [("Xiaomi", "ʃaʊˈmiː"), ("new york", "nuː jɔrk")]
    (name,) = [span for span in spoken.spans if spoken.text[span.start : span.end] == "Xiaomi"]
    assert written[name.origin_start : name.origin_end] == "Xiaomi"


@pytest.mark.parametrize(
    "word", ["[Xiaomi](/iː/)", "Xiaomi /iː/", "{{Xiaomi|iː}}", "<phoneme ph='iː'>Xiaomi</phoneme>"]
)
def test_what_a_model_writes_is_never_taken_for_sounds(word: str) -> None:
    assert speak(word, "en").pronunciations == ()
    assert {p.ipa for p in speak(word, "en", {"Xiaomi": "/ʃaʊ/"}).pronunciations} <= {"ʃaʊ"}


LEXICONS = st.dictionaries(st.text(min_size=1, max_size=6), st.sampled_from(["a", "/ə/"]), max_size=4)


@given(st.text(max_size=80), LEXICONS)
def test_with_any_lexicon_every_place_is_a_word_of_the_text(text: str, lexicon: dict[str, str]) -> None:
    spoken = speak(text, "en", lexicon)
    at = 0
    for place in spoken.pronunciations:
        assert at <= place.start_char < place.end_char <= len(spoken.text)
        at = place.end_char
