import numpy as np
import numpy.typing as npt
import pytest

from media.pcm import float_to_pcm16
from media.tts_wire import Word
from tests.rig.speech import Speech, misheard_rate
from tests.rig.word_times import differences_s, end_errors_s, pauses, spoken_words, start_errors_s

RATE_HZ = 24_000


def two_sounds() -> Speech:
    """Sound from 0 to 0.5 s and from 0.7 to 1.2 s; its words are timed 20 ms late and 10 ms early there."""
    tone = np.sin(np.arange(round(0.5 * RATE_HZ)) / 10).astype(np.float32) / 2
    silence = np.zeros(round(0.2 * RATE_HZ), np.float32)
    samples: npt.NDArray[np.float32] = np.concatenate((tone, silence, tone))
    words = (Word("Satu", 0.0, 0.52, 0, 4), Word("dua", 0.69, 1.2, 6, 9))
    return Speech("Satu, dua", "id", float_to_pcm16(samples).pcm, RATE_HZ, words)


def test_words_beside_a_pause_are_held_against_the_sound() -> None:
    speech = two_sounds()
    words, silences = spoken_words(speech), pauses(speech)

    assert silences == [pytest.approx((0.5, 0.7), abs=0.005)]
    assert start_errors_s(words, silences) == [pytest.approx(-0.01, abs=0.005)]
    assert end_errors_s(words, silences) == [pytest.approx(0.02, abs=0.005)]


def test_words_that_both_have_are_compared() -> None:
    words = spoken_words(two_sounds())
    others = [words[0]._replace(text="tiga"), words[1]._replace(start_s=0.6)]

    assert differences_s(words, others, lambda word: word.start_s) == [pytest.approx(0.09)]


@pytest.mark.parametrize(
    ("said", "understood", "wrong"),
    [("ke surabaya", "kesurabaya", 0), ("lima belas", "lima balas lagi", 2), ("a b", "", 2), ("satu dua", "satu", 1)],
)
def test_spaces_alone_make_no_word_misheard(said: str, understood: str, wrong: int) -> None:
    assert misheard_rate([(said, understood)]) == wrong / len(said.split())
