"""From settings to the bots and the rules by which calls find them."""

from dataclasses import replace

import aiohttp

from config.bots import DEFAULT_BOT, Answering, NamedBot
from config.bots import Bot as BotTable
from config.bots import Speech as SpeechTable
from config.errors import ConfigError
from config.group import Language
from config.keys import Keys
from config.settings import Settings
from gateway.bots.bot import Bot, Speech
from gateway.bots.routing import Routing
from gateway.call.answering import AnsweringRules
from gateway.call.keying.keypad import KeyRules, Listening
from gateway.call.script import Script, Timing
from gateway.wiring.tools import build_tools
from media.dtmf import ToneTiming
from media.pronunciation import check_ipa

# Engines that tell languages apart.
_POLYGLOT = ("whisper", "energy")


def build_routing(settings: Settings, http: aiohttp.ClientSession) -> Routing:
    """Every bot; ConfigError when two of them answer the same calls, or a tool of one cannot be used."""
    default = _bot(DEFAULT_BOT, settings.bot, settings, settings, http)
    others = [_bot(name, table, table, settings, http) for name, table in settings.bots.items()]
    try:
        return Routing(default, others)
    except ValueError as error:
        raise ConfigError(f"{error}; take it from one of them") from error


def _bot(name: str, table: BotTable, ways: Settings | NamedBot, settings: Settings, http: aiohttp.ClientSession) -> Bot:
    """`ways` has the tables of its turns, keys and answering."""
    where = "bot" if name == DEFAULT_BOT else f"bots.{name}"
    script = _script(table, ways.answering)
    return Bot(
        script,
        _timing(table, ways, settings),
        table.voice,
        table.speed,
        name,
        max_calls=table.max_calls,
        numbers=table.numbers,
        headers=table.headers,
        selectable=table.selectable,
        tools=build_tools(settings, table, http, where),
        ask_platform=ways.answering.ask_platform,
        lexicon=_lexicon(where, table),
        also=_also(where, table, script, settings.stt.engine),
    )


def _also(where: str, table: BotTable, own: Script, engine: str) -> tuple[Speech, ...]:
    """The bot's other languages; a call begins in its own, so there is nothing to greet with."""
    if table.speech and engine not in _POLYGLOT:
        raise ConfigError(
            f"{where}.languages: stt.engine {engine} hears one language a call; "
            f"use {' or '.join(_POLYGLOT)}, or a bot for each language"
        )
    return tuple(
        Speech(_in_language(own, table, code), speech.voice, speech.speed, _lexicon(f"{where}.speech.{code}", speech))
        for code, speech in table.speech.items()
    )


def _lexicon(where: str, table: SpeechTable) -> dict[str, str]:
    """The bot's words with their spellings, or with sounds that the voice has; ConfigError for any other."""
    checked = {}
    for word, entry in table.lexicon.items():
        try:
            if not any(char.isalnum() for char in word):
                raise ValueError("there is no letter in it; name a word as it is written in a sentence")
            checked[word] = f"/{check_ipa(entry.strip('/'))}/" if entry.startswith("/") else _spelling(entry)
        except ValueError as error:
            raise ConfigError(f"{where}.lexicon.{word}: {error}") from error
    return checked


def _spelling(entry: str) -> str:
    if not any(char.isalpha() for char in entry):
        raise ValueError("there is no letter in its spelling; write one as it is read, or IPA between slashes")
    return entry


def _script(table: BotTable, answering: Answering) -> Script:
    # English alone goes without saying: models answer in the language that they are addressed in.
    goes_without = table.language == "en" and not table.speech
    return Script(
        table.language,
        table.system_prompt if goes_without else _told(table, table),
        table.greeting,
        table.fallback,
        table.reprompt,
        table.goodbye,
        table.still_there,
        table.fillers,
        table.machine,
        table.message,
        AnsweringRules(
            answering.human_silence_ms / 1000,
            answering.machine_speech_ms / 1000,
            answering.silent_s,
            answering.message_silence_s,
            answering.longest_wait_s,
        ),
    )


def _in_language(own: Script, table: BotTable, code: Language) -> Script:
    speech = table.speech[code]
    return replace(
        own,
        language=code,
        system_prompt=_told(table, speech),
        greeting="",
        fallback=speech.fallback,
        reprompt=speech.reprompt,
        goodbye=speech.goodbye,
        still_there=speech.still_there,
        fillers=speech.fillers,
        message="",
    )


def _told(table: BotTable, speech: SpeechTable) -> str:
    return " ".join(part for part in (table.system_prompt, speech.instruction) if part)


def _timing(table: BotTable, ways: Settings | NamedBot, settings: Settings) -> Timing:
    turn = ways.turn
    return Timing(
        end_silence_ms=turn.end_silence_ms,
        barge_in_ms=turn.barge_in_ms,
        lead_ms=settings.playout.lead_ms,
        max_queue_s=settings.playout.max_queue_s,
        silence_s=table.silence_s,
        max_call_s=table.max_call_s,
        whole_silence_ms=turn.whole_silence_ms,
        unfinished_silence_ms=turn.unfinished_silence_ms,
        resume_ms=turn.resume_ms,
        speculate=turn.speculate,
        greeting_yields=turn.greeting_yields,
        idle_s=table.idle_s,
        filler_s=turn.filler_s,
        dribble_s=turn.dribble_s,
        keys=_key_rules(ways.keys, recorded=settings.transcripts.keep_calls > 0),
    )


def _key_rules(keys: Keys, *, recorded: bool) -> KeyRules:
    """Where no transcripts are kept, the record of a live call does not show keys either."""
    return KeyRules(
        keys.terminators,
        keys.max_digits,
        keys.pause_s,
        keys.interrupts,
        recorded=recorded,
        in_band=Listening(keys.in_band),
        sound=ToneTiming(keys.tone_ms, keys.gap_ms),
    )
