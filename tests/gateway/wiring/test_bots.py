"""From settings to bots: what each took over, and what cannot be routed."""

import asyncio
from pathlib import Path

import aiohttp
import pytest

from config.errors import ConfigError
from config.sources import load
from gateway.bots.routing import Dialled, Routing
from gateway.wiring.bots import build_routing


def routing(tmp_path: Path, text: str, *overrides: str) -> Routing:
    file = tmp_path / "bots.toml"
    file.write_text(text)

    async def build() -> Routing:
        async with aiohttp.ClientSession() as http:
            return build_routing(load("loadtest", file, overrides, {}), http)

    return asyncio.run(build())


def test_a_configuration_without_bots_has_the_one_it_describes(tmp_path: Path) -> None:
    (bot,) = routing(tmp_path, "", "bot.greeting=Hi.", "turn.barge_in_ms=300").all
    assert (bot.name, bot.script.greeting, bot.timing.barge_in_ms) == ("default", "Hi.", 300)


def test_each_bot_has_its_own_voice_limits_turns_and_calls(tmp_path: Path) -> None:
    found = routing(
        tmp_path,
        """
        [bot]
        max_call_s = 60
        [bots.spain]
        language = "es"
        numbers = ["+34 911 234 567"]
        max_calls = 2
        silence_s = 12
        turn.end_silence_ms = 700
        """,
    )
    bot = found.choose(Dialled("911234567"))
    assert (bot.name, bot.voice, bot.max_calls, bot.script.language) == ("spain", "ef_dora", 2, "es")
    assert (bot.timing.max_call_s, bot.timing.silence_s, bot.timing.end_silence_ms) == (60, 12, 700)
    assert found.default.timing.end_silence_ms == 600


def test_the_model_is_told_the_language_unless_it_is_english(tmp_path: Path) -> None:
    found = routing(tmp_path, '[bot]\nsystem_prompt = "You are Ann."\n[bots.spain]\nlanguage = "es"\n')
    assert found.default.script.system_prompt == "You are Ann."
    assert found.named("spain").script.system_prompt == "You are Ann. Responda siempre en español."


def test_two_bots_with_one_number_stop_the_start(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="a and b both answer the number 0215550100; take it from one of them"):
        routing(tmp_path, '[bots.a]\nnumbers = ["+62215550100"]\n[bots.b]\nnumbers = ["0215550100"]\n')


def test_a_mistake_names_its_bot(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"bots\.night\.transfer_to\.ann: a transfer goes to a phone number"):
        routing(tmp_path, '[bots.night]\ntools = ["transfer"]\ntransfer_to = { ann = "downstairs" }\n')


def test_a_lexicon_takes_spellings_and_sounds(tmp_path: Path) -> None:
    found = routing(tmp_path, '[bots.a]\nlexicon = { Nguyen = "win", Xiaomi = "/ ʃaʊˈmiː /" }\n')
    assert found.named("a").lexicon == {"Nguyen": "win", "Xiaomi": "/ʃaʊˈmiː/"}


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ('Xhosa = "/ǁɔsa/"', r"bot.lexicon.Xhosa: the voice has no sound for 'ǁ' \(U\+01C1\)"),
        ('A = "//"', "bot.lexicon.A: there is no sound in it"),
        ('A = "/a/b/"', "bot.lexicon.A: the voice has no sound for '/'"),
        ('A = "12"', "bot.lexicon.A: there is no letter in its spelling"),
        ('"++" = "plus"', "there is no letter in it"),
    ],
)
def test_a_lexicon_that_cannot_be_spoken_stops_the_start(tmp_path: Path, entry: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        routing(tmp_path, f"[bot.lexicon]\n{entry}\n")


def test_each_bot_treats_answering_machines_in_its_own_way_and_language(tmp_path: Path) -> None:
    found = routing(
        tmp_path,
        """
        [bot]
        machine = "leave_message"
        message = "Call us."
        [bots.a]
        [bots.spain]
        language = "es"
        machine = "hang_up"
        [answering]
        human_silence_ms = 800
        ask_platform = true
        """,
    )
    assert [(bot.script.machine, bot.script.message) for bot in (found.default, found.named("a"))] == [
        ("leave_message", "Call us.")
    ] * 2
    spain = found.named("spain")
    assert (spain.script.machine, spain.script.message, spain.ask_platform) == ("hang_up", "", True)
    assert spain.script.answering.human_silence_s == 0.8
    assert "Call us." in found.default.script.prompts()


def test_keys_are_recorded_only_where_transcripts_are_kept(tmp_path: Path) -> None:
    shown = routing(
        tmp_path, "", "transcripts.keep_calls=5", "keys.max_digits=1", "keys.tone_ms=200"
    ).default.timing.keys
    assert (shown.recorded, shown.max_digits, shown.sound.on_ms) == (True, 1, 200)
    assert not routing(tmp_path, "", "transcripts.keep_calls=0").default.timing.keys.recorded


def test_each_bot_takes_keys_and_judges_who_answers_in_its_own_way(tmp_path: Path) -> None:
    found = routing(
        tmp_path,
        """
        [keys]
        pause_s = 2.0
        [answering]
        silent_s = 4.0
        [bots.menu.keys]
        max_digits = 1
        interrupts = false
        [bots.menu.answering]
        longest_wait_s = 20.0
        ask_platform = true
        """,
        "bots.menu.keys.terminators=",
    )
    menu, other = found.named("menu"), found.default
    keys = [(bot.timing.keys.max_digits, bot.timing.keys.terminators, bot.timing.keys.pause_s) for bot in (menu, other)]
    assert keys == [(1, "", 2.0), (32, "#", 2.0)]
    assert (menu.timing.keys.interrupts, other.timing.keys.interrupts) == (False, True)
    rules = [(bot.script.answering.longest_wait_s, bot.script.answering.silent_s) for bot in (menu, other)]
    assert rules == [(20.0, 4.0), (45.0, 4.0)]
    assert (menu.ask_platform, other.ask_platform) == (True, False)


def test_keys_of_one_bot_are_recorded_by_the_rule_of_all(tmp_path: Path) -> None:
    menu = routing(tmp_path, "[bots.menu.keys]\nmax_digits = 1\n", "transcripts.keep_calls=5").named("menu")
    assert menu.timing.keys.recorded


def test_a_wrong_value_of_a_bots_own_keys_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"bots\.menu\.keys\.max_digits"):
        routing(tmp_path, "[bots.menu.keys]\nmax_digits = 0\n")
