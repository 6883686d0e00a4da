"""Recorded callers in calls: with ears that need no model, and a part of the set with the real ones."""

from collections.abc import Collection
from dataclasses import replace

import pytest

from config.models import ModelStore
from gateway.bench.caller_set import Caller, load_callers
from gateway.bench.conversation_callers import (
    Heard,
    Hearing,
    SoundOver,
    TurnTaken,
    hear_callers,
    hear_over,
    hear_turn,
)
from gateway.bench.leaping import leap
from gateway.bench.stage import TIMING
from gateway.bench.standing_prosody import StandingSmartTurn
from gateway.bench.standing_whisper import StandingWhisper
from gateway.stt.energy import EnergyRecognisers

# Both languages, a noisy line, lost frames, a hesitation; what stops the bot and what does not.
PART = ("opening-hours", "price", "id-thanks", "ask-about", "do-you-have", "wait-sunday", "id-tunggu", "right", "cough")


@pytest.fixture(scope="module")
def callers() -> dict[str, Caller]:
    return {caller.name: caller for caller in load_callers()[0]}


def test_a_turn_is_waited_out_and_answered(callers: dict[str, Caller]) -> None:
    taken = leap(hear_turn(callers["located"], Hearing(EnergyRecognisers(["Where are you located?"]))))
    assert not taken.cut_in
    assert taken.wait_ms is not None
    assert taken.first_frame_ms is not None
    assert 0 < taken.wait_ms < taken.first_frame_ms


def test_an_unfinished_sentence_that_is_answered_at_once_is_a_cut_in(callers: dict[str, Caller]) -> None:
    hasty = replace(TIMING, end_silence_ms=300)
    taken = leap(hear_turn(callers["trail-want-to"], Hearing(EnergyRecognisers(["I want to go."]), timing=hasty)))
    assert taken.cut_in


def test_a_sound_that_stops_the_bot_is_timed_and_the_history_judged(callers: dict[str, Caller]) -> None:
    hearing = Hearing(EnergyRecognisers(["What time do you open?", "Wait."]))
    question = callers["opening-hours"].turn()
    sound = leap(hear_over(callers["wait-sunday"], 1.0, question, hearing))
    assert sound.interrupted
    assert sound.silent_ms is not None
    assert 0 < sound.silent_ms < 600
    assert sound.words_off is not None
    assert sound.words_off <= 1


def test_a_sound_too_short_to_be_noticed_stops_nothing(callers: dict[str, Caller]) -> None:
    hearing = Hearing(EnergyRecognisers(["What time do you open?"]))
    sound = leap(hear_over(callers["line-click"], 1.0, callers["opening-hours"].turn(), hearing))
    assert (sound.interrupted, sound.silent_ms, sound.held_ms, sound.words_off) == (False, None, 0.0, None)


def test_figures_are_by_kind_and_apart_for_what_is_held_out(callers: dict[str, Caller]) -> None:
    tuned = next(c for c in callers.values() if c.kind == "sentence" and not c.held_out)
    held_out = next(c for c in callers.values() if c.kind == "sentence" and c.held_out)
    cough = replace(callers["cough"])
    heard = Heard(
        [
            TurnTaken(tuned, False, 300.0, 800.0),
            TurnTaken(tuned, True, 500.0, None),
            TurnTaken(held_out, False, None, None),
        ],
        [SoundOver(cough, False, 250.0, 400.0, None), SoundOver(cough, True, 300.0, 0.0, 2)],
    )
    held, kept = heard.turn_figures()
    assert (held.part, held.turns, held.unanswered, held.wait_p50_ms) == ("held out", 1, 1, 0.0)
    assert (kept.part, kept.turns, kept.cut_ins, kept.wait_p50_ms, kept.first_frame_p50_ms) == ("tuned", 2, 1, 400, 800)
    (over,) = heard.over_figures()
    assert (over.sounds, over.interrupted, over.silent_p50_ms, over.held_max_ms) == (2, 1, 300, 400)
    assert (over.heard_within_a_word, over.heard_worst_words) == (0, 2)


def hear(names: Collection[str], callers: dict[str, Caller]) -> tuple[Heard, StandingWhisper]:
    """Hold the calls of `names` with the real models."""
    ears = StandingWhisper(ModelStore().locate("whisper-base"))
    prosody = StandingSmartTurn(ModelStore().locate("smart-turn"))

    async def heard() -> Heard:
        try:
            hearing = Hearing(ears, prosody)
            return await hear_callers([callers[name] for name in names], list(callers.values()), hearing)
        finally:
            await ears.end()
            await prosody.end()

    return leap(heard()), ears


@pytest.mark.models
def test_the_bot_takes_turns_with_real_ears(callers: dict[str, Caller]) -> None:
    found, ears = hear(PART, callers)
    assert not [turn.caller.name for turn in found.turns if turn.cut_in or turn.first_frame_ms is None]
    assert {sound.caller.name for sound in found.over if sound.interrupted} == {"wait-sunday", "id-tunggu"}
    assert max(sound.words_off or 0 for sound in found.over) <= 1
    assert min(ears.took_s) > 0


@pytest.mark.soak
@pytest.mark.models
@pytest.mark.timeout(3600)
def test_the_whole_set_is_heard_about_as_well_as_docs_conversation_says(callers: dict[str, Caller]) -> None:
    if missing := load_callers()[1]:
        pytest.skip(f"not all recordings are installed: {', '.join(missing)}")
    found, _ = hear(callers, callers)
    turns, over = found.turn_figures(), found.over_figures()
    assert sum(row.cut_ins for row in turns) <= 3
    assert sum(row.unanswered for row in turns) == 0
    assert max(row.wait_p50_ms for row in turns if row.kind == "sentence") <= 480
    stops = [row for row in over if row.kind == "interruption"]
    assert sum(row.interrupted for row in stops) == sum(row.sounds for row in stops)
    assert max(row.silent_max_ms for row in stops) <= 370
    assert sum(row.heard_within_a_word for row in stops) >= 0.95 * sum(row.sounds for row in stops)
    assert sum(row.interrupted for row in over if row.kind in ("backchannel", "noise")) <= 2
