"""Whole calls in memory under the leaping clock: what the caller hears, and what remains known of it."""

import asyncio
from collections.abc import AsyncGenerator, Sequence

import pytest

from gateway.call.record import CallRecord
from gateway.call.script import Timing
from gateway.errors import LlmError, SttError
from gateway.llm.base import Completed, LlmEvent, Message, TextDelta, Tool
from gateway.llm.scripted import ScriptedModel
from gateway.simulator.caller import recorded_turn
from gateway.simulator.faults import Faults
from gateway.simulator.script import Manners
from gateway.stt.base import Final, SttEvent
from gateway.stt.energy import EnergyRecogniser, EnergyRecognisers
from tests.rig.call import ANSWER, FALLBACK, GOODBYE, GREETING, REPROMPT, Rig, sound
from tests.rig.clock import run_leaping
from tests.rig.voice import TestVoices

LONG = "One two three four five six seven eight nine ten. Eleven twelve thirteen fourteen fifteen sixteen. The end."


class AskedModel(ScriptedModel):
    """A scripted model that remembers what it was asked."""

    def __init__(self, replies: Sequence[str], first_token_s: float = 0.0) -> None:
        super().__init__(replies, first_token_s)
        self.asked: list[list[Message]] = []

    def stream(self, messages: Sequence[Message], system: str, tools: Sequence[Tool] = ()) -> AsyncGenerator[LlmEvent]:
        self.asked.append(list(messages))
        return super().stream(messages, system, tools)


class BrokenModel(AskedModel):
    """Fails at every question, after some text where there is any."""

    def __init__(self, before: str = "") -> None:
        super().__init__(["unused"])
        self._before = before

    async def _fail(self) -> AsyncGenerator[LlmEvent]:
        if self._before:
            yield TextDelta(self._before)
        raise LlmError("throttled", retryable=True)

    def stream(self, messages: Sequence[Message], system: str, tools: Sequence[Tool] = ()) -> AsyncGenerator[LlmEvent]:
        self.asked.append(list(messages))
        return self._fail()


def texts(messages: Sequence[Message]) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in messages]


def said(record: CallRecord) -> list[tuple[str, str, str]]:
    return [(turn.caller_text, turn.bot_text, turn.heard_text) for turn in record.turns]


def test_a_caller_asks_twice_and_hears_both_answers() -> None:
    trace, record = run_leaping(Rig().call([sound(0.8), sound(0.5)]))
    question = "What time do you open?"
    assert said(record) == [("", GREETING, GREETING), (question, ANSWER, ANSWER), (question, ANSWER, ANSWER)]
    assert (record.ended, trace.ended_by) == ("stop", "caller")
    assert trace.gaps == ()
    assert trace.violations == ()


def test_the_answer_begins_half_a_second_after_the_caller_has_ended() -> None:
    _, record = run_leaping(Rig().call([sound(0.8)]))
    latency = record.turns[1].stages_ms()
    assert latency["total"] == pytest.approx(500, abs=40)
    assert latency["total"] == pytest.approx(sum(v for k, v in latency.items() if k != "total"), abs=1)


def test_without_a_greeting_the_bot_waits_for_the_caller() -> None:
    trace, record = run_leaping(Rig(greeting="").call([sound(0.5)], manners=Manners(greeting_s=0.5)))
    assert len(record.turns) == 1
    assert trace.playback.audible(0.0, trace.spoken[0].end_s) is None


def test_f01_an_interrupted_reply_stops_at_once_and_history_holds_what_was_heard() -> None:
    model = AskedModel([LONG, "Fine."])
    rig = Rig(model=model)
    trace, record = run_leaping(rig.call([sound(0.5, "a"), sound(1.0, "b", interrupt_after_s=2.0)]))
    cut = record.turns[1]
    assert cut.interrupted
    # The tone voice takes 60 ms a character: some thirty of them are out when the interruption counts.
    assert LONG.startswith(cut.heard_text)
    assert 4 <= len(cut.heard_text.split()) <= 10
    interruption = trace.spoken[1]
    silent_from = trace.playback.audible(interruption.start_s, interruption.end_s)
    assert silent_from is not None
    assert silent_from[1] - interruption.start_s == pytest.approx(0.25 + 0.08, abs=0.08)
    assert texts(model.asked[1])[-2:] == [("assistant", cut.heard_text), ("user", "What time do you open?")]
    assert record.turns[2].heard_text == "Fine."


def test_f39_a_reply_interrupted_before_its_first_word_leaves_no_assistant_turn() -> None:
    model = AskedModel(["Never heard.", "Fine."], first_token_s=3.0)
    rig = Rig(model=model)

    async def main() -> CallRecord:
        # The caller goes on a second after the turn seemed over, while the model still thinks.
        turn = sound(0.5, "a")
        pcm = turn.pcm + bytes(2 * 8000) + turn.pcm
        _, record = await rig.call([recorded_turn("both", pcm, 8000, "both")])
        return record

    record = run_leaping(main())
    assert [role for role, _ in texts(model.asked[1])] == ["user", "assistant", "user"]
    assert texts(model.asked[1])[-1][1].split() == ["What", "time", "do", "you", "open?"] * 2
    assert [turn.heard_text for turn in record.turns] == [GREETING, "Fine."]
    assert record.turns[1].caller_text.count("open?") == 2


def test_f42_a_cough_over_the_bot_changes_nothing() -> None:
    trace, record = run_leaping(Rig(model=ScriptedModel([LONG])).call([sound(0.5), sound(0.12, "cough", 1.5)]))
    assert [turn.interrupted for turn in record.turns] == [False, False]
    assert record.turns[1].heard_text == LONG
    assert trace.gaps == ()


def test_f41_speech_while_the_bot_is_silent_interrupts_nothing() -> None:
    _, record = run_leaping(Rig().call([sound(2.0)]))
    assert not any(turn.interrupted for turn in record.turns)


@pytest.mark.parametrize("faults", [Faults(lose_every_ack=1), Faults(ack_delay_s=2.0), Faults(lose_every_ack=2)])
def test_f06_lost_and_late_acknowledgements_change_nothing(faults: Faults) -> None:
    _, record = run_leaping(Rig().call([sound(0.5), sound(0.5)], faults))
    assert [turn.heard_text for turn in record.turns] == [GREETING, ANSWER, ANSWER]


def test_f03_late_acknowledgements_of_a_cleared_reply_do_not_count_for_the_next() -> None:
    model = AskedModel([LONG, LONG])
    turns = [sound(0.5), sound(1.0, "b", interrupt_after_s=1.0), sound(1.0, "c", interrupt_after_s=1.0)]
    _, record = run_leaping(Rig(model=model).call(turns, Faults(ack_delay_s=1.5)))
    first, second = (turn for turn in record.turns if turn.interrupted)
    assert len(first.heard_text.split()) <= 6
    assert len(second.heard_text.split()) <= 6


def test_f73_speech_without_words_is_asked_for_again() -> None:
    _, record = run_leaping(Rig(ears=EnergyRecognisers([" "])).call([sound(0.5)]))
    assert record.turns[1].bot_text == REPROMPT


def test_a_failing_model_is_answered_with_the_fallback_and_the_call_goes_on() -> None:
    model = BrokenModel()
    _, record = run_leaping(Rig(model=model).call([sound(0.5), sound(0.5)]))
    assert [turn.heard_text for turn in record.turns] == [GREETING, FALLBACK, FALLBACK]
    assert record.turns[1].failure == "throttled"
    assert len(model.asked) == 2


def test_what_was_spoken_before_the_model_failed_is_not_repeated() -> None:
    _, record = run_leaping(Rig(model=BrokenModel("We open at nine. And then ")).call([sound(0.5)]))
    assert record.turns[1].heard_text.startswith("We open at nine.")
    assert record.turns[1].heard_text.endswith(FALLBACK)


def test_the_third_failure_in_a_row_ends_the_call_with_a_goodbye_that_is_heard() -> None:
    rig = Rig(model=BrokenModel())
    trace, record = run_leaping(rig.call([sound(0.5)] * 4))
    assert record.turns[-1].heard_text == GOODBYE
    assert record.ended == "goodbye"
    assert trace.ended_by == "gateway"
    assert len(rig.control.calls) == 1


def test_a_sentence_that_cannot_be_spoken_is_answered_with_the_fallback() -> None:
    rig = Rig(voices=TestVoices(fails=lambda text: "nine" in text))
    _, record = run_leaping(rig.call([sound(0.5)]))
    assert record.turns[1].failure == "engine_failed"
    assert record.turns[1].heard_text.endswith(FALLBACK)


def test_a_recogniser_that_fails_once_costs_one_turn() -> None:
    class Stumbling(EnergyRecogniser):
        stumbled = False

        async def _with_a_stumble(self) -> "AsyncGenerator[SttEvent]":
            async for event in super().events():
                if isinstance(event, Final) and not self.stumbled:
                    self.stumbled = True
                    raise SttError("stt_overdue", retryable=True)
                yield event

        def events(self) -> "AsyncGenerator[SttEvent]":
            return self._with_a_stumble()

    class Factory(EnergyRecognisers):
        def recogniser(self, language: str) -> EnergyRecogniser:
            made = super().recogniser(language)
            return Stumbling(made._activity, made._words, language)

    _, record = run_leaping(Rig(ears=Factory(["Hello?"])).call([sound(0.5), sound(0.5)]))
    assert [turn.heard_text for turn in record.turns] == [GREETING, REPROMPT, ANSWER]
    assert record.turns[1].failure == "stt_overdue"


def test_a_recogniser_that_fails_for_good_ends_the_call_politely() -> None:
    class Dead(EnergyRecogniser):
        async def open(self) -> None:
            raise SttError("stt_engine_down")

    class Factory(EnergyRecognisers):
        def recogniser(self, language: str) -> EnergyRecogniser:
            made = super().recogniser(language)
            return Dead(made._activity, made._words, language)

    trace, record = run_leaping(Rig(ears=Factory(["x"])).call([sound(0.5)], manners=Manners(greeting_s=20.0)))
    assert record.ended == "goodbye"
    assert trace.ended_by == "gateway"
    assert record.turns[-1].heard_text == GOODBYE


def test_silence_ends_in_a_goodbye_and_a_hang_up() -> None:
    rig = Rig(timing=Timing(500, 250, 100, 60.0, silence_s=8.0, max_call_s=600.0))
    trace, record = run_leaping(rig.call([], manners=Manners(quiet_s=60.0)))
    assert record.ended == "goodbye"
    assert trace.duration_s == pytest.approx(0.4 + 8.0 + 0.6, abs=1.5)
    assert rig.control.calls == [record.call_id]


def test_the_hard_cap_ends_a_call_whose_caller_never_stops_talking() -> None:
    rig = Rig(timing=Timing(500, 250, 100, 60.0, silence_s=30.0, max_call_s=20.0))
    trace, record = run_leaping(rig.call([sound(60.0)]))
    assert record.ended == "goodbye"
    assert trace.duration_s < 25.0


def test_f10_a_goodbye_is_not_waited_for_when_the_marks_are_lost() -> None:
    rig = Rig(timing=Timing(500, 250, 100, 60.0, silence_s=5.0, max_call_s=600.0))
    trace, record = run_leaping(rig.call([], Faults(lose_every_ack=1), Manners(quiet_s=60.0)))
    assert record.ended == "goodbye"
    assert trace.duration_s < 10.0


@pytest.mark.parametrize("faults", [Faults(drop_at_s=3.0), Faults(without_stop=True)])
def test_f12_a_call_that_ends_without_a_stop_ends_all_the_same(faults: Faults) -> None:
    rig = Rig()
    _, record = run_leaping(rig.call([sound(0.5)], faults))
    assert record.ended != ""
    assert rig.control.calls == []


def test_f09_a_peer_that_stops_reading_is_given_up_within_its_bound() -> None:
    rig = Rig(model=ScriptedModel([LONG * 20]))
    trace, record = run_leaping(rig.call([sound(0.5)], Faults(half_open_at_s=4.0, half_open_s=200.0)))
    assert record.ended in ("peer_stopped_reading", "goodbye", "closed")


def test_f52_a_network_stall_shorter_than_the_lead_is_not_heard() -> None:
    trace, _ = run_leaping(Rig(model=ScriptedModel([LONG])).call([sound(0.5)], Faults(stall_at_s=4.0, stall_s=0.09)))
    assert trace.gaps == ()


def test_several_calls_at_once_do_not_hear_each_other() -> None:
    async def main() -> list[CallRecord]:
        rig = Rig()
        gateway = rig.gateway()
        calls = [rig.call([sound(0.4 + 0.1 * n)] * 2, gateway=gateway, number=n) for n in range(5)]
        return [record for _, record in await asyncio.gather(*calls)]

    for record in run_leaping(main()):
        assert [turn.heard_text for turn in record.turns] == [GREETING, ANSWER, ANSWER]


def test_a_call_leaves_nothing_open() -> None:
    rig = Rig()
    run_leaping(rig.call([sound(0.5)]))  # run_leaping itself fails when a task is left
    assert [voice.closed for voice in rig.voices.made] == [True]


def test_a_completed_stream_without_text_is_answered_for() -> None:
    class Mute(AskedModel):
        async def _nothing(self) -> AsyncGenerator[LlmEvent]:
            yield Completed("end_turn")

        def stream(
            self, messages: Sequence[Message], system: str, tools: Sequence[Tool] = ()
        ) -> AsyncGenerator[LlmEvent]:
            self.asked.append(list(messages))
            return self._nothing()

    model = Mute(["unused"])
    _, record = run_leaping(Rig(model=model).call([sound(0.5)], manners=Manners(reply_s=5.0)))
    assert (record.turns[1].failure, record.turns[1].heard_text) == ("empty_reply", "Sorry, say that again.")
    assert len(model.asked) == 1
