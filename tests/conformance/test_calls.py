"""The same calls on every platform: the same words heard and recorded, no gap, no rule of the platform broken."""

from dataclasses import replace
from itertools import pairwise

import pytest

from gateway.call.keying.keypad import KeyRules
from gateway.call.record import CallRecord
from gateway.call.script import Timing
from gateway.llm.scripted import ScriptedModel
from gateway.simulator.call import CallTrace
from gateway.simulator.caller import CallerTurn
from gateway.simulator.faults import Faults
from gateway.simulator.script import Manners
from tests.conformance.rig import PLATFORMS, QUESTION, PlatformRig, platform_named
from tests.rig.call import ANSWER, GOODBYE, GREETING, sound
from tests.rig.clock import run_leaping
from tests.rig.voice import CHAR_S

TIMING = Timing(500, 250, 100, 60.0, 30.0, 600.0)
LONG = "One two three four five six seven eight nine ten. Eleven twelve thirteen fourteen fifteen sixteen. The end."

every_platform = pytest.mark.parametrize("name", PLATFORMS)


def said(record: CallRecord) -> list[tuple[str, str]]:
    return [(turn.caller_text, turn.heard_text) for turn in record.turns]


def flawless(trace: CallTrace) -> bool:
    return trace.violations == () and trace.gaps == ()


def sounded_s(trace: CallTrace, from_s: float, until_s: float) -> float:
    span = trace.playback.audible(from_s, until_s)
    return span[1] - span[0] if span else 0.0


@every_platform
def test_three_turns_are_heard_word_for_word(name: str) -> None:
    trace, record = run_leaping(PlatformRig(name).call([sound(0.8), sound(0.5), sound(0.6)]))
    assert said(record) == [("", GREETING), *[(QUESTION, ANSWER)] * 3]
    assert flawless(trace)
    assert trace.ended_by == "caller"
    assert record.platform == name
    bounds = [turn.end_s for turn in trace.spoken] + [trace.duration_s]
    # The first of two sentences is filled up to a whole frame, which is long on some platforms.
    tolerance_s = 0.1 + platform_named(name).capabilities.frame_ms / 1000
    for from_s, until_s in pairwise(bounds):
        assert sounded_s(trace, from_s, until_s) == pytest.approx(len(ANSWER) * CHAR_S, abs=tolerance_s)


@every_platform
def test_what_the_caller_keys_in_is_answered(name: str) -> None:
    """Reported by the platform, or heard in the audio where it does not."""
    rig = PlatformRig(name, timing=replace(TIMING, keys=KeyRules(recorded=True)))
    trace, record = run_leaping(rig.call([CallerTurn("dtmf:", digits="1590*#"), CallerTurn("dtmf:", digits="22#")]))
    assert said(record) == [
        ("", GREETING),
        ("[keys pressed: 1 5 9 0 *]", ANSWER),
        ("[keys pressed: 2 2]", ANSWER),
    ]
    assert flawless(trace)


@every_platform
def test_f01_an_interruption_silences_the_bot_and_what_was_heard_is_known(name: str) -> None:
    turns = [sound(0.5, "a"), sound(1.0, "b", interrupt_after_s=2.0), sound(0.5, "c")]
    trace, record = run_leaping(PlatformRig(name, ScriptedModel([LONG, ANSWER, ANSWER])).call(turns))
    assert flawless(trace)
    cut, *rest = record.turns[1:]
    assert cut.interrupted
    assert [turn.heard_text for turn in rest] == [ANSWER, ANSWER]
    # The record must agree with the line: the last word of the record is the one that was sounding when it broke off.
    interruption = trace.spoken[1]
    heard_s = sounded_s(trace, trace.spoken[0].end_s, interruption.end_s)
    assert LONG.startswith(cut.heard_text)
    assert len(cut.heard_text) * CHAR_S == pytest.approx(heard_s, abs=0.45)
    fell_silent = trace.playback.audible(interruption.start_s, interruption.end_s)
    assert fell_silent is not None
    # A quarter of a second to be sure, the platform's packets both ways, and what is on the line already.
    assert fell_silent[1] - interruption.start_s < 0.65


@every_platform
@pytest.mark.parametrize(
    "faults",
    [Faults(ack_delay_s=2.0), Faults(lose_every_ack=1), Faults(lose_every_ack=2), Faults(repeat_acks=True)],
    ids=["late", "lost", "every second lost", "doubled"],
)
def test_f03_f06_acknowledgements_change_nothing(name: str, faults: Faults) -> None:
    turns = [sound(0.5, "a"), sound(1.0, "b", interrupt_after_s=1.0), sound(0.5, "c")]
    model = ScriptedModel([LONG, LONG, ANSWER, ANSWER])
    trace, record = run_leaping(PlatformRig(name, model).call([*turns[:2], turns[1], turns[2]], faults))
    assert flawless(trace)
    texts = [turn.heard_text for turn in record.turns]
    assert (texts[0], texts[-1]) == (GREETING, ANSWER)
    # Cut a second after it began, whatever came back for the reply before it.
    assert all(1 <= len(text.split()) <= 8 for text in texts[1:3])


@every_platform
@pytest.mark.parametrize(
    "faults", [Faults(lose_every_frame=10), Faults(delay_every_frame=4)], ids=["lost", "overtaken"]
)
def test_packets_of_the_caller_that_are_lost_or_late_lose_no_turn(name: str, faults: Faults) -> None:
    trace, record = run_leaping(PlatformRig(name).call([sound(0.8), sound(0.5)], faults))
    assert said(record) == [("", GREETING), *[(QUESTION, ANSWER)] * 2]
    assert flawless(trace)


@every_platform
@pytest.mark.parametrize("without_stop", [False, True], ids=["stop", "close only"])
@pytest.mark.parametrize("at_s", [0.04, 0.3, 1.7, 2.4, 3.0, 5.0])
def test_f12_the_caller_may_leave_at_any_moment(name: str, at_s: float, without_stop: bool) -> None:
    """Before the greeting, in it, while speaking, while the bot thinks, and in its answer."""
    rig = PlatformRig(name)
    faults = Faults(without_stop=without_stop)
    trace, record = run_leaping(rig.call([sound(0.8), sound(0.5)], faults, max_call_s=at_s))
    assert trace.violations == ()
    assert record.ended not in ("", "cancelled")
    assert record.duration_s == pytest.approx(at_s, abs=0.3)
    assert [voice.closed for voice in rig.voices.made] == [True]
    assert rig.control.calls == []  # who has left is not hung up on


@every_platform
@pytest.mark.parametrize("at_s", [0.3, 3.0])
def test_a_broken_connection_ends_the_call(name: str, at_s: float) -> None:
    _, record = run_leaping(PlatformRig(name).call([sound(0.8)], Faults(drop_at_s=at_s)))
    assert record.ended not in ("", "cancelled")


@every_platform
def test_a_goodbye_is_heard_to_its_end_and_the_bot_leaves(name: str) -> None:
    rig = PlatformRig(name, timing=Timing(500, 250, 100, 60.0, silence_s=5.0, max_call_s=600.0))
    trace, record = run_leaping(rig.call([], manners=Manners(quiet_s=60.0)))
    assert trace.ended_by == "gateway"
    assert record.turns[-1].heard_text == GOODBYE
    assert flawless(trace)
    assert sounded_s(trace, 3.0, trace.duration_s) == pytest.approx(len(GOODBYE) * CHAR_S, abs=0.1)


@every_platform
def test_a_caller_who_says_nothing_for_long_keeps_the_line(name: str) -> None:
    """Keep-alives, both ways: nobody gives the other up for a pause (AudioSocket would after two seconds)."""
    rig = PlatformRig(name, timing=Timing(500, 250, 100, 60.0, silence_s=300.0, max_call_s=600.0))
    trace, record = run_leaping(rig.call([sound(0.5)], manners=Manners(quiet_s=20.0, reply_s=30.0)))
    assert said(record) == [("", GREETING), (QUESTION, ANSWER)]
    assert trace.ended_by == "caller"
    assert flawless(trace)


@every_platform
def test_f52_a_network_stall_shorter_than_the_lead_is_not_heard(name: str) -> None:
    trace, _ = run_leaping(
        PlatformRig(name, ScriptedModel([LONG])).call([sound(0.5)], Faults(stall_at_s=4.0, stall_s=0.06))
    )
    assert trace.gaps == ()
