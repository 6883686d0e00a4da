"""A word with sounds of its own is heard with them, in every language, and its times are those of the written word."""

import pytest

from tests.rig.speech import heard, say
from tests.rig.whisper import plain
from tts_worker.kokoro import KokoroEngine
from tts_worker.kokoro_onnx import build_engine

pytestmark = [pytest.mark.models, pytest.mark.timeout(300)]

# By language: a sentence around an invented word, sounds for it, and the word of the language that they are.
CASES = [
    ("en", "I would like to eat a Zorvex for breakfast.", "/bəˈnænə/", "banana"),
    ("es", "El perro y el Zorvex viven en la misma casa.", "/ˈɡato/", "gato"),
    ("fr", "Je voudrais un Zorvex avec du lait, s'il vous plaît.", "/kaˈfe/", "café"),
    ("it", "Vorrei un bicchiere di Zorvex, per favore.", "/ˈvino/", "vino"),
    ("pt", "O cachorro e o Zorvex moram na mesma casa.", "/ˈɡatu/", "gato"),
    ("id", "Saya mau makan nasi Zorvex dengan telur.", "/ɡoˈrɛŋ/", "goreng"),
]


@pytest.fixture(scope="module")
def engine() -> KokoroEngine:
    engine = build_engine("", "", 2, "cpu")
    engine.warm_up()
    return engine


@pytest.mark.parametrize(("language", "sentence", "sounds", "word"), CASES)
def test_the_sounds_of_the_lexicon_are_heard(
    engine: KokoroEngine, language: str, sentence: str, sounds: str, word: str
) -> None:
    plainly = say(engine, sentence, language)
    told = say(engine, sentence, language, lexicon={"zorvex": sounds})
    assert word not in plain(heard(plainly)).split()
    assert word in plain(heard(told)).split()
    (place,) = [spoken for spoken in told.words if spoken.text == "Zorvex"]
    assert told.text[place.start_char : place.end_char] == "Zorvex"
    assert 0.1 < place.end_s - place.start_s < 1.2
    assert [spoken.text for spoken in told.words] == [spoken.text for spoken in plainly.words]
    assert all(one.end_s <= other.start_s + 0.001 for one, other in zip(told.words, told.words[1:], strict=False))


def test_another_spelling_is_heard_too(engine: KokoroEngine) -> None:
    assert "banana" in plain(heard(say(engine, CASES[0][1], "en", lexicon={"Zorvex": "banana"})))
