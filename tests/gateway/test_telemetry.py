"""Metrics: every ended call is counted once, with what happened in it, under our own names."""

import sys

import pytest

from gateway.call.record import CallRecord, ToolRecord, TurnRecord
from gateway.telemetry import Telemetry


def exposed(telemetry: Telemetry) -> dict[str, float]:
    lines = telemetry.exposition().decode().splitlines()
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[0] != "#")}


def test_an_ended_call_is_counted_with_its_turns() -> None:
    telemetry = Telemetry()
    turns = [
        TurnRecord(at_s={"caller_end": 1.0, "committed": 1.5, "first_frame": 1.9}),
        TurnRecord(interrupted=True, failure="throttled"),
    ]
    record = CallRecord("CA1", "twilio", "then", turns, bot="billing")
    telemetry.call_began("billing")
    assert exposed(telemetry)['voicebot_calls_live{bot="billing"}'] == 1
    record.end("stop", 12.0, {"bad_json": 2}, 3)
    telemetry.call_ended(record)
    counted = exposed(telemetry)
    assert counted['voicebot_calls_total{bot="billing",ended="stop",platform="twilio"}'] == 1
    assert counted['voicebot_calls_live{bot="billing"}'] == 0
    assert counted['voicebot_turn_failures_total{code="throttled"}'] == 1
    assert counted['voicebot_peer_errors_total{code="bad_json",platform="twilio"}'] == 2
    assert counted["voicebot_replies_interrupted_total"] == 1
    assert counted["voicebot_playout_underruns_total"] == 3
    assert counted['voicebot_turn_seconds_count{stage="total"}'] == 1
    assert abs(counted['voicebot_turn_seconds_sum{stage="total"}'] - 0.9) < 1e-9


def test_tools_are_counted_by_name_and_outcome_with_their_time() -> None:
    telemetry = Telemetry()
    record = CallRecord("CA1", "twilio", "then")
    record.tools += [ToolRecord("find_order", "ok", 3.0, 0.5), ToolRecord("find_order", "timeout", 9.0, 8.0)]
    telemetry.call_ended(record)
    counted = exposed(telemetry)
    assert counted['voicebot_tool_seconds_count{outcome="ok",tool="find_order"}'] == 1
    assert counted['voicebot_tool_seconds_sum{outcome="timeout",tool="find_order"}'] == 8.0


def test_placed_calls_are_counted_by_who_answered() -> None:
    telemetry = Telemetry()
    for answered_by in ("human", "machine", "machine", ""):
        telemetry.call_ended(CallRecord("CA1", "twilio", "then", bot="sales", answered_by=answered_by))
    counted = exposed(telemetry)
    assert counted['voicebot_calls_answered_total{bot="sales",by="machine"}'] == 2
    assert counted['voicebot_calls_answered_total{bot="sales",by="human"}'] == 1
    assert sum("calls_answered_total" in name for name in counted) == 2


def test_what_was_refused_is_counted_by_code() -> None:
    telemetry = Telemetry()
    telemetry.refused("twilio", "bad_token")
    telemetry.refused("twilio", "bad_token")
    assert exposed(telemetry)['voicebot_refused_total{code="bad_token",platform="twilio"}'] == 2


def test_each_has_a_registry_of_its_own() -> None:
    one, other = Telemetry(), Telemetry()
    one.call_began("default")
    assert exposed(one)['voicebot_calls_live{bot="default"}'] == 1
    assert 'voicebot_calls_live{bot="default"}' not in exposed(other)


def test_no_words_and_no_ids_are_exposed() -> None:
    telemetry = Telemetry()
    telemetry.call_ended(CallRecord("CA-secret", "twilio", "then", [TurnRecord("secret", "secret", "secret")], "stop"))
    assert b"secret" not in telemetry.exposition()


@pytest.mark.skipif(sys.platform != "linux", reason="read from /proc")
def test_the_process_tells_its_memory_and_open_files() -> None:
    told = exposed(Telemetry())
    assert told["process_resident_memory_bytes"] > 1e6
    assert told["process_open_fds"] > 0


def test_calls_that_ring_are_looked_for_when_they_are_asked_for() -> None:
    telemetry, ringing = Telemetry(), ["one"]
    telemetry.watch_ringing(ringing)
    assert exposed(telemetry)["voicebot_calls_ringing"] == 1
    ringing.clear()  # by a deadline: nobody says so
    assert exposed(telemetry)["voicebot_calls_ringing"] == 0
