"""The record of a call: stages between milestones, and words only where they belong."""

import json

from gateway.call.record import MILESTONES, STAGES, CallRecord, ToolRecord, TurnRecord


def test_every_gap_between_milestones_has_a_name() -> None:
    assert len(STAGES) == len(MILESTONES) - 1


def test_stages_are_the_gaps_and_sum_up_to_the_total() -> None:
    turn = TurnRecord()
    for number, milestone in enumerate(MILESTONES):
        turn.reach(milestone, number * 0.1)
    stages = turn.stages_ms()
    assert stages == {**dict.fromkeys(STAGES, 100.0), "total": 600.0}


def test_only_the_first_passing_of_a_milestone_counts() -> None:
    turn = TurnRecord()
    turn.reach("first_frame", 1.0)
    turn.reach("first_frame", 2.0)
    assert turn.at_s == {"first_frame": 1.0}


def test_a_turn_without_its_ends_has_no_total() -> None:
    turn = TurnRecord(at_s={"first_token": 1.0, "first_sentence": 1.25})
    assert turn.stages_ms() == {"first_sentence": 250.0}


def test_a_record_without_words_has_no_turns_but_their_number() -> None:
    record = CallRecord("CA1", "twilio", "then", turns=[TurnRecord(caller_text="secret", heard_text="secret")])
    record.end("stop", 12.3456, {"bad_json": 2}, 1)
    brief = record.as_json(words=False)
    assert "secret" not in json.dumps(brief)
    assert brief["turn_count"] == 1
    assert record.as_json()["turns"][0]["caller_text"] == "secret"
    assert (brief["ended"], brief["duration_s"], brief["peer_errors"]) == ("stop", 12.346, {"bad_json": 2})


def test_the_tools_that_ran_are_told_also_without_words() -> None:
    record = CallRecord("CA1", "twilio", "then")
    record.tools.append(ToolRecord("find_order", "timeout", 3.14159, 8.00049))
    assert record.as_json(words=False)["tools"] == [
        {"name": "find_order", "outcome": "timeout", "began_s": 3.142, "duration_s": 8.0}
    ]


def test_words_stay_out_of_reprs() -> None:
    record = CallRecord("CA1", "twilio", "then", turns=[TurnRecord("secret", "secret", "secret")])
    assert "secret" not in repr(record) + repr(record.turns[0])
