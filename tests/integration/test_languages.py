"""Each language with the real voice: words survive the telephone, and their times are true."""

import statistics

import pytest

from tests.rig.speech import VOICES, Speech, character_error_rate, comparable, error_rate, heard, say, sentences
from tests.rig.word_times import differences_s, heard_words, pauses, spoken_words, start_errors_s
from tts_worker.kokoro import KokoroEngine
from tts_worker.kokoro_onnx import build_engine

pytestmark = [pytest.mark.models, pytest.mark.timeout(300)]

# Sentences a language, and how many of their words Whisper may get wrong.
SENTENCES = 2
BOUNDS = {"en": 0.05, "es": 0.10, "fr": 0.15, "id": 0.15, "it": 0.15, "pt": 0.15}
MEDIAN_TIME_ERROR_S = 0.060
_TIMED = ("en", "es", "id")


@pytest.fixture(scope="module")
def engine() -> KokoroEngine:
    engine = build_engine("", "", 2, "cpu")
    engine.warm_up()
    return engine


@pytest.fixture(scope="module")
def speeches(engine: KokoroEngine) -> dict[str, list[Speech]]:
    return {
        language: [
            say(engine, line, language) for line in sentences(language)[: 1 if language in "ja zh" else SENTENCES]
        ]
        for language in VOICES
    }


@pytest.mark.parametrize("language", sorted(BOUNDS))
def test_the_words_are_understood_over_the_phone(language: str, speeches: dict[str, list[Speech]]) -> None:
    assert error_rate([(speech.text, heard(speech)) for speech in speeches[language]]) <= BOUNDS[language]


@pytest.mark.parametrize("language", ["hi", "zh"])
def test_the_sounds_of_hindi_and_chinese_are_understood_over_the_phone(
    language: str, speeches: dict[str, list[Speech]]
) -> None:
    pairs = [comparable(speech, heard(speech)) for speech in speeches[language]]
    said, understood = (" ".join(side) for side in zip(*pairs, strict=True))

    assert character_error_rate(said, understood) <= 0.35


def test_japanese_is_heard_as_japanese(speeches: dict[str, list[Speech]]) -> None:
    (speech,) = speeches["ja"]

    assert "ございます" in heard(speech)


@pytest.mark.parametrize("language", sorted(VOICES))
def test_every_word_has_its_time_and_its_place_in_the_text(language: str, speeches: dict[str, list[Speech]]) -> None:
    for speech in speeches[language]:
        assert "".join(word.text for word in speech.words) == "".join(
            speech.text[word.start_char : word.end_char] for word in speech.words
        )
        times = [moment for word in speech.words for moment in (word.start_s, word.end_s)]
        assert times == sorted(times)
        assert times[-1] <= speech.duration_s
        untimed = list(speech.text)
        for word in speech.words:
            untimed[word.start_char : word.end_char] = " " * (word.end_char - word.start_char)
        assert not any(char.isalnum() for char in untimed)


def test_words_begin_where_the_sound_does(speeches: dict[str, list[Speech]]) -> None:
    errors_s = [
        error
        for language in _TIMED
        for speech in speeches[language]
        for error in start_errors_s(spoken_words(speech), pauses(speech))
    ]

    assert len(errors_s) >= 5
    assert statistics.median(map(abs, errors_s)) <= MEDIAN_TIME_ERROR_S


def test_word_times_agree_with_whispers_but_for_its_lead(speeches: dict[str, list[Speech]]) -> None:
    errors_s = [
        error
        for language in _TIMED
        for speech in speeches[language]
        for error in differences_s(spoken_words(speech), heard_words(speech), lambda word: word.start_s)
    ]
    lead_s = statistics.median(errors_s)

    assert len(errors_s) >= 30
    assert 0.0 <= lead_s <= 0.12
    assert statistics.median(abs(error - lead_s) for error in errors_s) <= MEDIAN_TIME_ERROR_S
