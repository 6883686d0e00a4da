from dataclasses import replace
from typing import Any

import pytest

from gateway.plan.comparison import policy_of
from gateway.plan.day import day_of
from gateway.plan.fleet import plan
from gateway.plan.scaler import Policy
from gateway.plan.simulation import Outcome, Simulation
from tests.gateway.plan.ladders import inputs, published


def simulated(seed: int = 1, most: int = 0, promises: dict[str, Any] | None = None, **calls: Any) -> Outcome:
    given = inputs(promises, **calls)
    fleet = plan(published(), given)
    return Simulation(published(), given, policy_of(fleet, most or fleet.most), day_of(fleet, given), seed).run()


def test_the_same_seed_gives_the_same_day_and_another_gives_another() -> None:
    first, again, other = (simulated(seed, peak=40) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_calls_at_once_keep_to_the_profile() -> None:
    outcome = simulated(peak=200)
    calls = [at_once for _, at_once, _ in outcome.course]
    assert sum(calls) / len(calls) == pytest.approx(200, rel=0.08)


def test_replies_come_as_often_as_the_profile_says() -> None:
    outcome = simulated(peak=100)
    mean_calls = sum(calls for _, calls, _ in outcome.course) / len(outcome.course)
    turns = mean_calls * outcome.course[-1][0] / inputs(peak=100).calls.turn_s
    assert outcome.replies.total() == pytest.approx(turns, rel=0.1)


def test_one_instances_late_replies_are_those_of_the_queueing_network() -> None:
    given = inputs({"spare_instances": 0, "refused_share": 0.5, "sessions": 80}, peak=45)
    fleet = plan(published(), given)
    day = replace(day_of(fleet, given), lost_s=20_000.0)
    outcome = Simulation(published(), given, Policy(1, 1, 99.0, 0.0), day, 3).run()
    assert fleet.most == 1
    foretold = fleet.instance.late_in_fleet(45, 1)
    assert sum(outcome.late.values()) / outcome.replies.total() == pytest.approx(foretold, rel=0.2)


def test_callers_beyond_the_sessions_are_refused_as_erlang_says() -> None:
    given = inputs({"spare_instances": 0, "sessions": 20, "refused_share": 0.5}, peak=20)
    fleet = plan(published(), given)
    day = replace(day_of(fleet, given), lost_s=60_000.0)
    outcome = Simulation(published(), given, Policy(1, 1, 99.0, 0.0), day, 4).run()
    assert outcome.refused_share == pytest.approx(fleet.instance.refused_in_fleet(20, 1), rel=0.25)


def test_the_fleet_grows_with_the_calls_and_never_beyond_its_most() -> None:
    given = inputs(peak=380, growth_per_minute=20)
    fleet = plan(published(), given)
    outcome = simulated(peak=380, growth_per_minute=20)
    instances = [in_service for _, _, in_service in outcome.course]
    assert (instances[0], max(instances)) == (fleet.least, fleet.most)
    assert instances[-1] == fleet.most - 1  # the last phase has one lost


def test_calls_of_a_lost_instance_go_on_elsewhere() -> None:
    outcome = simulated(peak=100)
    assert outcome.refused == 0
    assert outcome.course[-1][1] > 60


def test_losing_every_instance_refuses_everybody() -> None:
    outcome = simulated(most=1, peak=30)
    assert outcome.course[-1][1:] == (0, 0)
    assert outcome.refused > 30
