"""Whole calls in which the model acts: what the caller hears, what is done, and how the call ends."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field, replace

import pytest

from gateway.bench.scripted_caller import Breath, Utterance, utterance
from gateway.bench.stage import SCRIPT, TIMING, Stage
from gateway.call.record import CallRecord
from gateway.errors import PeerFault, ToolError
from gateway.llm.base import LlmEvent, Message, Tool
from gateway.llm.scripted import ScriptedModel
from gateway.simulator.call import CallTrace
from gateway.simulator.faults import Faults
from gateway.simulator.script import Manners
from gateway.tools.base import CallTool, Toolset
from tests.rig.clock import run_leaping
from tests.rig.tools import NotedTool

QUESTION = utterance("question", [Breath("Where is my order?")])
FILLERS = ("One moment, please.", "Let me see.", "Just a second.")
PATIENT = replace(TIMING, filler_s=1.2)
LOOK = '@look {"number": "123"}'


class Model(ScriptedModel):
    """Remembers what it was asked, and with which tools."""

    def __init__(self, *replies: str, first_token_s: float = 0.4) -> None:
        super().__init__(replies, first_token_s, tokens_per_s=60.0)
        self.asked: list[list[Message]] = []
        self.offered: list[list[str]] = []

    def stream(self, messages: Sequence[Message], system: str, tools: Sequence[Tool] = ()) -> AsyncGenerator[LlmEvent]:
        self.asked.append(list(messages))
        self.offered.append([tool.name for tool in tools])
        return super().stream(messages, system, tools)


@dataclass
class Rest:
    """The platform's REST API."""

    takes_s: float = 0.3
    fails: bool = False
    moved_to: list[str] = field(default_factory=list)
    hung_up: int = 0

    async def transfer(self, call_id: str, target: str) -> None:
        await asyncio.sleep(self.takes_s)
        if self.fails:
            raise PeerFault("api_failed", "the API answered 500")
        self.moved_to.append(target)

    async def hang_up(self, call_id: str) -> None:
        self.hung_up += 1


def own(*names: str, others: tuple[CallTool, ...] = ()) -> Toolset:
    return Toolset(frozenset(names), {"reception": "+15550100001"}, others)


def held(
    model: Model,
    tools: Toolset,
    *utterances: Utterance,
    rest: Rest | None = None,
    faults: Faults | None = None,
    quiet_s: float = 4.0,
) -> tuple[CallTrace, CallRecord]:
    script = replace(SCRIPT, fillers=FILLERS)
    stage = Stage(model, timing=PATIENT, script=script, tools=tools, control=rest)  # type: ignore[arg-type]  # all a call uses of it
    return run_leaping(stage.call([QUESTION, *utterances], faults, Manners(quiet_s=quiet_s, reply_s=20.0)))


def outcomes(record: CallRecord) -> list[tuple[str, str]]:
    return [(tool.name, tool.outcome) for tool in record.tools]


def heard(record: CallRecord) -> list[str]:
    return [turn.heard_text for turn in record.turns][1:]


def over(*breaths: Breath, after_s: float) -> Utterance:
    return utterance("over", breaths, interrupt_after_s=after_s)


# Looking things up.


def test_an_answer_with_a_tool_is_one_reply_and_what_was_said_before_it_stays_heard() -> None:
    model = Model(f"Let me look.\n{LOOK}", "It comes tomorrow.")
    look = NotedTool("look", takes_s=0.5, answers="out for delivery")
    _, record = held(model, own(others=(look,)))
    assert heard(record) == ["Let me look. It comes tomorrow."]
    assert record.turns[1].bot_text.split() == ["Let", "me", "look.", "It", "comes", "tomorrow."]
    assert outcomes(record) == [("look", "ok")]
    question, call, result = model.asked[1][-3:]
    assert (question.text, call.text, call.tool_calls[0].name) == ("Where is my order?", "Let me look.", "look")
    assert result.tool_results[0].text == "out for delivery 123"


def test_f120_a_slow_tool_is_bridged_by_fillers_that_differ_and_are_not_cut() -> None:
    model = Model(f"Let me look.\n{LOOK}", "It comes tomorrow.")
    trace, record = held(model, own(others=(NotedTool("look", takes_s=9.0),)), quiet_s=8.0)
    assert heard(record) == ["Let me look. It comes tomorrow."]
    said, first, second, answer = audible_s(trace)
    assert first != pytest.approx(second, abs=0.02)
    assert {round(length / 0.06) for length in (first, second)} <= {len(filler) for filler in FILLERS}


def audible_s(trace: CallTrace) -> list[float]:
    """Lengths of the stretches in which the bot was heard after the question, in seconds."""
    lengths, at_s, step_s = [0.0], trace.spoken[0].end_s, 0.02
    while at_s < trace.duration_s:
        if trace.playback.audible(at_s, at_s + step_s) is not None:
            lengths[-1] += step_s
        elif lengths[-1]:
            lengths.append(0.0)
        at_s += step_s
    return [length for length in lengths if length > 0.1]


def test_f72_a_tool_call_that_takes_long_to_write_is_bridged_too() -> None:
    model = Model(LOOK, "It comes tomorrow.", first_token_s=4.0)
    trace, record = held(model, own(others=(NotedTool("look"),)), quiet_s=8.0)
    assert heard(record) == ["It comes tomorrow."]
    first, second, _ = audible_s(trace)
    assert {round(length / 0.06) for length in (first, second)} <= {len(filler) for filler in FILLERS}


def test_a_tool_that_fails_is_told_to_the_model_and_the_call_goes_on() -> None:
    model = Model(LOOK, "I cannot find it.")
    _, record = held(model, own(others=(NotedTool("look", fails=ToolError("http_5xx", "its server answered 500")),)))
    assert heard(record) == ["I cannot find it."]
    (result,) = model.asked[1][-1].tool_results
    assert (result.failed, result.text) == (True, "The tool failed: its server answered 500.")
    assert record.turns[1].failure == ""


def test_a_model_that_only_calls_tools_ends_in_the_fallback() -> None:
    _, record = held(Model(LOOK), own(others=(NotedTool("look"),)))
    assert record.turns[1].failure == "too_many_tool_rounds"
    assert heard(record) == [SCRIPT.fallback]


def test_asking_in_advance_never_runs_a_tool_before_the_turn_is_over() -> None:
    look = NotedTool("look", lasting=True)
    asks = utterance("asks", [Breath("I have a question.", 240), Breath("Where is my order?")])
    model = Model(LOOK, LOOK, "It comes tomorrow.")
    stage = Stage(model, timing=PATIENT, tools=own(others=(look,)), behind_s=0.02)
    _, record = run_leaping(stage.call([asks], None, Manners(quiet_s=3.0)))
    assert len(model.asked) == 3  # once in vain
    assert outcomes(record) == [("look", "ok")]
    assert record.tools[0].began_s >= record.turns[1].at_s["committed"]


# The caller interrupts.


def test_f64_a_tool_is_cancelled_by_an_interruption_and_the_next_question_is_asked_with_its_result() -> None:
    model = Model(f"I am looking for your order in our system now.\n{LOOK}", "Good.")
    look = NotedTool("look", takes_s=20.0, lasting=True)
    _, record = held(model, own(others=(look,)), over(Breath("Wait, forget about that order."), after_s=1.0))
    assert (look.finished, outcomes(record)) == (0, [("look", "cancelled")])
    assert record.turns[1].interrupted
    called, answered = model.asked[1][-2:]
    assert called.text.startswith("I am looking")
    assert [r.call_id for r in answered.tool_results] == [c.call_id for c in called.tool_calls]
    assert "cancelled" in answered.tool_results[0].text
    assert answered.text == "Wait, forget about that order."


def test_what_a_tool_has_done_stays_known_when_its_announcement_is_interrupted() -> None:
    model = Model(LOOK, "I have just booked it for you, and you will get a letter about it.", "Fine.")
    look = NotedTool("look", lasting=True, answers="booked")
    _, record = held(model, own(others=(look,)), over(Breath("No, not that one please."), after_s=0.6))
    (result,) = [r for m in model.asked[2] for r in m.tool_results]
    assert (result.text, result.failed) == ("booked 123", False)
    assert heard(record)[-1] == "Fine."


def test_f68_asking_whether_anybody_is_there_does_not_cancel_a_tool() -> None:
    model = Model(LOOK, "It comes tomorrow.")
    look = NotedTool("look", takes_s=6.0)
    hello = utterance("hello", [Breath("Hello?")], interrupt_after_s=0.2)
    _, record = held(model, own(others=(look,)), hello, quiet_s=8.0)
    assert outcomes(record) == [("look", "ok")]
    assert heard(record) == ["It comes tomorrow."]


def test_a_caller_who_hangs_up_takes_the_tool_along() -> None:
    look = NotedTool("look", takes_s=60.0)
    _, record = held(Model(LOOK, "Never."), own(others=(look,)), faults=Faults(drop_at_s=8.0))
    assert (look.finished, outcomes(record)) == (0, [("look", "cancelled")])


# Hanging up.


def test_the_goodbye_is_heard_before_the_line_drops() -> None:
    rest = Rest()
    model = Model("Thank you for calling, goodbye.\n@hang_up")
    trace, record = held(model, own("hang_up"), rest=rest)
    assert (record.ended, rest.hung_up) == ("goodbye", 1)
    assert heard(record) == ["Thank you for calling, goodbye."]
    assert outcomes(record) == [("hang_up", "ok")]
    assert sum(audible_s(trace)) == pytest.approx(len("Thank you for calling, goodbye.") * 0.06, abs=0.2)
    assert len(model.asked) == 1


def test_a_model_that_hangs_up_without_a_word_says_the_bots_goodbye() -> None:
    _, record = held(Model("@hang_up"), own("hang_up"), rest=Rest())
    assert record.ended == "goodbye"
    assert heard(record)[-1] == SCRIPT.goodbye


def test_f43_nothing_interrupts_a_goodbye() -> None:
    model = Model("Thank you for calling, goodbye.\n@hang_up", "Yes?")
    _, record = held(model, own("hang_up"), over(Breath("Wait, one more thing."), after_s=0.4), rest=Rest())
    assert record.ended == "goodbye"
    assert heard(record) == ["Thank you for calling, goodbye."]
    assert not record.turns[1].interrupted


def test_long_before_the_goodbye_a_caller_may_still_object() -> None:
    long = "Take the second street on the left. " * 8 + "Goodbye."
    model = Model(f"{long}\n@hang_up", "Gladly.")
    _, record = held(model, own("hang_up"), over(Breath("Wait, can you repeat that?"), after_s=1.5), rest=Rest())
    assert record.turns[1].interrupted
    assert outcomes(record) == [("hang_up", "cancelled")]
    assert heard(record)[1] == "Gladly."
    assert record.ended != "goodbye"


def test_a_call_is_not_hung_up_on_a_promise_that_failed() -> None:
    model = Model(f"It is booked, goodbye.\n{LOOK}\n@hang_up", "Sorry, that day is full.")
    full = NotedTool("look", fails=ToolError("http_4xx", "that day is full"), lasting=True)
    _, record = held(model, own("hang_up", others=(full,)), rest=Rest())
    assert outcomes(record) == [("look", "http_4xx"), ("hang_up", "held_back")]
    assert heard(record) == ["It is booked, goodbye. Sorry, that day is full."]


# Moving the caller.

MOVE = 'I connect you to our reception.\n@transfer {"target": "reception"}'


def test_a_transfer_finishes_the_sentence_and_ends_the_call() -> None:
    rest = Rest()
    trace, record = held(Model(MOVE), own("transfer"), rest=rest)
    assert (record.ended, rest.moved_to, rest.hung_up) == ("transferred", ["+15550100001"], 0)
    assert heard(record) == ["I connect you to our reception."]
    assert outcomes(record) == [("transfer", "ok")]
    assert record.tools[0].began_s - record.turns[1].at_s["first_frame"] >= 0.0
    assert sum(audible_s(trace)) == pytest.approx(len(heard(record)[0]) * 0.06, abs=0.2)


@pytest.mark.parametrize("after_s", [1.2, 1.5, 1.8])
def test_a_caller_who_objects_at_the_end_of_the_sentence_is_not_moved(after_s: float) -> None:
    model = Model('I connect you to reception.\n@transfer {"target": "reception"}', "All right, you stay with me.")
    rest = Rest()
    _, record = held(model, own("transfer"), over(Breath("No wait, one more question."), after_s=after_s), rest=rest)
    assert (rest.moved_to, outcomes(record)) == ([], [("transfer", "cancelled")])
    assert heard(record)[-1] == "All right, you stay with me."


def test_a_cough_at_the_end_of_the_sentence_does_not_stop_a_transfer() -> None:
    model, rest = Model('I connect you to reception.\n@transfer {"target": "reception"}'), Rest()
    _, record = held(model, own("transfer"), over(Breath("", seconds=0.3), after_s=1.5), rest=rest)
    assert (record.ended, rest.moved_to) == ("transferred", ["+15550100001"])


def test_a_transfer_that_fails_is_told_to_the_model_and_the_call_goes_on() -> None:
    model = Model(MOVE, "Nobody is there. Can I help?")
    _, record = held(model, own("transfer"), rest=Rest(fails=True))
    assert heard(record) == ["I connect you to our reception. Nobody is there. Can I help?"]
    assert outcomes(record) == [("transfer", "api_failed")]
    assert record.ended != "transferred"


def test_a_model_that_moves_the_caller_elsewhere_during_a_move_is_told_that_it_comes_too_late() -> None:
    model = Model(MOVE, 'The kitchen, then.\n@transfer {"target": "kitchen"}', "You are on your way to reception.")
    tools = Toolset(frozenset({"transfer"}), {"reception": "+15550100001", "kitchen": "+15550100003"}, ())
    rest = Rest(takes_s=15.0)
    _, record = held(model, tools, over(Breath("No wait, the kitchen please."), after_s=3.0), rest=rest, quiet_s=12.0)
    assert rest.moved_to == ["+15550100001"]
    assert outcomes(record) == [("transfer", "cancelled"), ("transfer", "transfer_is_on")]
    (result,) = model.asked[-1][-1].tool_results
    assert "already" in result.text
    assert record.ended == "transferred"


def test_a_stream_that_ends_before_the_api_has_answered_is_a_transfer_all_the_same() -> None:
    _, record = held(Model(MOVE), own("transfer"), rest=Rest(takes_s=1.0), faults=Faults(drop_at_s=10.6))
    assert (record.ended, outcomes(record)) == ("transferred", [("transfer", "ok")])


@pytest.mark.parametrize("target", ['"+15559999999"', '"sip:mallory@example.com"', "null", '["reception"]'])
def test_a_model_cannot_dial_a_number_that_it_makes_up(target: str) -> None:
    rest = Rest()
    model = Model(f'Sure.\n@transfer {{"target": {target}}}', "I cannot.")
    _, record = held(model, own("transfer"), rest=rest)
    assert (rest.moved_to, outcomes(record)) == ([], [("transfer", "bad_arguments")])
    assert "+15550100001" not in str(model.asked)


def test_what_the_platform_cannot_do_is_not_offered() -> None:
    model = Model("Hello.")
    held(model, own("hang_up", "transfer", "send_digits"))
    assert model.offered[0] == ["hang_up"]
    model = Model("Hello.")
    held(model, own("hang_up", "transfer", "send_digits"), rest=Rest())
    assert model.offered[0] == ["hang_up", "transfer"]
