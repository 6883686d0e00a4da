import io
import json
from pathlib import Path

from rich.console import Console

from gateway.plan.comparison import compare
from gateway.plan.fleet import plan
from gateway.plan.report import as_json, draw, print_plan, print_verdicts, reasons
from tests.gateway.plan.ladders import inputs, published

GROWING = inputs(peak=60, growth_per_minute=4)


def test_the_reasons_carry_the_plans_figures() -> None:
    many = inputs(peak=700, growth_per_minute=10)
    fleet = plan(published(), many)
    told = " ".join(reasons(published(), many, fleet))
    for figure in (f"Together {fleet.most}.", f"begins with {fleet.least},", f"to have {fleet.target}.", "holds 49;"):
        assert figure in told
    assert "(Q_max, 5," in told


def test_a_fixed_fleet_says_why_it_stays_on() -> None:
    fleet = plan(published(), GROWING)
    told = " ".join(reasons(published(), GROWING, fleet))
    assert fleet.fixed
    assert f"All {fleet.most} instances stay on" in told


def test_people_get_tables_and_machines_the_same_figures(tmp_path: Path) -> None:
    fleet = plan(published(), GROWING)
    verdicts = compare(published(), GROWING, fleet, days=1)
    console = Console(file=io.StringIO(), width=100)
    print_plan(console, published(), GROWING, fleet)
    print_verdicts(console, verdicts)
    said = console.file.getvalue()  # type: ignore[attr-defined]  # it is the StringIO above
    told = json.loads(json.dumps(as_json(published(), GROWING, fleet, verdicts)))

    assert "this plan" in said
    assert "published, not ours" in said
    assert told["fleet"]["instances_most"] == fleet.most
    assert [row["holds"] for row in told["simulation"]] == [verdict.holds for verdict in verdicts]
    assert told["requests"]["RegisterScalableTarget"]["MaxCapacity"] == fleet.most

    draw(verdicts, fleet.instance.at_once, tmp_path / "days.png")
    assert (tmp_path / "days.png").read_bytes().startswith(b"\x89PNG")


def test_sentences_much_longer_than_the_ladders_requests_are_pointed_out() -> None:
    from dataclasses import replace

    sessions = replace(published(), scheme="sessions")
    long = inputs(peak=60, sentence_s=9)
    assert "measure with longer text" in reasons(sessions, long, plan(sessions, long))[-1]
