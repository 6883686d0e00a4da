"""Whole calls in which callers key things in: alone, with words, over the bot; what the model reads, and when."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace

import pytest
from structlog.testing import capture_logs

from gateway.bench.scripted_caller import Breath, Utterance, utterance
from gateway.bench.stage import SCRIPT, TIMING, Stage
from gateway.call.keying.keypad import KeyRules
from gateway.call.record import CallRecord
from gateway.call.script import Timing
from gateway.llm.base import LlmEvent, Message, Tool
from gateway.llm.scripted import ScriptedModel
from gateway.simulator.call import CallTrace
from gateway.simulator.caller import CallerTurn
from gateway.simulator.script import Manners
from tests.rig.clock import run_leaping

LONG = "We open at nine in the morning and close at six. On Saturday we open at ten, and on Sunday we are closed."
SHOWN = replace(TIMING, keys=KeyRules(recorded=True))


class Model(ScriptedModel):
    """Remembers what it was asked, and when."""

    def __init__(self, *replies: str) -> None:
        super().__init__(replies or ["Fine."], 0.4, 60.0)
        self.asked: list[str] = []

    def stream(self, messages: Sequence[Message], system: str, tools: Sequence[Tool] = ()) -> AsyncGenerator[LlmEvent]:
        self.asked.append(messages[-1].text.replace("\n", " "))
        return super().stream(messages, system, tools)


def keys(digits: str, interrupt_after_s: float | None = None) -> Utterance:
    return Utterance(CallerTurn(f"dtmf:{digits}", digits=digits, interrupt_after_s=interrupt_after_s), ())


def saying(text: str, digits: str, keys_after_s: float) -> Utterance:
    said = utterance(text, [Breath(text)])
    return Utterance(replace(said.turn, digits=digits, keys_after_s=keys_after_s), said.words)


def held(
    *turns: Utterance,
    model: Model | None = None,
    timing: Timing = SHOWN,
    greeting: str = SCRIPT.greeting,
    quiet_s: float = 1.0,
) -> tuple[Model, CallTrace, CallRecord]:
    model = model or Model()
    stage = Stage(model, timing=timing, script=replace(SCRIPT, greeting=greeting))
    trace, record = run_leaping(stage.call(turns, None, Manners(quiet_s=quiet_s, reply_s=12.0)))
    return model, trace, record


def answered_after_s(trace: CallTrace, turn: int = 0) -> float:
    """From the last key to the bot's voice."""
    end_s = trace.spoken[turn].end_s
    sounded = trace.playback.audible(end_s)
    assert sounded is not None
    return sounded[0] - end_s


def test_keys_are_a_turn_of_the_caller_and_the_terminator_ends_it_at_once() -> None:
    model, trace, record = held(keys("1234#"))
    assert model.asked == ["[keys pressed: 1 2 3 4]"]
    assert record.turns[1].caller_text == "[keys pressed: 1 2 3 4]"
    assert record.turns[1].heard_text == "Fine."
    assert answered_after_s(trace) < 1.0


def test_without_a_terminator_a_pause_ends_the_entry() -> None:
    model, trace, _ = held(keys("1234"))
    assert model.asked == ["[keys pressed: 1 2 3 4]"]
    assert 3.0 < answered_after_s(trace) < 4.0


def test_in_a_menu_every_key_is_an_answer_at_once() -> None:
    model, trace, _ = held(keys("2"), timing=replace(TIMING, keys=KeyRules(max_digits=1)))
    assert model.asked == ["[keys pressed: 2]"]
    assert answered_after_s(trace) < 1.0


def test_the_hash_behind_an_entry_of_full_length_neither_cuts_the_answer_nor_asks_again() -> None:
    model, _, record = held(keys("1234#"), timing=replace(TIMING, keys=KeyRules(max_digits=4, recorded=True)))
    assert model.asked == ["[keys pressed: 1 2 3 4]"]
    assert record.turns[-1].heard_text == "Fine."


def test_words_and_then_keys_are_one_turn_in_that_order() -> None:
    """The words sound unfinished, and are not even recognised when the first key comes."""
    model, trace, record = held(saying("My number is", "4711#", keys_after_s=1.3))
    assert model.asked[-1] == "My number is [keys pressed: 4 7 1 1]"
    assert record.turns[-1].caller_text == "My number is [keys pressed: 4 7 1 1]"
    assert len(record.turns) == 2
    assert answered_after_s(trace) < 1.5


def test_a_pause_in_speech_does_not_end_a_turn_while_keys_are_typed() -> None:
    """The words are a whole sentence, after which 350 ms would do; the keys take two seconds more."""
    model, _, record = held(saying("Here is my account number.", "0123456789", keys_after_s=1.8))
    assert record.turns[-1].caller_text == "Here is my account number. [keys pressed: 0 1 2 3 4 5 6 7 8 9]"
    assert model.asked[-1] == record.turns[-1].caller_text


def test_words_behind_keys_follow_them_and_keys_do_not_cut_speech() -> None:
    """The entry is whole in the middle of the words."""
    model, _, record = held(saying("and that is all I have for you today.", "12#", keys_after_s=0.0))
    text = record.turns[-1].caller_text
    assert text == "and that is all I have for you today. [keys pressed: 1 2]"
    assert model.asked[-1] == text
    assert len(record.turns) == 2


def test_a_key_silences_the_bot_at_once_and_what_was_heard_is_known() -> None:
    model = Model(LONG, "Fine.")
    _, trace, record = held(keys("1#"), keys("9#", interrupt_after_s=1.5), model=model)
    assert [turn.interrupted for turn in record.turns[1:]] == [True, False]
    assert LONG.startswith(record.turns[1].heard_text)
    assert record.turns[1].heard_text
    assert model.asked == ["[keys pressed: 1]", "[keys pressed: 9]"]
    key_s = trace.spoken[1].start_s
    cut = trace.playback.audible(key_s, key_s + 0.5)
    assert cut is None or cut[1] - key_s < 0.1


def test_where_keys_do_not_interrupt_they_wait_for_the_end() -> None:
    model = Model(LONG, "Fine.")
    timing = replace(TIMING, keys=KeyRules(interrupts=False))
    _, _, record = held(keys("1#"), keys("9#", interrupt_after_s=1.5), model=model, timing=timing)
    assert [turn.heard_text for turn in record.turns[1:]] == [LONG, "Fine."]
    assert model.asked == ["[keys pressed: 1]", "[keys pressed: 9]"]


@pytest.mark.parametrize("digits", ["12#", "12"], ids=["whole", "still typing"])
def test_a_prompt_that_does_not_yield_is_heard_and_the_keys_are_kept(digits: str) -> None:
    timing = replace(SHOWN, greeting_yields=False)
    model, _, record = held(keys(digits, interrupt_after_s=0.3), timing=timing, greeting=LONG)
    assert record.turns[0].heard_text == LONG
    assert not record.turns[0].interrupted
    assert model.asked == ["[keys pressed: 1 2]"]


def test_keys_are_shown_in_no_record_and_no_log_unless_transcripts_are_kept() -> None:
    with capture_logs() as logs:
        model, _, record = held(keys("4711#"), timing=TIMING)
    assert model.asked == ["[keys pressed: 4 7 1 1]"]
    assert record.turns[1].caller_text == "[keys pressed: 4]"
    assert "4711" not in str(logs)
    assert "4 7 1 1" not in str(logs)
    assert {"event": "keys_pressed", "count": 4, "log_level": "info"} in logs


def test_the_goodbye_is_not_stopped_by_keys() -> None:
    timing = replace(TIMING, silence_s=3.0)
    _, trace, record = held(keys("1", interrupt_after_s=3.1), timing=timing, greeting="Hello.", quiet_s=20.0)
    assert trace.spoken[0].start_s < trace.duration_s - 0.2
    assert (trace.ended_by, record.turns[-1].heard_text) == ("gateway", SCRIPT.goodbye)
