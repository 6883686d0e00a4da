"""Random callers, models, tools and lines in one call: whatever meets whatever, what a call promises holds."""

import os
import re
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gateway.bench.scripted_caller import Breath, Utterance, utterance
from gateway.bench.scripted_voice import CHAR_S
from gateway.bench.stage import SCRIPT, Stage
from gateway.call.keying.keypad import KeyRules
from gateway.call.record import CallRecord
from gateway.errors import LlmError, ToolError
from gateway.llm.base import Completed, LlmEvent, Message, Tool
from gateway.llm.chat import chat_conversation
from gateway.llm.converse import converse_conversation
from gateway.llm.scripted import ScriptedModel
from gateway.simulator.call import CallTrace
from gateway.simulator.caller import CallerTurn
from gateway.simulator.faults import Faults
from gateway.simulator.script import Manners
from tests.calls.test_tools import FILLERS, PATIENT, Rest, own
from tests.rig.bedrock_rules import refusal
from tests.rig.chat_rules import chat_refusal
from tests.rig.clock import run_leaping
from tests.rig.tools import NotedTool

# `make test` tries a few, `VOICEBOT_FUZZ_EXAMPLES=3000` in the environment many.
EXAMPLES = int(os.environ.get("VOICEBOT_FUZZ_EXAMPLES", "30"))
STEP_S = 0.01
# No voice says this space: each sentence is spoken by itself.
_BETWEEN_SENTENCES = re.compile(r"(?<=[.?!]) ")
ENDS = ("stop", "closed", "goodbye", "transferred")


@dataclass(frozen=True)
class Act:
    """What the model does when it is asked."""

    reply: str
    first_token_s: float
    tokens_per_s: float
    fails: bool


class ActingModel:
    """A LanguageModel that takes its acts in turn, and remembers what it was asked."""

    def __init__(self, acts: Sequence[Act]) -> None:
        self._acts = [(act, ScriptedModel([act.reply], act.first_token_s, act.tokens_per_s)) for act in acts]
        self.asked: list[list[Message]] = []

    async def stream(
        self, messages: Sequence[Message], system: str, tools: Sequence[Tool] = ()
    ) -> AsyncGenerator[LlmEvent]:
        act, script = self._acts[len(self.asked) % len(self._acts)]
        self.asked.append(list(messages))
        async for event in script.stream(messages, system, tools):
            if act.fails and isinstance(event, Completed):
                raise LlmError("throttled", retryable=True)
            yield event

    async def ready(self) -> bool:
        return True

    async def close(self) -> None:
        """Nothing is shared."""


@dataclass(frozen=True)
class Doing:
    """What the caller does next: words, a noise or an assent, perhaps with keys, or keys alone."""

    kind: str
    words: str
    pauses_ms: tuple[int, ...]
    noise: tuple[float, float]
    digits: str
    keys_after_s: float
    over_s: float | None  # so long into the bot's words; None waits for their end

    def utterance(self, number: int) -> Utterance:
        match self.kind:
            case "keys":
                turn = CallerTurn(f"keys {number}", digits=self.digits or "12#", interrupt_after_s=self.over_s)
                return Utterance(turn, ())
            case "noise":
                breaths = [Breath("", 0, *self.noise)]
            case "assent":
                breaths = [Breath("Mm-hm.")]
            case _:
                # Each has words of its own, by which it is known again.
                parts = (self.words.format(number), f"of shelf{number}")
                breaths = [Breath(part, pause_ms) for part, pause_ms in zip(parts, self.pauses_ms, strict=False)]
        said = utterance(f"{self.kind} {number}", breaths, self.over_s)
        return Utterance(replace(said.turn, digits=self.digits, keys_after_s=self.keys_after_s), said.words)


def _tenths(longest: int, shortest: int = 0) -> st.SearchStrategy[float]:
    return st.integers(shortest, longest).map(lambda tenths: tenths / 10)


_DOINGS = st.builds(
    Doing,
    st.sampled_from(["words", "words", "words", "noise", "assent", "keys"]),
    st.sampled_from(["please tell me about item{}", "item{}", "no wait I meant item{}", "and um item{}"]),
    st.lists(st.sampled_from([0, 300, 700, 1500]), min_size=1, max_size=2).map(tuple),
    st.tuples(st.sampled_from([0.06, 0.3, 1.5]), st.sampled_from([800.0, 5000.0])),
    st.sampled_from(["", "", "", "1", "12#", "#", "1234#", "55"]),
    st.sampled_from([0.1, 0.6, 2.5]),
    st.none() | _tenths(40),
)
_ACTS = st.builds(
    Act,
    st.sampled_from(
        [
            "We open at nine in the morning and close at six. On Saturday we open at ten.",
            "Yes.",
            " \n",
            'Let me look.\n@look {"number": "1"}',
            'One moment.\n@look {"number": "1"}\n@book {"number": "2"}\n@book {"number": "2"}\n@nothing {}',
            '@look {"number": "word"}',
            'I press it for you.\n@send_digits {"digits": "1x"}',
            'I connect you.\n@transfer {"target": "reception"}',
            "Thank you for calling, and goodbye.\n@hang_up",
            "@hang_up",
            'Bye.\n@look {"number": "1"}\n@hang_up\n@transfer {"target": "reception"}',
        ]
    ),
    st.sampled_from([0.1, 0.4, 3.0]),
    st.sampled_from([0.0, 3.0, 60.0]),
    st.sampled_from([False, False, False, True]),
)
_LINES = st.builds(
    Faults,
    ack_delay_s=st.sampled_from([0.0, 0.3, 2.0]),
    lose_every_ack=st.sampled_from([0, 0, 1, 2]),
    repeat_acks=st.booleans(),
    lose_every_frame=st.sampled_from([0, 0, 10]),
    drop_at_s=st.none() | st.none() | _tenths(250, 10),
    without_stop=st.booleans(),
)
_TOOLS = st.fixed_dictionaries(
    {
        "look_s": st.sampled_from([0.0, 0.4, 5.0, 40.0]),
        "book_s": st.sampled_from([0.0, 2.0]),
        "book_fails": st.booleans(),
        "rest_fails": st.booleans(),
        "rest_s": st.sampled_from([0.1, 3.0]),
    }
)
_CLOCKS = st.fixed_dictionaries(
    {
        "greeting_yields": st.booleans(),
        "speculate": st.booleans(),
        "filler_s": st.sampled_from([0.0, 0.3, 1.2]),
        "idle_s": st.sampled_from([0.0, 3.0]),
        "silence_s": st.sampled_from([7.0, 30.0]),
        "max_call_s": st.sampled_from([9.0, 25.0, 600.0]),
    }
)


@settings(
    deadline=None, max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(
    st.lists(_DOINGS, min_size=1, max_size=4),
    st.lists(_ACTS, min_size=1, max_size=4),
    _TOOLS,
    _LINES,
    _CLOCKS,
    st.sampled_from([1, 4, 32]),
)
def test_what_a_call_promises_holds(
    doings: list[Doing], acts: list[Act], tools: dict[str, Any], line: Faults, clocks: dict[str, Any], max_digits: int
) -> None:
    caller = [doing.utterance(number) for number, doing in enumerate(doings)]
    model, rest = ActingModel(acts), Rest(takes_s=tools["rest_s"], fails=tools["rest_fails"])
    look = NotedTool("look", takes_s=tools["look_s"])
    book = NotedTool("book", takes_s=tools["book_s"], lasting=True)
    book.fails = ToolError("full", "that day is full") if tools["book_fails"] else None
    stage = Stage(
        model,
        timing=replace(PATIENT, **clocks, keys=KeyRules(max_digits=max_digits, recorded=True)),
        script=replace(SCRIPT, still_there="Are you still there?", fillers=FILLERS),
        tools=own("hang_up", "transfer", "send_digits", others=(look, book)),
        control=rest,  # type: ignore[arg-type]  # all a call uses of it
    )
    trace, record = run_leaping(stage.call(caller, line, Manners(quiet_s=1.5, reply_s=6.0)))  # fails on a task left

    assert trace.violations == ()
    assert record.ended in ENDS
    offered = [look.spec, book.spec]
    for messages in model.asked:
        assert refusal({**converse_conversation(messages, "Be brief.", offered), "modelId": "m"}) is None
        assert chat_refusal(chat_conversation(messages, "Be brief.", offered)["messages"]) is None
    assert [tool.outcome for tool in record.tools if tool.name in ("look", "book")].count("ok") == (
        look.finished + book.finished
    )
    assert_answered_once(record, caller)
    assert_heard_what_sounded(trace, record)


def assert_answered_once(record: CallRecord, caller: list[Utterance]) -> None:
    """What the caller said stands in one turn, so one reply was for it."""
    told = " ".join(turn.caller_text for turn in record.turns).split()
    for _, word in (word for said in caller for word in said.words):
        if word.startswith(("item", "shelf")):
            assert told.count(word) <= 1, word


def assert_heard_what_sounded(trace: CallTrace, record: CallRecord) -> None:
    """No turn's heard words go beyond what the caller's phone played in its time, but for the last one."""
    begun_s = [turn.at_s.get("first_frame") for turn in record.turns]
    ends_s = [*begun_s, trace.duration_s][1:]
    for turn, from_s, until_s in zip(record.turns, begun_s, ends_s, strict=True):
        if from_s is None or until_s is None:
            assert from_s is not None or turn.heard_text == ""
            continue
        before_last = _BETWEEN_SENTENCES.sub("", turn.heard_text.rpartition(" ")[0])
        assert len(before_last) * CHAR_S <= _audible_s(trace, from_s - 0.05, until_s + 0.05) + 0.1, turn


def _audible_s(trace: CallTrace, from_s: float, until_s: float) -> float:
    steps = range(round((until_s - from_s) / STEP_S))
    middles = (from_s + (step + 0.5) * STEP_S for step in steps)
    return sum(trace.playback.audible(at - 0.002, at + 0.002) is not None for at in middles) * STEP_S
