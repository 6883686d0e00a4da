"""Settings of the bots: what each says, in which voice and languages, which calls it answers, and its limits.

default.toml owns the defaults of [bot]; what belongs to a language has its defaults in config/languages/CODE.toml.
Every [bots.NAME] takes from [bot] what it does not say itself.
"""

import re
import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from config.errors import ConfigError
from config.group import Group, Language, Seconds
from config.keys import Keys

Sentence = Annotated[str, Field(min_length=1)]
EndSilence = Annotated[int, Field(ge=250, le=1200)]

# What [bot] itself is called in a call's record, in metrics and in POST /calls.
DEFAULT_BOT = "default"
# A label of metrics, a key of the environment and a word in a URL.
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}")
# Which calls a bot answers is its own business.
_UNROUTED: Mapping[str, Any] = {"numbers": [], "headers": {}, "selectable": False}
# Tables beside [bot] that a bot may have keys of, too: [bots.NAME.turn] and so on.
OWN_TABLES = ("turn", "keys", "answering")
# Of a bot that speaks another language than [bot] these are not taken from there; nor are a language's sentences.
_OF_LANGUAGE = frozenset({"lexicon", "languages", "speech", "message"})


class Speech(Group):
    """How a bot speaks one language."""

    voice: Sentence
    speed: Annotated[float, Field(ge=0.5, le=2.0)]
    fallback: Sentence
    reprompt: Sentence
    goodbye: Sentence
    still_there: str
    fillers: tuple[str, ...]
    instruction: str
    lexicon: dict[Sentence, Sentence]


class Bot(Speech):
    language: Language
    greeting: str
    system_prompt: str
    languages: tuple[Language, ...]
    speech: dict[Language, Speech]
    machine: Literal["talk", "hang_up", "leave_message"]
    message: str
    max_call_s: Seconds
    silence_s: Seconds
    idle_s: Annotated[float, Field(ge=0, le=3600)]
    max_calls: Annotated[int, Field(ge=0, le=10_000)]
    numbers: tuple[Sentence, ...]
    headers: dict[Sentence, Sentence]
    selectable: bool
    tools: tuple[str, ...]
    transfer_to: dict[Sentence, Sentence]
    warm_transfer: bool


class Answering(Group):
    """How it is judged who answers the calls that we place."""

    human_silence_ms: Annotated[int, Field(ge=300, le=2000)]
    machine_speech_ms: Annotated[int, Field(ge=1000, le=10_000)]
    silent_s: Annotated[float, Field(ge=1, le=20)]
    message_silence_s: Annotated[float, Field(ge=1, le=20)]
    longest_wait_s: Annotated[float, Field(ge=5, le=180)]
    ask_platform: bool


class Turn(Group):
    end_silence_ms: EndSilence
    whole_silence_ms: EndSilence
    unfinished_silence_ms: EndSilence
    barge_in_ms: Annotated[int, Field(ge=60, le=5000)]
    resume_ms: Annotated[int, Field(ge=150, le=1500)]
    speculate: bool
    greeting_yields: bool
    filler_s: Annotated[float, Field(ge=0, le=30)]
    dribble_s: Annotated[float, Field(ge=0.5, le=30)]


class NamedBot(Bot):
    """One of [bots]: it may take turns, take keys and judge who answers in its own way, too."""

    turn: Turn
    keys: Keys
    answering: Answering


def language_defaults(code: str) -> dict[str, Any]:
    """What a bot says and sounds like in a language; in English for a code that is none."""
    known = code if code in get_args(Language) else "en"
    return tomllib.loads((resources.files("config") / "languages" / f"{known}.toml").read_text("utf-8"))


def known_keys(defaults: Mapping[str, Any]) -> dict[str, Any]:
    """What may stand in [bot], with a value of each key's kind; `defaults` are default.toml's."""
    return {**defaults["bot"], **language_defaults("en")}


def complete(values: dict[str, Any]) -> None:
    """Give [bot] and every [bots.NAME] what they leave out, in place. ConfigError for a name that cannot be one."""
    base = values["bot"]
    values["bot"] = _spoken("bot", base)
    for name, table in values["bots"].items():
        if not _NAME.fullmatch(name) or name == DEFAULT_BOT:
            raise ConfigError(
                f"bots.{name}: a bot's name is small letters, digits, - and _, begins with a letter, has at most 32 "
                f"characters, and is not {DEFAULT_BOT}, which is [bot]'s; rename it"
            )
        bot = _spoken(f"bots.{name}", {**_inherited(base, table), **_UNROUTED, **table})
        values["bots"][name] = {**bot, **{own: {**values[own], **table.get(own, {})} for own in OWN_TABLES}}


def _inherited(base: Mapping[str, Any], table: Mapping[str, Any]) -> Mapping[str, Any]:
    if table.get("language", base["language"]) == base["language"]:
        return base
    of_language = _OF_LANGUAGE | language_defaults("en").keys()
    kept = {key: value for key, value in base.items() if key not in of_language}
    return {**kept, "lexicon": {}, "languages": [], "speech": {}, "message": ""}


def _spoken(where: str, bot: Mapping[str, Any]) -> dict[str, Any]:
    """The table with its language's own voice and sentences where it has none, in every language it speaks."""
    own, tables = str(bot["language"]), bot["speech"]
    others = dict.fromkeys(code for code in _codes(bot["languages"]) if code != own)
    if isinstance(tables, Mapping):
        if unlisted := sorted(tables.keys() - others.keys()):
            missing = f"{where}.speech.{unlisted[0]}"
            raise ConfigError(f"{missing}: the bot's other languages do not list it; add it to {where}.languages")
        tables = {code: _also(code, tables.get(code, {})) for code in others}
    return {**language_defaults(own), **bot, "speech": tables}


def _also(code: str, table: object) -> object:
    """How another language is spoken; without a greeting, since calls begin in the bot's own."""
    defaults = {key: value for key, value in language_defaults(code).items() if key != "greeting"}
    return {**defaults, "lexicon": {}, **table} if isinstance(table, Mapping) else table


def _codes(written: object) -> list[str]:
    return [code for code in written if isinstance(code, str)] if isinstance(written, list) else []
