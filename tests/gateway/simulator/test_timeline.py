"""The picture is drawn for every kind of call; whether it is beautiful is for people to say."""

from dataclasses import replace
from pathlib import Path

import pytest

from gateway.simulator.call import CallTrace
from gateway.simulator.playback import Playback
from gateway.simulator.report import CallReport, build_report
from gateway.simulator.timeline import draw_timeline
from tests.gateway.simulator.echo import RATE_HZ, tone
from tests.gateway.simulator.test_report import RECORD, report


def size(path: Path) -> tuple[int, int]:
    header = path.read_bytes()[:24]
    assert header[:8] == b"\x89PNG\r\n\x1a\n"
    return int.from_bytes(header[16:20], "big"), int.from_bytes(header[20:24], "big")


def test_a_call_with_words_is_drawn(tmp_path: Path) -> None:
    draw_timeline(report(RECORD), tmp_path / "timeline.png")
    assert size(tmp_path / "timeline.png") == (1430, 702)


def test_a_long_call_is_wider_but_not_endless(tmp_path: Path) -> None:
    long = replace(report().trace, duration_s=600.0)
    draw_timeline(replace(report(), trace=long), tmp_path / "timeline.png")
    assert size(tmp_path / "timeline.png") == (7800, 702)


@pytest.mark.parametrize("duration_s", [0.0, 0.001, 1.0])
def test_a_call_without_sound_is_drawn(tmp_path: Path, duration_s: float) -> None:
    silent = CallTrace(RATE_HZ, duration_s, "gateway", (), Playback(RATE_HZ), b"")
    draw_timeline(build_report("twilio", "CA1", silent), tmp_path / "timeline.png")
    assert size(tmp_path / "timeline.png")


def test_gaps_missing_answers_and_dollar_signs_are_drawn(tmp_path: Path) -> None:
    shaky = report({"turns": [{"bot_text": "It is $5 to $10.", "at_s": {"first_frame": 0.5}}]}, (0.5, 0.2))
    shaky.trace.playback.put(1.5, tone(0.2))
    assert shaky.trace.gaps
    assert shaky.answered < 2
    drawn: CallReport = shaky
    draw_timeline(drawn, tmp_path / "timeline.png")
    assert size(tmp_path / "timeline.png")
