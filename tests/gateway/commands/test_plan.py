"""`voicebot plan`: a user's walk, and what a user may get wrong."""

import json
from pathlib import Path

import pytest

from gateway.cli import main
from tests.gateway.plan.ladders import PUBLISHED

PROFILE = ("--calls", "60", "--sentence-s", "1.8")


def test_a_fleet_is_told_to_people_and_machines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", str(PUBLISHED), *PROFILE]) == 0
    people = capsys.readouterr().out
    assert main(["plan", str(PUBLISHED), *PROFILE, "--endpoint", "bot", "--json"]) == 0
    machines = json.loads(capsys.readouterr().out)

    assert "instances at the peak" in people
    assert machines["requests"]["RegisterScalableTarget"]["ResourceId"] == "endpoint/bot/variant/main"


def test_days_are_simulated_and_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "days.png"
    assert main(["plan", str(PUBLISHED), "--calls", "20", "--simulate", "--out", str(picture)]) == 0
    assert "one instance fewer" in capsys.readouterr().out
    assert picture.exists()


def test_a_file_of_the_profile_is_read_and_flags_win(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "plan.toml"
    file.write_text("[calls]\nper_hour = 3000\nsentence_s = 1.8\n")
    assert main(["plan", str(PUBLISHED), "--config", str(file), "--spare", "2", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["inputs"]["calls"]["per_hour"] == 3000
    assert told["inputs"]["promises"]["spare_instances"] == 2


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "say how many"),
        (("--calls", "5", "--calls-per-hour", "5"), "say how many"),
        (("--calls", "90000", "--simulate"), "simulate a tenth"),
        (("--calls", "9", "--duration-s", "0.00001", "--simulate"), "simulate a tenth"),
        (("--calls", "-3"), "calls.peak"),
        (("--calls", "nan"), "calls.peak"),
        (("--calls", "5", "--limit-ms", "20"), "over the limit of 20 ms"),
        (("--calls", "5", "--scheme", "sessions"), "there is reference"),
        (("--calls", "5", "--out", "x.png"), "add --simulate"),
        (("--calls", "5", "--config", "none.toml"), "cannot be read"),
        (("--calls", "5", "--simulate", "--out", "none/x.png"), "cannot be drawn"),
    ],
)
def test_mistakes_are_one_sentence(
    arguments: tuple[str, ...],
    told: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["plan", str(PUBLISHED), *arguments]) == 2
    said = capsys.readouterr().err
    assert told in said
    assert len(said.splitlines()) == 1


def test_a_ladder_of_our_own_worker_on_two_cores_is_planned_with(capsys: pytest.CaptureFixture[str]) -> None:
    ladder = PUBLISHED.with_name("onnx-two-cores.json")
    assert main(["plan", str(ladder), "--calls", "6", "--limit-ms", "2500", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["ladder"]["scheme"] == "sessions"
    # Beyond two replies at once speech comes slower than it is played, so two cores hold a call or two.
    assert 1 <= told["instance"]["calls"] <= 3
    assert told["fleet"]["instances_most"] >= 3
