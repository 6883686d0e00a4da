"""Reports: what was heard on the line, joined with the gateway's own record."""

import json
from pathlib import Path
from typing import Any

import pytest

from gateway.simulator.call import CallTrace
from gateway.simulator.caller import CallerTurn
from gateway.simulator.playback import Playback
from gateway.simulator.report import CallReport, build_report, write_report
from gateway.simulator.script import SpokenTurn
from media import wav
from tests.gateway.simulator.echo import RATE_HZ, tone


def trace(*bot: tuple[float, float]) -> CallTrace:
    """Ten seconds with caller turns at 2 and 6 s, a second each, and the bot's tones at the given times."""
    playback = Playback(RATE_HZ)
    for at_s, duration_s in bot:
        playback.mark(at_s, "between")
        playback.put(at_s, tone(duration_s))
    spoken = (
        SpokenTurn(CallerTurn("hours.wav", text="When do you open?"), 2.0, 3.0),
        SpokenTurn(CallerTurn("unknown.wav"), 6.0, 7.0),
    )
    return CallTrace(RATE_HZ, 10.0, "caller", spoken, playback, bytes(10 * RATE_HZ * 2))


def report(record: Any = None, *bot: tuple[float, float]) -> CallReport:
    return build_report("twilio", "CA1", trace(*(bot or ((0.5, 1.0), (3.5, 1.0), (7.25, 1.5)))), record)


def test_every_sound_of_the_bot_belongs_to_the_turn_that_ended_before_it() -> None:
    greeting, first, second = report().turns
    assert (greeting.first_frame_s, greeting.bot_end_s, greeting.response_s) == (0.5, 1.5, None)
    assert greeting.recording == ""
    assert (first.caller_start_s, first.caller_end_s) == (2.0, 3.0)
    assert (first.first_frame_s, first.bot_end_s) == (3.5, 4.5)
    assert (first.response_s, second.response_s) == (0.5, 0.25)
    assert first.audible_response_s == pytest.approx(0.5, abs=0.01)
    assert first.caller_text == "When do you open?"


def test_a_call_without_greeting_has_the_callers_turns_only() -> None:
    assert len(report(None, (3.5, 1.0)).turns) == 2


def test_a_turn_without_answer_is_told() -> None:
    made = report(None, (0.5, 1.0), (3.5, 1.0))
    assert made.answered == len([turn for turn in made.turns if turn.recording]) - 1
    (unanswered,) = (turn for turn in made.turns if turn.recording == "unknown.wav")
    assert unanswered.response_s is None


RECORD = {
    "ended": "caller",
    "turns": [
        {"caller_text": "", "bot_text": "Hello.", "heard_text": "Hello.", "at_s": {"first_frame": 0.5}},
        {
            "caller_text": "when do",
            "bot_text": "We",
            "heard_text": "",
            "interrupted": True,
            "at_s": {"caller_end": 2.9, "committed": 3.1},
        },
        {
            "caller_text": "you open",
            "bot_text": "At nine.",
            "heard_text": "At nine.",
            "at_s": {"caller_end": 3.0, "first_frame": 3.5},
            "latency_ms": {"total": 500.0, "stt": 90.0},
        },
        {"caller_text": "bye", "bot_text": "Goodbye.", "heard_text": "Good", "failure": "tts_timeout"},
    ],
}


def test_the_gateways_words_are_joined_by_time() -> None:
    greeting, first, second = report(RECORD).turns
    assert (greeting.caller_text, greeting.bot_text, greeting.heard_text) == ("", "Hello.", "Hello.")
    assert (first.recognised_text, first.bot_text) == ("when do you open bye", "We At nine. Goodbye.")
    assert first.latency_ms == {"total": 500.0, "stt": 90.0}
    assert (first.heard_text, first.interrupted, first.failure) == ("At nine. Good", True, "tts_timeout")
    assert (second.recognised_text, second.bot_text) == ("", "")


def test_a_caller_whose_words_are_not_known_said_what_was_recognised() -> None:
    record = {"turns": [{"caller_text": "bye", "bot_text": "Goodbye.", "at_s": {"first_frame": 7.3}}]}
    assert report(record).turns[2].caller_text == "bye"
    assert report(record).turns[1].caller_text == "When do you open?"


@pytest.mark.parametrize(
    "record",
    [None, {}, {"turns": None}, {"turns": [7]}, {"turns": [{}]}, {"turns": [{"at_s": {"first_frame": "x"}}]}],
)
def test_a_record_of_any_shape_does_no_harm(record: Any) -> None:
    assert [turn.bot_text for turn in report(record).turns] == ["", "", ""]


def test_a_record_of_a_call_with_no_turn_at_all_is_ignored() -> None:
    empty = CallTrace(RATE_HZ, 1.0, "gateway", (), Playback(RATE_HZ), bytes(2 * RATE_HZ))
    assert build_report("twilio", "CA1", empty, RECORD).turns == ()


def test_files_are_written(tmp_path: Path) -> None:
    out_dir = tmp_path / "new" / "folder"
    write_report(report(RECORD), out_dir)
    assert wav.load(out_dir / "heard.wav", RATE_HZ) == report().trace.heard_pcm
    written = json.loads((out_dir / "call.json").read_text("utf-8"))
    assert (written["platform"], written["call_id"], written["ended_by"]) == ("twilio", "CA1", "caller")
    assert written["gaps"] == []
    assert written["turns"][1]["caller_text"] == "When do you open?"
    assert {"bot_text", "heard_text", "caller_start_s", "bot_end_s", "latency_ms"} <= set(written["turns"][0])


def test_gaps_are_in_the_report() -> None:
    playback = Playback(RATE_HZ)
    playback.put(0.0, tone(0.1))
    playback.put(0.5, tone(0.1))
    gappy = CallTrace(RATE_HZ, 1.0, "caller", (), playback, b"")
    written = build_report("twilio", "CA1", gappy).as_json()
    assert written["gaps"] == [{"at_s": 0.16, "length_s": 0.34}]


def test_words_are_not_in_a_repr() -> None:
    assert "open" not in repr(report(RECORD))
