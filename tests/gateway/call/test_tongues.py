"""When the language of a call changes, and what does not change it."""

import pytest

from gateway.call.prompts import Prompts
from gateway.call.script import Script
from gateway.call.tongues import CHANGE_SHARE, Tongue, Tongues, telling_words
from gateway.stt.base import Final
from gateway.stt.energy import EnergyRecognisers


def tongue(language: str) -> Tongue:
    return Tongue(Script(language, "", "", "f", "r", "g"), Prompts("af_heart", language, 1.0))


class Call:
    """Tongues of a bot that speaks English, and Indonesian and Japanese besides."""

    def __init__(self) -> None:
        self.ears = EnergyRecognisers(["x"]).polyglot(["en", "id", "ja"])
        self.changes: list[str] = []
        tongues = [tongue(code) for code in ("en", "id", "ja")]
        self.tongues = Tongues(tongues, self.ears, lambda tongue: self.changes.append(tongue.script.language))

    def hear(self, text: str, language: str, share: float = 1.0) -> str:
        self.tongues.heard(Final(text, 1.0, 0.0, language, share))
        return self.tongues.language


def test_a_sentence_in_another_language_changes_it_and_one_in_the_first_changes_it_back() -> None:
    call = Call()
    assert call.hear("What time do you open?", "en") == "en"
    assert call.hear("Jam berapa buka besok?", "id") == "id"
    assert call.hear("Terima kasih banyak.", "id") == "id"
    assert call.hear("Sorry, can we go on in English?", "en") == "en"
    assert call.changes == ["id", "en"]


@pytest.mark.parametrize(
    ("text", "language", "share"),
    [
        ("Okay.", "id", 1.0),
        ("Okay, okay, okay, okay.", "id", 1.0),
        ("Oke, ya, halo.", "id", 1.0),
        ("Budi Santoso.", "id", 1.0),
        ("Saya mau buat janji.", "id", CHANGE_SHARE - 0.01),
        ("¿A qué hora abren mañana?", "es", 1.0),
        ("0812 345 678", "id", 1.0),
        ("はい。", "ja", 1.0),
        ("", "id", 1.0),
        ("What time do you open?", "", 1.0),
    ],
)
def test_a_word_a_name_a_number_a_doubt_or_a_language_that_is_not_the_bot_s_changes_nothing(
    text: str, language: str, share: float
) -> None:
    call = Call()
    assert call.hear(text, language, share) == "en"
    assert call.changes == []


def test_the_recogniser_is_told_what_to_expect() -> None:
    call = Call()
    call.hear("Jam berapa buka besok?", "id")
    assert call.ears._language == "id"


def test_words_are_counted_where_no_spaces_part_them() -> None:
    assert telling_words("なんじに あきますか", "en") >= 3
    assert telling_words("ありがとう", "en") == 2
    assert telling_words("uh-huh okay yeah", "en") == 0
    assert telling_words("don't go go", "id") == 2
    assert telling_words("Halo, ya, terima kasih", "en", "id") == 0
    assert Call().hear("あしたは なんじに あきますか", "ja") == "ja"
