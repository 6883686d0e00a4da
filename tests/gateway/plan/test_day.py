from typing import Any

import pytest

from gateway.plan.day import Day, day_of
from gateway.plan.fleet import plan
from tests.gateway.plan.ladders import inputs, published


def day(**calls: Any) -> Day:
    given = inputs(**calls)
    return day_of(plan(published(), given), given)


def test_calls_grow_as_fast_as_promised_from_what_the_smallest_fleet_takes() -> None:
    grown = day(peak=380, growth_per_minute=10)
    fleet = plan(published(), inputs(peak=380, growth_per_minute=10))
    assert grown.beginning < fleet.least * fleet.target < grown.peak
    assert grown.calls_at(60.0) - grown.calls_at(0.0) == pytest.approx(10)
    assert grown.calls_at(grown.grown_s + 1) == 380


def test_arrivals_follow_those_who_end_and_growth() -> None:
    grown = day(peak=380, growth_per_minute=10, duration_s=100)
    assert grown.arrivals_per_s(0.0) == pytest.approx(grown.beginning / 100 + 10 / 60)
    assert grown.arrivals_per_s(grown.end_s) == pytest.approx(3.8)
    assert all(grown.arrivals_per_s(s) <= grown.most_arrivals_per_s for s in range(0, int(grown.end_s), 10))


def test_the_phases_come_in_order() -> None:
    grown = day(peak=380, growth_per_minute=10)
    times_s = (0.0, grown.grown_s, grown.loss_s - 1, grown.loss_s)
    assert [grown.phase(s) for s in times_s] == ["growth", "settling", "peak", "instances lost"]


def test_without_growth_the_day_is_all_peak() -> None:
    assert day(peak=100).phase(0.0) == "peak"
    assert day(peak=100).calls_at(0.0) == 100
