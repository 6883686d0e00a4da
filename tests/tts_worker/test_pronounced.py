"""Sounds that a request brings along: in the model's symbols, in the word's own place, with nothing beside it lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.models import ModelStore
from media import pronunciation
from media.pronunciation import Pronunciation, check_ipa
from tests.tts_worker.kokoro_rig import make_alphabet, shared_phonemizer
from tts_worker.pieces import Unit
from tts_worker.pronounced import kokoro_phonemes
from tts_worker.symbols import Alphabet

ALPHABET = make_alphabet()


@pytest.mark.parametrize(
    ("ipa", "language", "phonemes"),
    [
        ("bəˈnænə", "en-us", "bənˈænə"),
        ("ˈstrɛŋθ", "en-us", "stɹˈɛŋθ"),
        ("ˈpero", "es", "pˈero"),
        ("ʃaʊˈmiː", "en-gb", "ʃWmˈiː"),
        ("'dʒəʊ.tʃɪ", "en-gb", "ʤˈQʧɪ"),
        ("ɪts", "en-us", "ɪts"),
        ("t͡sɛt͡s", "id", "ʦɛʦ"),
        ("k͡pa", "en-us", "kpa"),
        ("pɐ̃ũ", "pt-br", "pɐ\u0303u\u0303"),
        ("ˌnuː ˈjɔrk", "en-us", "nˌuː jˈɔɹk"),
        ("ɡʷa", "es", "ɡwa"),
        ("ˈŋ̩", "en-us", None),
    ],
)
def test_ipa_becomes_the_symbols_that_the_model_was_trained_with(ipa: str, language: str, phonemes: str | None) -> None:
    if phonemes is None:
        with pytest.raises(ValueError, match="no sound for"):
            check_ipa(ipa)
    else:
        assert kokoro_phonemes(check_ipa(ipa), language, ALPHABET) == phonemes


def assert_all_sound(alphabet: Alphabet) -> None:
    for symbol in pronunciation._SOUNDS | pronunciation._MARKS:
        assert kokoro_phonemes(f"a{symbol}", "es", alphabet) not in ("", "a"), f"{symbol!r} is left out"
    assert not alphabet.dropped


def test_no_symbol_that_is_taken_is_left_out() -> None:
    assert_all_sound(make_alphabet())


@pytest.mark.models
def test_nor_is_it_by_the_real_model() -> None:
    assert_all_sound(Alphabet.load(ModelStore().locate("kokoro-config")))


TAKEN = st.sampled_from(sorted(pronunciation._SOUNDS | pronunciation._MARKS | pronunciation._WRITING))


@given(st.text(TAKEN, max_size=30))
def test_whatever_is_taken_is_in_the_alphabet_and_says_something(ipa: str) -> None:
    try:
        checked = check_ipa(ipa)
    except ValueError:
        return
    phonemes = kokoro_phonemes(checked, "en-us", ALPHABET)
    ALPHABET.tokens(phonemes)
    assert phonemes.strip()


def spoken(text: str, language: str, *words: str) -> list[tuple[str, str]]:
    places = [Pronunciation(text.index(word), text.index(word) + len(word), "ˈzuː") for word in words]
    units = shared_phonemizer().units(text, language, places)
    assert_in_order(units)
    return [(text[unit.start_char : unit.end_char], unit.phonemes) for unit in units]


def assert_in_order(units: list[Unit]) -> None:
    for one, other in zip(units, units[1:], strict=False):
        assert one.start_char < one.end_char <= other.start_char


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I like Qwxyz very much.", "en-us"),
        ("(Qwxyz) 3.5, Qwxyz", "en-gb"),
        ("Me gusta Qwxyz, ¿y tú?", "es"),
        ("J'aime Qwxyz et toi", "fr"),
        ("Saya suka Qwxyz.", "id"),
        ("मुझे Qwxyz पसंद है।", "hi"),
        ("我喜欢 Qwxyz 手机。", "zh"),
        ("わたしは Qwxyz が すき です", "ja"),
        ("Qwxyz", "it"),
    ],
)
def test_a_word_sounds_so_in_every_language_and_the_others_stay(text: str, language: str) -> None:
    found = spoken(text, language, "Qwxyz")
    assert [phonemes for word, phonemes in found if word == "Qwxyz"][0] == "zˈuː"
    before = shared_phonemizer().units(text[: text.index("Qwxyz")], language)
    sounds = "".join(unit.phonemes for unit in before)
    assert "".join(phonemes for _, phonemes in found).startswith(f"{sounds}zˈuː")


def test_what_clings_to_a_word_is_still_said() -> None:
    assert spoken("Qwxyz's phone", "en-us", "Qwxyz")[:2] == [("Qwxyz", "zˈuː"), ("'s", "s")]
    assert [word for word, _ in spoken("anteQwxyz", "es", "Qwxyz")] == ["ante", "Qwxyz"]
    assert [word for word, _ in spoken("Qwxyzpost", "es", "Qwxyz")] == ["Qwxyz", "post"]


def test_several_words_may_be_one_and_one_text_may_have_several() -> None:
    assert spoken("in New York or LA now", "en-us", "New York", "LA")[1:4:2] == [("New York", "zˈuː"), ("LA", "zˈuː")]


def test_kanji_with_sounds_need_no_kana() -> None:
    assert ("東京", "zˈuː") in spoken("東京 です", "ja", "東京")
