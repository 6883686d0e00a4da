"""Screening by itself: whom it is for. What it does is told in tests/calls/test_answering.py, in whole calls."""

from dataclasses import replace
from typing import Any

import pytest

from gateway.call.answering import AnsweredBy
from gateway.call.record import CallRecord
from gateway.call.screening import Screening
from gateway.call.script import Script
from gateway.events import CallStarted
from media.formats import ULAW_8K

SCRIPT = Script("en", "", "Hello.", "", "", "", message="Call us.")
STARTED = CallStarted("c1", "s1", ULAW_8K, ULAW_8K, outbound=True)
NOBODY: Any = None


def screening(script: Script, started: CallStarted, record: CallRecord) -> Screening:
    return Screening(script, started, NOBODY, NOBODY, NOBODY, NOBODY, record)


@pytest.mark.parametrize(
    ("machine", "outbound", "wanted"),
    [("talk", True, False), ("hang_up", True, True), ("leave_message", True, True), ("hang_up", False, False)],
)
def test_only_placed_calls_of_bots_that_treat_machines_apart_are_screened(
    machine: str, outbound: bool, wanted: bool
) -> None:
    made = screening(replace(SCRIPT, machine=machine), replace(STARTED, outbound=outbound), CallRecord("c", "t", "now"))
    assert made.wanted is wanted
    made.take(b"\xff" * 160)


def test_what_the_platform_tells_is_in_the_record_in_any_case() -> None:
    record = CallRecord("c1", "twilio", "then")
    screening(SCRIPT, STARTED, record).told(AnsweredBy.MACHINE, announced=True)
    assert record.as_json()["answered_by"] == "machine"
