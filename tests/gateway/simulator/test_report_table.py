"""The report on a terminal: what was said, what was heard, how long it took."""

import io
from pathlib import Path

from rich.console import Console

from gateway.simulator.call import CallTrace
from gateway.simulator.playback import Playback
from gateway.simulator.report import CallReport, TurnReport
from gateway.simulator.report_table import print_report


def printed(*turns: TurnReport) -> str:
    trace = CallTrace(8000, 12.3, "caller", (), Playback(8000), b"")
    stream = io.StringIO()
    print_report(CallReport("twilio", "CA1", trace, turns), Path("out"), Console(file=stream, width=200))
    return stream.getvalue()


def test_a_turn_shows_both_sides_and_where_the_time_went() -> None:
    turn = TurnReport(
        caller_text="When do you open?",
        heard_text="At nine.",
        response_s=1.25,
        latency_ms={"end_of_turn_wait": 600.2, "stt": 3.0, "llm_first_token": 210.4},
    )
    text = printed(turn)
    for part in ("When do you open?", "At nine.", "1.25 s", "wait 600", "hear 3", "think 210", "12.3 s on twilio"):
        assert part in text


def test_a_turn_without_answer_and_an_interrupted_one_are_told() -> None:
    text = printed(
        TurnReport(caller_text="Hello?", failure="llm_timeout"),
        TurnReport(caller_text="Wait.", heard_text="We open", interrupted=True),
        TurnReport(heard_text="Good day."),
    )
    assert "nothing llm_timeout" in text
    assert "(interrupted)" in text
    assert text.count("–") >= 3  # a greeting has no caller and no response time


def test_the_files_are_named() -> None:
    text = printed()
    for name in ("heard.wav", "timeline.png", "call.json"):
        assert str(Path("out") / name) in text
