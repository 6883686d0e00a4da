"""Whole calls in which things happen at the worst moment: what the caller hears, and what the record says of it."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace

import pytest

from gateway.call.record import CallRecord
from gateway.errors import LlmError, Refused
from gateway.llm.base import Completed, LlmEvent, Message, TextDelta, Tool
from gateway.llm.scripted import ScriptedModel
from gateway.simulator.call import CallTrace
from gateway.simulator.caller import CallerTurn, recorded_turn
from gateway.simulator.faults import Faults
from gateway.simulator.script import Manners
from tests.rig.call import ANSWER, FALLBACK, GREETING, MemorySocket, Rig, sound
from tests.rig.clock import run_leaping
from tests.rig.ears import SlowRecognisers
from tests.rig.voice import CHAR_S, TestVoices
from tests.rig.waiting import until

LONG = "One two three four five six seven eight nine ten. Eleven twelve thirteen fourteen fifteen sixteen."


class Says(ScriptedModel):
    """Says some text, and is done."""

    def __init__(self, text: str) -> None:
        super().__init__(["unused"])
        self._text = text

    async def _end(self) -> AsyncGenerator[LlmEvent]:
        yield TextDelta(self._text)
        yield Completed("end_turn")

    def stream(self, messages: Sequence[Message], system: str, tools: Sequence[Tool] = ()) -> AsyncGenerator[LlmEvent]:
        return self._end()


class FailsAfter(Says):
    """Says some text and fails."""

    async def _end(self) -> AsyncGenerator[LlmEvent]:
        yield TextDelta(self._text)
        raise LlmError("throttled", retryable=True)


def two_sounds(first_s: float, pause_s: float, second_s: float) -> CallerTurn:
    """One breath of the caller: a sound, a pause, another sound."""
    first, second = sound(first_s), sound(second_s)
    return recorded_turn("two sounds", first.pcm + bytes(round(pause_s * 8000) * 2) + second.pcm, 8000, "two sounds")


def heard(record: CallRecord) -> list[str]:
    return [turn.heard_text for turn in record.turns]


def test_the_fallback_waits_for_the_sentences_said_before_the_model_failed() -> None:
    rig = Rig(model=FailsAfter("We open at nine in the morning. And then "), voices=TestVoices(delay_s=0.5))

    async def main() -> tuple[CallTrace, CallRecord]:
        gateway = rig.gateway()
        await gateway.start()
        await asyncio.sleep(10.0)  # the fixed sentences are in memory, where nothing keeps them waiting
        result = await rig.call([sound(0.5)], gateway=gateway)
        await gateway.stop(0.0)
        return result

    trace, record = run_leaping(main())
    assert record.turns[1].heard_text.startswith("We open at nine")
    assert record.turns[1].heard_text.endswith(FALLBACK)
    # The fallback is kept in memory and the sentence takes the voice half a second: it must not slip in before it.
    began_s = record.turns[1].at_s["first_frame"] - record.turns[1].at_s["first_sentence"]
    assert began_s >= 0.5
    said_s = CHAR_S * len(f"We open at nine in the morning.{FALLBACK}")
    audible = trace.playback.audible(trace.spoken[0].end_s)
    assert audible is not None
    assert audible[1] - audible[0] == pytest.approx(said_s, abs=0.3)


def test_a_sentence_that_was_whole_when_the_model_failed_is_heard() -> None:
    _, record = run_leaping(Rig(model=FailsAfter("We open at nine.")).call([sound(0.5)]))
    assert record.turns[1].heard_text == f"We open at nine. {FALLBACK}"


@pytest.mark.parametrize("text", ["", " \n\n", "\N{THUMBS UP SIGN}"])
def test_f88_a_reply_that_leaves_nothing_to_say_is_no_silence(text: str) -> None:
    _, record = run_leaping(Rig(model=Says(text)).call([sound(0.5)]))
    assert (record.turns[1].heard_text, record.turns[1].failure) == (FALLBACK, "empty_reply")


def test_a_late_recognition_without_words_does_not_interrupt_the_answer() -> None:
    # The second sound is a breath, recognised as nothing while the bot already answers the first.
    rig = Rig(model=ScriptedModel([LONG]), ears=SlowRecognisers(("When do you open?", 1.5), ("", 2.5)))
    _, record = run_leaping(rig.call([two_sounds(0.5, 0.7, 0.2)], manners=Manners(reply_s=20.0)))
    assert heard(record) == [GREETING, LONG]
    assert not any(turn.interrupted for turn in record.turns)


def test_late_words_are_a_turn_of_their_own_and_stay_unanswered_until_a_reply_is_heard() -> None:
    rig = Rig(model=ScriptedModel([LONG, "Fine."]), ears=SlowRecognisers(("first", 1.5), ("second", 2.5)))
    _, record = run_leaping(rig.call([two_sounds(0.5, 0.7, 0.2)], manners=Manners(reply_s=20.0)))
    assert [turn.caller_text for turn in record.turns] == ["", "first", "second"]
    assert record.turns[1].interrupted
    assert record.turns[2].heard_text == "Fine."


def test_a_caller_who_hangs_up_unanswered_heard_nothing_in_that_turn() -> None:
    rig = Rig(ears=SlowRecognisers(("When do you open?", 0.6)), model=ScriptedModel(["Never."], first_token_s=60.0))
    turn = two_sounds(0.5, 0.7, 3.0)
    _, record = run_leaping(rig.call([turn], Faults(drop_at_s=4.5)))
    assert [(t.caller_text, t.heard_text) for t in record.turns] == [("", GREETING), ("When do you open?", "")]


def test_a_turn_that_was_resumed_is_measured_from_its_last_pause() -> None:
    rig = Rig(ears=SlowRecognisers(("first", 1.0), ("second", 0.1)))
    trace, record = run_leaping(rig.call([two_sounds(0.5, 0.7, 2.0)]))
    assert record.turns[1].heard_text == ANSWER
    latency = record.turns[1].stages_ms()
    assert latency["total"] == pytest.approx(600, abs=60)
    assert latency["end_of_turn_wait"] == pytest.approx(500, abs=40)


def test_the_third_failure_is_counted_although_the_goodbye_replaces_its_fallback() -> None:
    _, record = run_leaping(Rig(model=FailsAfter("")).call([sound(0.5)] * 4))
    assert [turn.failure for turn in record.turns] == ["", "throttled", "throttled", "throttled"]


def test_f43_a_greeting_that_does_not_yield_outlasts_a_caller_who_talks_before_it_sounds() -> None:
    # A word, a breath, and a long sentence, while the voice is still at work on the greeting.
    rig = Rig(voices=TestVoices(delay_s=1.0), timing=replace(Rig().timing, greeting_yields=False))
    _, record = run_leaping(rig.call([two_sounds(0.4, 0.3, 3.0)], manners=Manners(greeting_s=0.1)))
    assert (record.turns[0].heard_text, record.turns[0].interrupted) == (GREETING, False)


class BreakingSocket(MemorySocket):
    """Cannot be written to any more from some moment on; reading goes on."""

    BREAKS_S = 3.0

    async def send(self, message: str | bytes) -> None:
        if asyncio.get_running_loop().time() >= self.BREAKS_S:
            raise ConnectionResetError("broken pipe")
        await super().send(message)


def breaking_rig() -> Rig:
    return Rig(model=ScriptedModel([LONG]), voices=TestVoices(close_s=0.6), socket=BreakingSocket)


@pytest.mark.parametrize("after_s", [0.0, 0.05, 0.2, 0.5, 1.0])
def test_a_farewell_while_the_call_is_closing_down_is_harmless(after_s: float) -> None:
    """The line breaks under a speaking bot; the operator ends the call while its parts are being closed."""

    async def main() -> tuple[CallTrace, CallRecord]:
        rig = breaking_rig()
        gateway = rig.gateway()
        call = asyncio.create_task(rig.call([sound(0.5)], gateway=gateway))
        await until(lambda: gateway.calls.count)
        (record,) = gateway.calls.records()
        await until(lambda: rig.voices.made and rig.voices.made[0].closing)
        await asyncio.sleep(after_s)
        gateway.calls.farewell(record.call_id)  # found no more after 0.6 s
        return await call

    _, record = run_leaping(main())
    assert record.ended == "peer_gone"


def test_draining_while_a_call_closes_down_ends_in_good_order() -> None:
    async def main() -> None:
        rig = breaking_rig()
        gateway = rig.gateway()
        call = asyncio.create_task(rig.call([sound(0.5)], gateway=gateway))
        await until(lambda: rig.voices.made and rig.voices.made[0].closing)
        await gateway.stop(0.0)
        assert gateway.calls.count == 0
        with pytest.raises(Refused):
            gateway.calls.admit("another")
        await call

    run_leaping(main())


def test_a_voice_that_refuses_for_good_costs_sentences_and_not_the_call() -> None:
    # The worker turns us away (a wrong token): the session closes itself, and nothing can be asked of it any more.
    rig = Rig(voices=TestVoices(shut=True), greeting="")
    trace, record = run_leaping(rig.call([sound(0.5)] * 4, manners=Manners(greeting_s=0.5, reply_s=2.0)))
    assert {turn.failure for turn in record.turns} == {"session_closed"}
    assert record.ended == "goodbye"
    assert trace.ended_by == "gateway"


def test_media_that_dries_up_in_mid_speech_ends_in_a_goodbye() -> None:
    async def main() -> CallRecord:
        rig = Rig(greeting="")
        gateway = rig.gateway()
        call = asyncio.create_task(
            rig.call([sound(5.0)], Faults(half_open_at_s=2.0, half_open_s=300.0), gateway=gateway)
        )
        await until(lambda: gateway.calls.records() and not gateway.calls.count, within_s=90.0)
        await call
        (record,) = gateway.calls.records()
        return record

    record = run_leaping(main())
    assert record.duration_s == pytest.approx(2.0 + 30.0, abs=4.0)
