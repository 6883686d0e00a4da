import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from config.errors import ConfigError
from tests.tts_worker.kokoro_rig import SYMBOLS, shared_phonemizer
from tts_worker.english import EnglishReader, load_tagger
from tts_worker.espeak import ESPEAK_LOCK
from tts_worker.pieces import Unit
from tts_worker.symbols import Alphabet


def read(text: str, language: str = "en-us") -> list[Unit]:
    return shared_phonemizer().units(text, language)


def spoken(text: str, language: str = "en-us") -> str:
    return "".join(unit.phonemes + " " * unit.space for unit in read(text, language))


def words(text: str) -> list[str]:
    return [text[unit.start_char : unit.end_char] for unit in read(text) if unit.is_word]


def test_a_sentence_is_read_by_dictionary() -> None:
    assert spoken("Hello, how can I help you?") == "həlˈO, hˌW kæn ˌI hˈɛlp ju?"


def test_parts_of_speech_decide_how_a_word_is_read() -> None:
    assert spoken("I read it yesterday.") != spoken("I will read it.")


def test_a_name_no_dictionary_has_is_read_by_espeak() -> None:
    assert [unit.is_word for unit in read("Wiyantoro Zbigniewski")] == [True, True]


def test_british_and_american_english_differ() -> None:
    assert spoken("water car", "en-gb") != spoken("water car", "en-us")
    assert "ː" in spoken("car", "en-gb")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It's $5.30, or 50%!", ["It's", "$5.30", "or", "50%"]),
        ("  Mr. Smith (don't ask)", ["Mr.", "Smith", "don't", "ask"]),
        ("one\n\ntwo\tthree", ["one", "two", "three"]),
        ("see you at 9:30 PM.", ["see", "you", "at", "9:30", "PM"]),
        ("Mr. Smith", ["Mr.", "Smith"]),
    ],
)
def test_words_are_found_where_they_stand(text: str, found: list[str]) -> None:
    assert words(text) == found


@pytest.mark.parametrize("text", ["We close at 6 P. M.", "ask for Dr.", "It closes at 6 p.m.  "])
def test_an_abbreviation_at_the_end_ends_the_sentence(text: str) -> None:
    units = read(text)
    stop = len(text.rstrip())

    assert (units[-1].phonemes, units[-1].start_char, units[-1].end_char) == (".", stop - 1, stop)
    assert units[-2].is_word
    assert units[-2].end_char == stop - 1
    assert not units[-2].space


def test_line_breaks_part_words() -> None:
    assert spoken("ok\nnext") == spoken("ok next")


@pytest.mark.parametrize("text", ["", "…", "?!", "👍", "   "])
def test_text_with_nothing_to_say_has_no_words(text: str) -> None:
    assert words(text) == []


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=60))
def test_any_text_gives_units_in_order_in_the_models_symbols(text: str) -> None:
    units = read(text)

    assert set("".join(unit.phonemes for unit in units)) <= set(SYMBOLS)
    position = 0
    for unit in units:
        assert position <= unit.start_char < unit.end_char <= len(text)
        position = unit.end_char


def test_a_fallback_that_says_nothing_stops_the_start() -> None:
    deaf = Alphabet({})  # spells nothing, as a fallback that is not there would
    with ESPEAK_LOCK, pytest.raises(ConfigError, match="says nothing for a word outside the dictionary"):
        EnglishReader(False, load_tagger(), deaf)
