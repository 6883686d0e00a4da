from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from config.errors import ConfigError
from gateway.plan.fleet import Plan, plan, published_formula
from tests.gateway.plan.ladders import inputs, published

PEAKS = st.floats(20, 2000)
few = settings(max_examples=20, deadline=None)


def fleet(promises: dict[str, Any] | None = None, scale_out: dict[str, Any] | None = None, **calls: Any) -> Plan:
    return plan(published(), inputs(promises, scale_out, **calls))


def test_the_peak_fleet_is_the_smallest_that_holds_the_calls_with_its_spare_missing() -> None:
    found = fleet(peak=380, growth_per_minute=10)
    assert found.instance.held_by(found.most - 1) >= 380 > found.instance.held_by(found.most - 2)


def test_the_target_leaves_room_for_growth_with_the_spare_missing_at_every_size() -> None:
    found = fleet(peak=2000, growth_per_minute=20)
    assert not found.fixed
    for n in range(found.least, found.most + 1):
        assert n * found.target + found.growth <= found.instance.held_by(n - 1)


def test_growth_is_borne_for_one_detection_and_two_fulfilments() -> None:
    parts_s = {"decision_s": 0, "instance_s": 100, "start_s": 0, "model_s": 0, "in_service_s": 0, "settle_s": 0}
    found = fleet(None, parts_s, peak=500, growth_per_minute=6)
    assert (found.window_s, found.growth) == (230, 23)
    assert (found.scale_out_cooldown_s, found.scale_in_cooldown_s) == (100, 390)


def test_growth_that_outruns_scaling_keeps_the_peaks_fleet() -> None:
    found = fleet(peak=380, growth_per_minute=1000)
    assert found.fixed
    assert found.target * found.most >= 380 - 1


def test_an_instance_that_goes_does_not_have_to_be_ordered_back() -> None:
    found = fleet(peak=2000, growth_per_minute=20)
    for n in range(found.least + 1, found.most + 1):
        assert found.scale_in_below * n / (n - 1) < found.target


def test_the_quietest_hours_fit_the_smallest_fleet() -> None:
    found = fleet(peak=2000, quiet=900)
    assert found.least * found.target >= 900


@few
@given(peak=PEAKS, more=st.floats(1, 500))
def test_more_calls_never_need_fewer_instances(peak: float, more: float) -> None:
    assert fleet(peak=peak + more).most >= fleet(peak=peak).most


@few
@given(growth=st.floats(0, 60), more=st.floats(0.1, 60))
def test_faster_growth_never_means_a_smaller_beginning(growth: float, more: float) -> None:
    slow, fast = (fleet(peak=1500, growth_per_minute=g) for g in (growth, growth + more))
    assert (slow.least, slow.most) <= (fast.least, fast.most)
    assert slow.most == fast.most


@few
@given(wait_s=st.floats(10, 1000), more_s=st.floats(1, 1000))
def test_a_slower_start_never_means_a_smaller_beginning(wait_s: float, more_s: float) -> None:
    quick, slow = (fleet(None, {"instance_s": s}, peak=1500, growth_per_minute=10) for s in (wait_s, wait_s + more_s))
    assert quick.least <= slow.least


@few
@given(limit_ms=st.floats(120, 1500), more_ms=st.floats(1, 500), spare=st.integers(0, 4))
def test_softer_promises_never_need_more(limit_ms: float, more_ms: float, spare: int) -> None:
    tight = fleet({"first_audio_ms": limit_ms, "spare_instances": spare}, peak=700)
    soft = fleet({"first_audio_ms": limit_ms + more_ms, "spare_instances": spare}, peak=700)
    assert soft.most <= tight.most
    assert fleet({"first_audio_ms": limit_ms, "spare_instances": spare + 1}, peak=700).most == tight.most + 1


def test_calls_an_hour_are_calls_at_once_by_littles_law() -> None:
    by_hour, at_once = fleet(per_hour=7600, duration_s=180), fleet(peak=380, duration_s=180)
    assert (by_hour.least, by_hour.most, by_hour.target) == (at_once.least, at_once.most, at_once.target)


def test_the_published_formula_is_off_by_a_factor_of_31_at_its_own_figures() -> None:
    ladder = published()
    theirs = published_formula(ladder, 5000, limit_ms=3000)
    served_per_s = max(ladder.requests_per_s.tolist())
    assert theirs == 9
    assert 5000 / served_per_s / theirs > 30


def test_a_slip_of_the_pen_is_told() -> None:
    with pytest.raises(ConfigError, match="need more than 10000 instances"):
        fleet(peak=1e9)


def test_instances_of_few_sessions_are_many_and_full_enough_to_be_worth_scaling() -> None:
    found = fleet({"sessions": 2}, peak=30)
    assert 30 / 2 < found.most < 30
    assert found.target >= 0.9
