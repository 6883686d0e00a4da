"""The engine of tests and load."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from media.tts_wire import ErrorCode
from tts_worker.engine import EngineError
from tts_worker.tone import MAX_PIECE_CHARS, VOICES_HZ, ToneEngine

ENGINE = ToneEngine()


def test_each_character_lasts_sixty_milliseconds() -> None:
    (piece,) = ENGINE.plan("Hello.", "af_heart", "en", 1.0)
    assert len(ENGINE.synthesize(piece).pcm) == 6 * 60 * 24 * 2


def test_twice_the_speed_lasts_half_as_long() -> None:
    (piece,) = ENGINE.plan("Hello.", "af_heart", "en", 2.0)
    assert len(ENGINE.synthesize(piece).pcm) == 6 * 30 * 24 * 2


@pytest.mark.parametrize("voice", VOICES_HZ)
def test_each_voice_is_its_own_tone(voice: str) -> None:
    (piece,) = ENGINE.plan("a" * 50, voice, "en", 1.0)
    samples = np.frombuffer(ENGINE.synthesize(piece).pcm, np.int16)
    spectrum = np.abs(np.fft.rfft(samples))
    assert int(np.argmax(spectrum)) * 24_000 / samples.size == pytest.approx(VOICES_HZ[voice])


def test_words_sound_where_their_times_say_and_between_them_is_silence() -> None:
    text = "One, two - three!"
    (piece,) = ENGINE.plan(text, "low", "en", 1.0)
    audio = ENGINE.synthesize(piece)
    samples = np.frombuffer(audio.pcm, np.int16).copy()
    assert [(word.text, text[word.start_char : word.end_char]) for word in audio.words] == [
        ("One,", "One,"),
        ("two", "two"),
        ("three!", "three!"),
    ]
    for word in audio.words:
        sounding = samples[round(word.start_s * 24_000) : round(word.end_s * 24_000)]
        assert np.abs(sounding).max() > 5_000
        sounding[:] = 0
    assert not samples.any()


@pytest.mark.parametrize("text", ["", "  ", "…", "👍", "?!", "\n"])
def test_text_without_a_word_has_nothing_to_say(text: str) -> None:
    assert ENGINE.plan(text, "low", "en", 1.0) == []


@given(st.text(alphabet="ab .,\n👍", max_size=500))
def test_pieces_cover_the_text_and_none_is_too_long(text: str) -> None:
    pieces = ENGINE.plan(text, "low", "en", 1.0)
    if pieces:
        assert "".join(piece.phonemes for piece in pieces) == text
    assert all(0 < len(piece.phonemes) <= MAX_PIECE_CHARS for piece in pieces)
    assert all(text[w.start_char : w.end_char] == w.text for piece in pieces for w in piece.words)


def test_a_long_text_is_cut_between_words() -> None:
    pieces = ENGINE.plan("word " * 100, "low", "en", 1.0)
    assert len(pieces) > 1
    assert all(piece.phonemes.endswith(" ") for piece in pieces)


def test_an_unknown_voice_is_an_engines_error() -> None:
    with pytest.raises(EngineError) as caught:
        ENGINE.plan("Hi", "nobody", "en", 1.0)
    assert caught.value.code is ErrorCode.UNKNOWN_VOICE


def test_a_realtime_factor_makes_it_take_time() -> None:
    engine = ToneEngine(realtime_factor=0.1)
    engine.warm_up()
    (piece,) = engine.plan("Hello there", "low", "en", 1.0)
    began_s = time.perf_counter()
    engine.synthesize(piece)
    assert time.perf_counter() - began_s >= 0.1 * 11 * 0.06
    engine.close()
