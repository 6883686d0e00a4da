"""Whole calls that we place: who answers, how soon a person is greeted, and what a machine is told (F-119)."""

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.call.record import CallRecord
from gateway.gateway import Gateway
from gateway.legs.outbound import read_wanted
from gateway.platforms.base import WebhookRequest
from gateway.platforms.control import OutboundCall
from gateway.simulator.call import CallTrace, SimulatedCall
from gateway.simulator.caller import CallerTurn
from gateway.simulator.link import MemoryLink
from gateway.simulator.script import Manners, Script
from gateway.simulator.twilio import TwilioDialect, TwilioIds
from tests.rig.call import ANSWER, GREETING, HangUps, MemorySocket, Rig
from tests.rig.clock import run_leaping
from tests.rig.voice import CHAR_S

BASE = "https://bot.example.test"
IDS = TwilioIds.numbered("1")
MESSAGE = "This is the clinic. Please call us back."
HELLO_S = 0.5


def noise(seconds: float) -> np.ndarray:
    return np.random.default_rng(7).normal(0, 5000, round(seconds * 8000)).clip(-30000, 30000)


def silence(seconds: float) -> np.ndarray:
    return np.zeros(round(seconds * 8000))


def beep(seconds: float = 0.4, hz: float = 1000.0) -> np.ndarray:
    return 6000 * np.sin(2 * np.pi * hz * np.arange(round(seconds * 8000)) / 8000)


def answering(*parts: np.ndarray, then: str = "") -> CallerTurn:
    """What is heard when the call is answered; `then` keys are pressed at its end."""
    pcm = np.concatenate([silence(0.2), *parts]).astype("<i2").tobytes()
    return CallerTurn("answer", pcm, speech_end_s=len(pcm) / 16_000, digits=then, keys_after_s=len(pcm) / 16_000)


ANNOUNCEMENT = (noise(2.0), silence(0.3), noise(1.6), silence(0.4), noise(2.0))


@dataclass
class Dialler(HangUps):
    """A control that places calls."""

    placed: list[OutboundCall] = field(default_factory=list)

    async def dial(self, call: OutboundCall) -> str:
        self.placed.append(call)
        return IDS.call


async def place(gateway: Gateway, dialler: Dialler, body: dict[str, Any]) -> str:
    """Ask for a call, and answer our webhook as the platform does; return the stream's token."""
    twilio = gateway.platform("twilio")
    await gateway.dial(twilio, read_wanted({"to": "+15550100009", "from": "+15550100002", **body}), BASE)
    form = (("CallSid", IDS.call), ("Direction", "outbound-api"), ("From", "+15550100002"), ("To", "+15550100009"))
    request = WebhookRequest("POST", dialler.placed[0].answer_url, {}, form)
    document = gateway.answer(twilio, request, "wss://bot.example.test/twilio/stream").body
    return document.partition('name="token" value="')[2].partition('"')[0]


def call(
    *turns: CallerTurn, rig: Rig | None = None, told: tuple[float, str] | None = None, **body: Any
) -> tuple[CallTrace, CallRecord, Dialler]:
    """Place a call that is answered by `turns`; at `told` (seconds, AnsweredBy) the platform says who answered."""
    dialler = Dialler()
    rig = rig or Rig()
    rig.control = dialler

    async def main() -> tuple[CallTrace, CallRecord, Dialler]:
        gateway = rig.gateway()
        token = await place(gateway, dialler, {"machine": "leave_message", "message": MESSAGE, **body})
        caller, answerer = MemoryLink.pair()
        manners = Manners(quiet_s=2.0, greeting_s=0.05, reply_s=30.0)
        dialect = TwilioDialect(IDS, {"token": token})
        simulated = SimulatedCall(caller, dialect, Script(turns, 8000, manners), max_call_s=120.0)
        conducted = asyncio.create_task(gateway.conduct(gateway.platform("twilio"), MemorySocket(answerer)))
        if told is not None:
            loop = asyncio.get_running_loop()
            loop.call_later(told[0], lambda: loop.create_task(_tell(gateway, told[1])))
        trace = await simulated.run()
        await asyncio.wait_for(conducted, 60.0)
        (record,) = gateway.calls.records()
        return trace, record, dialler

    return run_leaping(main())


async def _tell(gateway: Gateway, answered_by: str) -> None:
    form = (("CallSid", IDS.call), ("AnsweredBy", answered_by))
    await gateway.news(gateway.platform("twilio"), WebhookRequest("POST", f"{BASE}/twilio/status", {}, form))


def first_word_s(trace: CallTrace) -> float:
    span = trace.playback.audible(0.0)
    assert span is not None
    return span[0]


def sounded_s(trace: CallTrace) -> float:
    span = trace.playback.audible(0.0)
    return span[1] - span[0] if span else 0.0


def test_f119_a_person_is_greeted_as_soon_as_the_hello_is_over() -> None:
    hello = answering(noise(HELLO_S), silence(0.1))
    question = answering(noise(0.8))
    trace, record, _ = call(hello, question)
    assert record.answered_by == "human"
    assert first_word_s(trace) - (0.2 + HELLO_S) == pytest.approx(0.75, abs=0.1)
    assert [turn.heard_text for turn in record.turns] == [GREETING, ANSWER]
    assert record.as_json()["answered_by"] == "human"


def test_a_person_who_says_nothing_is_greeted_too() -> None:
    trace, record, _ = call(answering(silence(10.0)))
    assert record.answered_by == "human"
    assert first_word_s(trace) == pytest.approx(3.0, abs=0.2)


def test_a_person_who_presses_a_key_is_one() -> None:
    _, record, _ = call(answering(silence(0.2), then="1#"))
    assert record.answered_by == "human"
    assert [turn.caller_text for turn in record.turns][:1] == ["[keys pressed: 1]"]


@pytest.mark.parametrize("hz", [440.0, 850.0, 1000.0, 1400.0, 2000.0])
def test_f119_a_machine_is_left_the_message_after_its_beep(hz: float) -> None:
    length_s = 0.3
    trace, record, dialler = call(answering(*ANNOUNCEMENT, silence(0.3), beep(length_s, hz), silence(30.0)))
    beep_ends_s = 0.2 + 6.3 + 0.3 + length_s
    assert (record.answered_by, record.ended) == ("machine", "message_left")
    assert 0.1 < first_word_s(trace) - beep_ends_s < 0.6
    assert [turn.heard_text for turn in record.turns] == [MESSAGE]
    assert sounded_s(trace) == pytest.approx(len(MESSAGE) * CHAR_S, abs=0.1)
    assert trace.ended_by == "gateway"
    assert dialler.calls == [IDS.call]


def test_f119_without_a_beep_a_long_silence_stands_for_it() -> None:
    trace, record, _ = call(answering(*ANNOUNCEMENT, silence(30.0)))
    assert (record.answered_by, record.ended) == ("machine", "message_left")
    assert first_word_s(trace) == pytest.approx(0.2 + 6.3 + 2.5, abs=0.3)


@pytest.mark.parametrize("gap_s", [2.8, 3.4, 4.2])
def test_f119_a_message_is_begun_anew_when_the_beep_comes_after_all(gap_s: float) -> None:
    trace, record, _ = call(answering(*ANNOUNCEMENT, silence(gap_s), beep(), silence(30.0)))
    assert (record.answered_by, record.ended) == ("machine", "message_left")
    cut, whole = record.turns[-2:]
    assert (cut.interrupted, whole.heard_text) == (True, MESSAGE)
    assert trace.duration_s > 0.2 + 6.3 + gap_s + 0.4 + len(MESSAGE) * CHAR_S


def test_f119_a_second_beep_does_not_begin_the_message_again() -> None:
    _, record, _ = call(answering(*ANNOUNCEMENT, beep(), silence(1.5), beep(), silence(30.0)))
    assert (record.ended, [turn.heard_text for turn in record.turns]) == ("message_left", [MESSAGE])


def test_an_announcement_without_an_end_is_not_waited_for_for_ever() -> None:
    trace, record, _ = call(answering(noise(80.0)))
    assert record.ended == "message_left"
    assert first_word_s(trace) == pytest.approx(45.0, abs=0.3)


def test_a_message_is_left_whole_whatever_the_machine_says_meanwhile() -> None:
    _, record, _ = call(answering(*ANNOUNCEMENT, beep(), silence(1.0), noise(1.0), silence(20.0)), message=MESSAGE * 20)
    assert record.turns[-1].heard_text.replace(" ", "") == (MESSAGE * 20).replace(" ", "")


def test_f119_a_machine_is_hung_up_on_before_a_word() -> None:
    trace, record, dialler = call(answering(*ANNOUNCEMENT, silence(20.0)), machine="hang_up")
    assert (record.answered_by, record.ended) == ("machine", "machine")
    assert trace.duration_s < 4.0
    assert sounded_s(trace) == 0.0
    assert dialler.calls == [IDS.call]
    assert record.turns == []


def test_a_short_announcement_is_taken_for_a_person_until_it_beeps() -> None:
    trace, record, _ = call(answering(noise(1.0), silence(1.2), beep(), silence(20.0)))
    assert (record.answered_by, record.ended) == ("machine", "message_left")
    assert record.turns[-1].heard_text == MESSAGE


@pytest.mark.parametrize("machine", ["hang_up", "leave_message"])
def test_a_fax_machine_is_hung_up_on(machine: str) -> None:
    trace, record, _ = call(answering(beep(3.5, 2100.0), silence(20.0)), machine=machine)
    assert (record.answered_by, record.ended) == ("fax", "fax")
    assert sounded_s(trace) == 0.0


def test_what_the_platform_tells_counts() -> None:
    trace, record, _ = call(answering(*ANNOUNCEMENT, silence(20.0)), told=(1.0, "machine_end_beep"))
    assert (record.answered_by, record.ended) == ("machine", "message_left")
    assert first_word_s(trace) == pytest.approx(1.0, abs=0.3)


def test_a_person_whom_the_platform_vouches_for_is_greeted_in_the_next_pause() -> None:
    trace, record, _ = call(answering(noise(4.0), silence(20.0)), told=(1.0, "human"))
    assert record.answered_by == "human"
    assert first_word_s(trace) == pytest.approx(4.2, abs=0.4)


def test_a_bot_that_talks_to_anybody_does_not_wait() -> None:
    trace, record, dialler = call(answering(silence(0.3), noise(0.6)), machine="talk", told=(0.5, "machine_start"))
    assert first_word_s(trace) < 0.1
    assert record.answered_by == "machine"  # as the platform told
    assert not dialler.placed[0].ask_who


def test_an_inbound_call_is_greeted_at_once_whatever_its_parameters_say() -> None:
    rig = Rig()
    trace, record = run_leaping(rig.call([replace(answering(noise(3.0)), interrupt_after_s=None)]))
    assert record.answered_by == ""
    assert first_word_s(trace) < 0.1


sounds = st.tuples(st.sampled_from([noise, silence, beep]), st.sampled_from([0.1, 0.3, 0.8, 2.0, 4.0]))
tellings = st.none() | st.tuples(
    st.sampled_from([0.3, 1.0, 2.5, 6.0]), st.sampled_from(["human", "machine_start", "machine_end_beep", "fax"])
)


@given(
    st.lists(sounds, min_size=1, max_size=6),
    st.sampled_from(["", "1", "12#"]),
    st.sampled_from(["hang_up", "leave_message"]),
    st.sampled_from([GREETING, ""]),
    tellings,
)
@settings(max_examples=25, deadline=None)
def test_whatever_answers_the_call_ends_and_somebody_is_known_to_have_answered(
    heard: list[tuple[Any, float]], then: str, machine: str, greeting: str, told: tuple[float, str] | None
) -> None:
    turn = answering(*(make(seconds) for make, seconds in heard), silence(3.5), then=then)
    trace, record, _ = call(turn, rig=Rig(greeting=greeting), told=told, machine=machine)
    assert record.ended in ("stop", "closed", "goodbye", "machine", "fax", "message_left")
    assert record.answered_by in ("human", "machine", "fax")
    assert trace.violations == ()
    if record.ended == "message_left":
        assert record.turns[-1].heard_text == MESSAGE
