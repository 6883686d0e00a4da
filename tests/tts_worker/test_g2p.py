from concurrent.futures import ThreadPoolExecutor

import pytest
from structlog.testing import capture_logs

from gateway.text.speakable import speak
from media.tts_wire import ErrorCode
from tests.rig.speech import VOICES, sentences
from tests.tts_worker.kokoro_rig import make_alphabet, shared_phonemizer
from tests.tts_worker.test_espeak import SENTENCES
from tts_worker.engine import EngineError
from tts_worker.g2p import MAX_TEXT_CHARS, Phonemizer
from tts_worker.languages import resolve_language


def test_loading_tries_the_dictionaries_and_the_fallback() -> None:
    shared_phonemizer().load()

    assert shared_phonemizer().units("Halo", "id")


def test_threads_at_once_get_what_one_alone_gets() -> None:
    phonemizer = shared_phonemizer()
    jobs = [*((text, language) for language, text in SENTENCES.items()), ("Dr. Wiyantoro calls Zbigniew.", "en-us")] * 6
    alone = [phonemizer.units(text, language) for text, language in jobs]

    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda job: phonemizer.units(*job), jobs))

    assert together == alone


def test_a_text_beyond_the_limit_is_refused_with_the_remedy() -> None:
    with pytest.raises(EngineError, match="send it by sentence") as refused:
        shared_phonemizer().units("a" * (MAX_TEXT_CHARS + 1), "en-us")
    assert refused.value.code is ErrorCode.TEXT_TOO_LONG


def test_japanese_in_kanji_is_refused_rather_than_spelt() -> None:
    with pytest.raises(EngineError, match="kana") as refused:
        shared_phonemizer().units("東京です", "ja")
    assert refused.value.code is ErrorCode.BAD_FIELD


def test_chinese_characters_in_another_language_are_left_out_and_counted() -> None:
    text = "Say 你好 now"
    with capture_logs() as logs:
        units = shared_phonemizer().units(text, "en-us")

    assert [text[unit.start_char : unit.end_char] for unit in units] == ["Say", "now"]
    assert [(entry["event"], entry["count"]) for entry in logs] == [("unreadable_characters_left_out", 2)]


def test_a_long_text_is_read_to_its_end() -> None:
    text = "no stop in sight " * 40

    assert sum(unit.is_word for unit in shared_phonemizer().units(text, "en-us")) == 160


@pytest.mark.parametrize("language", sorted(VOICES))
def test_every_word_of_a_languages_sentences_is_spoken_in_symbols_the_model_has(language: str) -> None:
    phonemizer = Phonemizer(make_alphabet())
    for sentence in sentences(language):
        text = speak(sentence, language).text
        silent = list(text)
        for unit in phonemizer.units(text, resolve_language(language, VOICES[language]) or ""):
            silent[unit.start_char : unit.end_char] = " " * (unit.end_char - unit.start_char)
        assert not any(char.isalnum() for char in silent)

    assert not phonemizer.alphabet.dropped
