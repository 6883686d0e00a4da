"""Recorded sessions, replayed at the wire: today's gateway understands what was said to it when they were made."""

import pytest

from gateway.simulator.tape import GATEWAY, PLATFORM, load_tape
from tests.conformance.rig import PLATFORMS
from tests.conformance.tapes import HEARD, recorded, replayed, tape_of
from tests.rig.clock import run_leaping

every_platform = pytest.mark.parametrize("name", PLATFORMS)


@every_platform
def test_a_recorded_caller_is_understood_and_answered(name: str) -> None:
    tape = load_tape(tape_of(name))
    record, answers = run_leaping(replayed(name, tape))
    assert [turn.heard_text for turn in record.turns] == HEARD
    assert record.ended not in ("", "cancelled")
    assert len(answers) == pytest.approx(sum(message.sender == GATEWAY for message in tape), rel=0.2)


@every_platform
def test_the_simulator_still_says_what_is_on_tape(name: str) -> None:
    """A change of a dialect shows here: make the tapes anew when it is meant (python -m tests.conformance.tapes)."""
    _, now = run_leaping(recorded(name))
    then = load_tape(tape_of(name))
    said = [[message.message for message in tape if message.sender == PLATFORM] for tape in (then, now)]
    assert {type(message) for message in said[0]} == {type(message) for message in said[1]}
    assert len(said[0]) == pytest.approx(len(said[1]), rel=0.2)
    texts = [[message for message in messages if isinstance(message, str)] for messages in said]
    assert texts[0][:1] == texts[1][:1]  # the greeting, or the start message
