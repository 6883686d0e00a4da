import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tts_worker.kokoro_rig import SYMBOLS, make_alphabet
from tts_worker.espeak import ESPEAK_LOCK, EspeakReader
from tts_worker.languages import ESPEAK_VOICES
from tts_worker.pieces import Unit

SENTENCES = {
    "es": "Buenos días, gracias por llamar. ¿En qué puedo ayudarle hoy?",
    "fr": "Bonjour, merci d'avoir appelé. Comment puis-je vous aider ? Les enfants ont un œuf.",
    "hi": "नमस्ते, कॉल करने के लिए धन्यवाद। मैं आपकी क्या मदद कर सकता हूँ?",
    "id": "Selamat pagi, terima kasih sudah menelepon. Bagaimana saya bisa membantu Anda?",
    "it": "Buongiorno, grazie per aver chiamato. Come posso aiutarla?",
    "ja": "こんにちは。おでんわありがとうございます！ちょっとまってください。",
    "ms": "Selamat pagi, terima kasih kerana menghubungi kami.",
    "pt-br": "Bom dia, obrigado por ligar. Como posso ajudar você? Não, amanhã.",
    "zh": "你好。谢谢您的来电！请问有什么可以帮您？",
}


def read(text: str, language: str) -> list[Unit]:
    with ESPEAK_LOCK:
        return EspeakReader(language, make_alphabet()).units(text)


def spoken(text: str, language: str) -> str:
    return "".join(unit.phonemes + " " * unit.space for unit in read(text, language))


@pytest.mark.parametrize("language", sorted(SENTENCES))
def test_nothing_of_a_usual_sentence_is_left_out(language: str) -> None:
    alphabet = make_alphabet()
    with ESPEAK_LOCK:
        units = EspeakReader(language, alphabet).units(SENTENCES[language])

    assert not alphabet.dropped
    assert sum(unit.is_word for unit in units) >= 5
    assert set("".join(unit.phonemes for unit in units)) <= set(SYMBOLS)


@pytest.mark.parametrize("language", ["es", "hi", "id", "it", "pt-br"])
def test_each_word_has_its_own_phonemes(language: str) -> None:
    text = SENTENCES[language]
    words = [text[unit.start_char : unit.end_char] for unit in read(text, language) if unit.is_word]

    assert words == [word.strip(".,¿?।") for word in text.split()]


@pytest.mark.parametrize(
    ("word", "phonemes"),
    [
        ("jalan", "ʤˈalan"),
        ("Online", "ɔnlˈain"),
        ("Wi-Fi", "wˈIfI"),
        ("M", "ˈɛm"),
        ("cuci", "ʧˈuʧi"),
        ("nyanyi", "ɲˈaɲi"),
        ("ngengat", "ŋəŋˈat"),
        ("paket", "pˈakɛt"),
        ("belas", "bəlˈas"),
        ("khusus", "xˈusus"),
        ("syarat", "ʃˈarat"),
        ("pagi", "pˈaɡi"),
    ],
)
def test_indonesian_spelling_becomes_kokoros_symbols(word: str, phonemes: str) -> None:
    assert spoken(word, "id") == phonemes


def test_french_keeps_its_liaisons_and_closes_up_its_marks() -> None:
    text = "Les enfants vont bien ?"

    assert spoken(text, "fr").startswith("lez ɑ̃fˈɑ̃")
    assert spoken(text, "fr").endswith("n?") or spoken(text, "fr").endswith("\u0303?")


def test_words_that_are_spoken_as_one_share_their_phonemes() -> None:
    units = read("puis je vous aider", "fr")

    assert [unit.phonemes != "" for unit in units] == [unit.is_word for unit in units]
    assert "".join(unit.phonemes for unit in units) == spoken("puis je vous aider", "fr").replace(" ", "")
    assert [unit.start_char for unit in units] == [0, 5, 8, 13]


def test_chinese_and_japanese_marks_are_kokoros() -> None:
    assert [unit.phonemes for unit in read("你好。谢谢！好？好，好", "zh") if not unit.is_word] == [".", "!", "?", ","]
    assert spoken("はい。はい！", "ja").count(". ") == 1


def test_each_chinese_character_has_a_place() -> None:
    words = [unit for unit in read("我们早上九点开门", "zh") if unit.is_word]

    assert len(words) >= 7
    assert words[0].start_char == 0
    assert words[-1].end_char == 8


def test_every_kana_belongs_to_a_word_that_speaks_it() -> None:
    text = "おでんわありがとうございます"
    words = [unit for unit in read(text, "ja") if unit.is_word]

    assert "".join(text[unit.start_char : unit.end_char] for unit in words) == text


def test_numbers_and_times_are_not_taken_apart() -> None:
    marks = [unit.phonemes for unit in read("Jam 9:30, harga 3.500 atau 2,5.", "id") if not unit.is_word]

    assert marks == [",", "."]


def test_dashes_quotes_and_brackets_become_kokoros() -> None:
    marks = [unit.phonemes for unit in read("ya – «baik» (siap)", "id") if not unit.is_word]

    assert marks == ["—", "“", "”", "(", ")"]


def test_text_without_words_has_none() -> None:
    assert read("", "id") == []
    assert not any(unit.is_word for unit in read("… !? ¿¡", "es"))


@settings(max_examples=60, deadline=None)
@given(text=st.text(max_size=80), language=st.sampled_from(sorted(set(ESPEAK_VOICES) - {"en-us", "en-gb"})))
def test_any_text_gives_units_in_order_in_the_models_symbols(text: str, language: str) -> None:
    units = read(text, language)

    assert set("".join(unit.phonemes for unit in units)) <= set(SYMBOLS)
    position = 0
    for unit in units:
        assert position <= unit.start_char < unit.end_char <= len(text)
        position = unit.end_char
        assert unit.is_word <= bool(unit.phonemes)
