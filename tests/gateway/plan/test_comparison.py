from dataclasses import replace

from gateway.plan.comparison import compare, judged
from gateway.plan.fleet import Plan, plan
from tests.gateway.plan.ladders import inputs, published

GROWING = inputs(peak=225, growth_per_minute=5)


def test_the_plans_fleet_holds_one_fewer_does_not_and_the_published_formulas_is_far_off() -> None:
    fleet = plan(published(), GROWING)
    ours, fewer, theirs = compare(published(), GROWING, fleet, days=2)

    assert (ours.holds, ours.most) == (True, fleet.most)
    assert (fewer.holds, fewer.most) == (False, fleet.most - 1)
    assert not theirs.holds
    assert theirs.most < fleet.most / 4
    assert theirs.refused_share > 0.3


def test_without_growth_too_the_plan_is_neither_too_small_nor_too_big() -> None:
    steady = inputs(peak=180)
    ours, fewer, _ = compare(published(), steady, plan(published(), steady), days=3)
    assert (ours.holds, fewer.holds) == (True, False)


def test_a_target_without_room_for_growth_is_late_while_calls_grow_and_the_plans_is_not() -> None:
    steep = inputs(peak=700, growth_per_minute=15)
    fleet = plan(published(), steep)
    full = replace(fleet, least=2, target=float(fleet.instance.at_once))

    def late(tried: Plan) -> float:
        (day,) = judged("", published(), steep, tried, fleet.most, 1).days
        return day.late_share("growth")

    assert late(fleet) < 0.03
    assert late(full) > 0.1
