"""Random callers, engines and faults in whole calls: whatever the timing, a call ends and its story holds together."""

import asyncio
import re
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gateway.call.keying.keypad import KeyRules
from gateway.call.record import CallRecord
from gateway.call.script import Timing
from gateway.errors import LlmError, SttError
from gateway.gateway import Gateway
from gateway.llm.base import Completed, LlmEvent, Message, TextDelta, Tool
from gateway.llm.turns import ask
from gateway.simulator.call import CallTrace
from gateway.simulator.caller import CallerTurn, recorded_turn
from gateway.simulator.faults import Faults
from gateway.simulator.script import Manners
from tests.rig.call import Rig, sound
from tests.rig.clock import run_leaping
from tests.rig.ears import Answer, SlowRecognisers
from tests.rig.voice import TestVoices
from tests.rig.waiting import until

REPLIES = (
    "Yes.",
    "We open at nine. On Saturday we open at ten, and on Sunday we stay closed.",
    "😀",
    "",
    "One, two, three.",
)
TIMING = Timing(400, 200, 100, 5.0, silence_s=8.0, max_call_s=60.0)


class RandomModel:
    """Takes its replies, delays and failures from a list, and checks what it is asked."""

    def __init__(self, turns: Sequence[tuple[str, float, bool]]) -> None:
        self._turns = turns
        self._count = 0

    async def stream(
        self, messages: Sequence[Message], system: str, tools: Sequence[Tool] = ()
    ) -> AsyncGenerator[LlmEvent]:
        assert ask(messages) == list(messages), "the history breaks a rule"
        reply, delay_s, fails = self._turns[self._count % len(self._turns)]
        self._count += 1
        for word in reply.split(" "):
            await asyncio.sleep(delay_s)
            yield TextDelta(word + " ")
        if fails:
            raise LlmError("throttled", retryable=True)
        yield Completed("end_turn")

    async def ready(self) -> bool:
        return True

    async def close(self) -> None:
        """Nothing is shared."""


@dataclass(frozen=True)
class Plan:
    """One random call."""

    caller: list[CallerTurn]
    replies: list[tuple[str, float, bool]]
    answers: list[Answer]
    voice_delay_s: float
    fails: str
    faults: Faults
    greeting: str
    farewell_s: float | None
    keys: KeyRules


seconds = st.floats(0.0, 3.0).map(lambda s: round(s, 2))


@st.composite
def callers_turn(draw: st.DrawFn) -> CallerTurn:
    """Up to three sounds with pauses between them, perhaps with keys, perhaps into the bot's words."""
    pcm = b""
    for _ in range(draw(st.integers(1, 3))):
        pcm += sound(draw(st.sampled_from([0.06, 0.15, 0.4, 1.2]))).pcm
        pcm += bytes(round(draw(seconds) * 4000) * 2)
    turn = recorded_turn("caller", pcm, 8000, "words")
    after_s = draw(st.none() | seconds)
    digits = draw(st.sampled_from(["", "", "1", "12#", "#", "0071"]))
    return replace(turn, interrupt_after_s=after_s, digits=digits, keys_after_s=draw(seconds))


def answers() -> st.SearchStrategy[Answer]:
    said = st.sampled_from(["When do you open?", "Yes.", "", " "]) | st.just(SttError("stt_overdue", retryable=True))
    return st.tuples(said, st.sampled_from([0.0, 0.05, 0.5, 2.0]))


plans = st.builds(
    Plan,
    caller=st.lists(callers_turn(), max_size=3),
    replies=st.lists(
        st.tuples(st.sampled_from(REPLIES), st.sampled_from([0.0, 0.05, 0.3]), st.booleans()), min_size=1, max_size=3
    ),
    answers=st.lists(answers(), min_size=1, max_size=4),
    voice_delay_s=st.sampled_from([0.0, 0.1, 1.0]),
    fails=st.sampled_from(["-", "e", "Sunday"]),
    faults=st.builds(
        Faults,
        ack_delay_s=st.sampled_from([0.0, 0.4, 3.0]),
        lose_every_ack=st.sampled_from([0, 1, 2]),
        stall_at_s=st.none() | seconds,
        stall_s=st.sampled_from([0.05, 0.3, 2.0]),
        drop_at_s=st.none() | st.floats(0.0, 15.0).map(lambda s: round(s, 2)),
        without_stop=st.booleans(),
    ),
    greeting=st.sampled_from(["Hello.", ""]),
    farewell_s=st.none() | st.floats(0.0, 20.0).map(lambda s: round(s, 2)),
    keys=st.builds(
        KeyRules,
        max_digits=st.sampled_from([1, 3, 32]),
        pause_s=st.sampled_from([0.3, 1.0, 3.0]),
        interrupts=st.booleans(),
    ),
)


def held(plan: Plan) -> tuple[CallTrace, CallRecord, Gateway]:
    rig = Rig(
        model=RandomModel(plan.replies),
        voices=TestVoices(plan.voice_delay_s, lambda text: plan.fails in text),
        ears=SlowRecognisers(*plan.answers),
        greeting=plan.greeting,
        timing=replace(TIMING, keys=plan.keys),
    )

    async def main() -> tuple[CallTrace, CallRecord, Gateway]:
        gateway = rig.gateway()
        manners = Manners(quiet_s=0.6, greeting_s=1.0, reply_s=3.0, listen_s=20.0)
        call = asyncio.create_task(rig.call(plan.caller, plan.faults, manners, gateway=gateway))
        if plan.farewell_s is not None:
            await asyncio.sleep(plan.farewell_s)
            for record in gateway.calls.records():
                gateway.calls.farewell(record.call_id)
        trace, record = await call
        await until(lambda: gateway.calls.count == 0, within_s=2.0)
        assert all(voice.closed for voice in rig.voices.made)
        return trace, record, gateway

    return run_leaping(main())  # fails when a task is left


@given(plans)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_any_call_ends_and_its_story_holds_together(plan: Plan) -> None:
    trace, record, _ = held(plan)
    assert trace.violations == ()
    assert record.ended in ("stop", "closed", "goodbye", "peer_gone")
    assert record.duration_s <= TIMING.max_call_s + 20.0
    for turn in record.turns:
        written, heard = _words(turn.bot_text), _words(turn.heard_text)
        assert len(heard) <= len(written)
        if not turn.failure:  # a sentence that could not be spoken is missing in the middle
            assert heard == written[: len(heard)]


def _words(text: str) -> list[str]:
    """The words of a text without its punctuation, which a cut may lose."""
    return re.findall(r"\w+", text)
