"""Bots in the configuration: what they take over, what belongs to a language, and what is refused."""

from pathlib import Path
from typing import get_args

import pytest

from config.bots import Speech, language_defaults
from config.errors import ConfigError
from config.group import Language
from config.settings import Settings
from config.sources import load

LANGUAGES = get_args(Language)


def with_bots(tmp_path: Path, text: str, *overrides: str, environ: dict[str, str] | None = None) -> Settings:
    file = tmp_path / "bots.toml"
    file.write_text(text)
    return load("loadtest", file, overrides, environ or {})


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_a_voice_and_every_sentence(language: str) -> None:
    defaults = language_defaults(language)
    Speech(**{key: value for key, value in defaults.items() if key != "greeting"}, lexicon={})
    assert defaults["greeting"]
    assert len(set(defaults["fillers"])) == len(defaults["fillers"]) >= 3  # varied, never twice in a row


def test_no_two_languages_share_a_sentence() -> None:
    said = [text for code in LANGUAGES for text in language_defaults(code).values() if isinstance(text, str)]
    fillers = [filler for code in LANGUAGES for filler in language_defaults(code)["fillers"]]
    assert len(set(said + fillers)) == len(said + fillers)


@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != "en"])
def test_a_bot_says_nothing_in_english_that_nobody_wrote(language: str) -> None:
    bot = load("loadtest", None, [f"bot.language={language}"], {}).bot
    english = language_defaults("en")
    for key in english.keys() - {"speed"}:
        assert getattr(bot, key) not in (english[key], tuple(english[key]) if isinstance(english[key], list) else "")


def test_a_bot_takes_over_what_it_does_not_say(tmp_path: Path) -> None:
    settings = with_bots(tmp_path, '[bot]\ngreeting = "ACME."\nidle_s = 3\n[bots.night]\nvoice = "am_adam"\n')
    night = settings.bots["night"]
    assert (night.greeting, night.idle_s, night.voice, night.speed) == ("ACME.", 3, "am_adam", 1.0)
    assert settings.bot.voice == "af_heart"


def test_a_bot_of_another_language_takes_over_no_sentence_voice_or_spelling(tmp_path: Path) -> None:
    text = """
    [bot]
    greeting = "ACME."
    voice = "am_adam"
    system_prompt = "You know ACME."
    languages = ["id"]
    lexicon = { ACME = "ack me" }
    [bots.spain]
    language = "es"
    goodbye = "Adiós."
    """
    spain = with_bots(tmp_path, text).bots["spain"]
    assert (spain.greeting, spain.voice) == (language_defaults("es")["greeting"], "ef_dora")
    assert (spain.goodbye, spain.system_prompt) == ("Adiós.", "You know ACME.")
    assert (spain.languages, spain.speech, spain.lexicon) == ((), {}, {})


def test_no_bot_takes_over_the_calls_of_another(tmp_path: Path) -> None:
    text = '[bot]\nnumbers = ["+1 415 555 0100"]\nheaders = { X-A = "1" }\nselectable = true\n[bots.other]\n'
    other = with_bots(tmp_path, text).bots["other"]
    assert (other.numbers, other.headers, other.selectable) == ((), {}, False)


def test_the_other_languages_of_a_bot_are_complete(tmp_path: Path) -> None:
    text = '[bot]\nlanguages = ["en", "id", "es"]\n[bot.speech.id]\ngoodbye = "Dadah."\n'
    bot = with_bots(tmp_path, text).bot
    assert set(bot.speech) == {"id", "es"}
    assert (bot.speech["id"].goodbye, bot.speech["id"].voice) == ("Dadah.", "em_alex")


def test_a_bot_is_set_from_the_environment_and_the_command_line_too(tmp_path: Path) -> None:
    settings = with_bots(
        tmp_path, "", "bots.night.idle_s=4", environ={"VOICEBOT_BOTS__NIGHT__GREETING": "7", "VOICEBOT_BOT__SPEED": "2"}
    )
    assert (settings.bots["night"].greeting, settings.bots["night"].idle_s) == ("7", 4)
    assert settings.bots["night"].speed == 2.0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[bots.Night]\n", "bots.Night: a bot's name is small letters"),
        ("[bots.default]\n", "bots.default: a bot's name"),
        ("[bots]\nnight = 1\n", "bots.night is a section"),
        ('[bots.night]\nvioce = "x"\n', "there is no setting bots.night.vioce; did you mean bots.night.voice?"),
        ("[bots.night]\nidle_s = -1\n", "bots.night.idle_s: "),
        ("[bots.night.turn]\nend_silence_ms = 1\n", "bots.night.turn.end_silence_ms: "),
        ('[bots.night]\nlanguage = "xx"\n', "bots.night.language: "),
        ('[bot]\nlanguages = ["xx"]\n', "bot.languages.0: "),
        ('[bot.speech.id]\nvoice = "x"\n', "bot.speech.id: the bot's other languages do not list it"),
        ('[bots.night.speech.id]\nvoice = "x"\n', "bots.night.speech.id: the bot's other languages do not list it"),
        ('[bot]\nlanguages = ["id"]\nspeech.id.vioce = "x"\n', "bot.speech.id.vioce: "),
        ('[bot]\nlanguages = ["id"]\nspeech = 3\n', "bot.speech: input should be a table, got 3"),
        ('[bot]\nlanguages = "id"\n', "bot.languages: input should be a list, got 'id'"),
        ('[bot]\nlanguages = ["id"]\nspeech.id = 3\n', "bot.speech.id: input should be a table, got 3"),
        ("[bot]\nlanguage = []\n", "bot.language"),
    ],
)
def test_a_wrong_table_is_one_sentence(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        with_bots(tmp_path, text)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
