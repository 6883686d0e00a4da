"""Replies: one at a time, sentence by sentence, each over or interrupted; failures become something to hear."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Sequence
from typing import Any

import pytest

from gateway.call.exchange import Exchange
from gateway.call.playout import Playout
from gateway.call.prompts import Prompts
from gateway.call.record import CallRecord
from gateway.call.script import Script, Timing
from gateway.call.speaker import Speaker
from gateway.call.thinking.reply import MAX_FAILURES, Replies
from gateway.call.turn import Happening
from gateway.errors import LlmError
from gateway.events import Command
from gateway.llm.base import Completed, LanguageModel, LlmEvent, Message, TextDelta, Tool
from gateway.platforms.base import Capabilities
from media.formats import ULAW_8K
from tests.rig.clock import run_leaping
from tests.rig.voice import RATE_HZ, TestVoices
from tests.rig.waiting import until

H = Happening
TIMING = Timing(500, 250, 100, 60.0, 30.0, 600.0)
SCRIPT = Script("en", "Be brief.", "Hello.", "Sorry?", "Pardon?", "Goodbye.")


class Deltas:
    """A model that gives its deltas at their times, and fails where an error stands."""

    def __init__(self, *deltas: tuple[float, str] | LlmError) -> None:
        self._deltas = deltas
        self.closed = 0
        self.asked: list[list[Message]] = []

    def stream(self, messages: Sequence[Message], system: str, tools: Sequence[Tool] = ()) -> AsyncGenerator[LlmEvent]:
        self.asked.append(list(messages))
        return self._stream()

    async def _stream(self) -> AsyncGenerator[LlmEvent]:
        try:
            for delta in self._deltas:
                if isinstance(delta, LlmError):
                    raise delta
                await asyncio.sleep(delta[0])
                yield TextDelta(delta[1])
            yield Completed("end_turn")
        finally:
            self.closed += 1

    async def ready(self) -> bool:
        return True

    async def close(self) -> None:
        """Nothing is shared."""


class Desk:
    """Replies with working parts around them."""

    def __init__(self, model: LanguageModel, voices: TestVoices) -> None:
        loop = asyncio.get_running_loop()
        self.record = CallRecord("CA1", "twilio", "then")
        self.exchange = Exchange(self.record, loop.time)
        self.voice = voices.session("af_heart", "en", 1.0)
        self.playout = Playout(self._sent, ULAW_8K, Capabilities(), RATE_HZ, 100, 60.0, loop.time)
        self.speaker = Speaker(self.voice, self.playout, Prompts("af_heart", "en", 1.0))
        self.happened: list[Happening] = []
        self.tasks: set[asyncio.Task[None]] = set()
        self.replies = Replies(model, self.speaker, self.exchange, SCRIPT, TIMING, self._spawn, self.happened.append)

    async def _sent(self, command: Command) -> None:
        """The wire takes everything."""

    def _spawn(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        task = asyncio.create_task(work, name=name)
        self.tasks.add(task)
        return task


def at_desk(
    script: Callable[[Desk], Awaitable[None]], model: Deltas | None = None, voices: TestVoices | None = None
) -> Desk:
    async def main() -> Desk:
        desk = Desk(model or Deltas((0.1, "We open at nine.")), voices or TestVoices())
        await desk.voice.open()
        pumps = [asyncio.create_task(desk.speaker.pump()), asyncio.create_task(desk.playout.run())]
        await script(desk)
        for task in (*pumps, *desk.tasks):
            task.cancel()
        await asyncio.wait({*pumps, *desk.tasks})
        return desk

    return run_leaping(main())


async def answered(desk: Desk) -> None:
    desk.exchange.caller_said("When?")
    desk.replies.answer()
    await until(lambda: desk.happened, 60.0)


def test_an_answer_is_spoken_recorded_and_over() -> None:
    desk = at_desk(answered)
    assert desk.happened == [H.REPLY_OVER]
    (turn,) = desk.record.turns
    assert (turn.caller_text, turn.bot_text, turn.heard_text) == ("When?", "We open at nine.", "We open at nine.")
    assert {"first_token", "first_sentence"} <= turn.at_s.keys()


def test_a_prompt_is_spoken_and_over() -> None:
    async def script(desk: Desk) -> None:
        desk.replies.prompt("Pardon?")
        await until(lambda: desk.happened)

    desk = at_desk(script)
    assert [turn.heard_text for turn in desk.record.turns] == ["Pardon?"]


def test_an_interruption_ends_the_models_stream_and_keeps_what_was_heard() -> None:
    model = Deltas((0.1, "One two three four five six. "), (30.0, "Never."))

    async def script(desk: Desk) -> None:
        desk.exchange.caller_said("When?")
        desk.replies.answer()
        await asyncio.sleep(1.0)
        desk.replies.interrupt()
        desk.replies.interrupt()  # nothing is under way any more
        await asyncio.sleep(0.1)
        assert model.closed == 1

    desk = at_desk(script, model)
    assert desk.happened == []
    (turn,) = desk.record.turns
    assert turn.interrupted
    assert turn.heard_text == "One two three"


def test_a_second_question_replaces_the_reply_under_way() -> None:
    model = Deltas((1.0, "Answer."))

    async def script(desk: Desk) -> None:
        desk.exchange.caller_said("first")
        desk.replies.answer()
        await asyncio.sleep(0.5)
        desk.exchange.caller_said("second")
        desk.replies.answer()
        await until(lambda: desk.happened)

    desk = at_desk(script, model)
    assert [message.text for message in model.asked[1]] == ["first\nsecond"]
    assert [turn.caller_text for turn in desk.record.turns] == ["first second"]


def test_a_sentence_that_is_probably_whole_is_not_kept_waiting_for_the_next_token() -> None:
    desk = at_desk(answered, Deltas((0.0, "We open at nine."), (8.0, " We close at six.")))
    at_s = desk.record.turns[0].at_s
    assert at_s["first_sentence"] == pytest.approx(0.2, abs=0.01)


def test_failures_in_a_row_end_the_call_and_a_success_forgives_them() -> None:
    model = Deltas(LlmError("throttled"))

    async def script(desk: Desk) -> None:
        for _ in range(MAX_FAILURES):
            desk.happened.clear()
            await answered(desk)

    desk = at_desk(script, model)
    assert desk.happened == [H.FAREWELL]
    assert [turn.heard_text for turn in desk.record.turns] == ["Sorry?"] * (MAX_FAILURES - 1)


def test_a_sentence_that_could_not_be_spoken_is_followed_by_the_fallback() -> None:
    desk = at_desk(answered, voices=TestVoices(fails=lambda text: "nine" in text))
    (turn,) = desk.record.turns
    assert (turn.failure, turn.heard_text) == ("engine_failed", "Sorry?")


@pytest.mark.parametrize(("at_s", "audible"), [(0.05, False), (0.5, True)])
def test_the_end_of_the_call_keeps_what_was_heard_of_the_reply_under_way(at_s: float, audible: bool) -> None:
    async def script(desk: Desk) -> None:
        desk.exchange.caller_said("When?")
        desk.replies.answer()
        await asyncio.sleep(at_s)
        assert desk.playout.audible is audible
        desk.replies.ended(desk.playout.audible)
        desk.replies.ended(True)  # once is enough

    desk = at_desk(script)
    (turn,) = desk.record.turns
    assert turn.interrupted is audible
    assert turn.heard_text == ("We open" if audible else "")


def test_a_question_asked_in_advance_is_not_asked_again() -> None:
    model = Deltas((0.4, "We open at nine."))

    async def script(desk: Desk) -> None:
        desk.replies.speculate("When do you open")
        desk.replies.speculate("never")  # once a pause
        await asyncio.sleep(0.3)
        assert desk.record.turns == []
        desk.exchange.caller_said("When do you open?")
        desk.replies.answer()
        await until(lambda: desk.happened, 60.0)

    desk = at_desk(script, model)
    assert len(model.asked) == 1
    (turn,) = desk.record.turns
    assert turn.heard_text == "We open at nine."
    assert turn.at_s["first_token"] == pytest.approx(0.4, abs=0.01)


@pytest.mark.parametrize("dropped", [True, False])
def test_another_question_is_asked_anew(dropped: bool) -> None:
    model = Deltas((0.1, "We open at nine."))

    async def script(desk: Desk) -> None:
        desk.replies.speculate("When do you open")
        await asyncio.sleep(0.3)
        if dropped:
            desk.replies.drop()
        desk.exchange.caller_said("When do you open? On Sunday?")
        desk.replies.answer()
        await until(lambda: desk.happened, 60.0)

    desk = at_desk(script, model)
    assert [asked[-1].text for asked in model.asked] == ["When do you open", "When do you open? On Sunday?"]
    assert model.closed == 2
    assert [turn.bot_text for turn in desk.record.turns] == ["We open at nine."]


def test_f59_what_was_said_before_the_model_failed_is_kept_and_not_repeated() -> None:
    desk = at_desk(answered, Deltas((0.1, "We open at nine. "), (0.1, "And then "), LlmError("throttled")))
    (turn,) = desk.record.turns
    assert turn.heard_text == "We open at nine. Sorry?"


def test_f68_what_a_dribbling_model_has_given_is_said_in_the_end() -> None:
    desk = at_desk(answered, Deltas((0.1, "We open at nine in the "), (9.0, "morning.")))
    (turn,) = desk.record.turns
    assert turn.at_s["first_sentence"] == pytest.approx(0.1 + TIMING.dribble_s, abs=0.25)
    assert turn.heard_text == "We open at nine in the morning."
