"""docs/scaling.md: its example is what the command says, its profile is what the command reads."""

import re
from pathlib import Path

from gateway.plan.comparison import published_instances
from gateway.plan.fleet import plan
from gateway.plan.inputs import ScaleOut, read_inputs
from tests.gateway.plan.ladders import inputs, published

DOC = (Path(__file__).parents[3] / "docs" / "scaling.md").read_text("utf-8")


def test_the_example_is_what_the_command_says() -> None:
    example = inputs(peak=380, growth_per_minute=10)
    fleet = plan(published(), example)
    hold = fleet.instance.held_by
    for row in (
        f"| {fleet.instance.by_speech:.0f} calls, {fleet.instance.at_once} calls |",
        f"| maximum: {fleet.most - 1} hold {hold(fleet.most - 1):.0f} calls, 1 spare | {fleet.most} |",
        f"| growth in {fleet.window_s:.0f} s | {fleet.growth:.0f} calls |",
        f"| minimum: {fleet.least - 1} hold {hold(fleet.least - 1):.0f} calls, 1 spare; ",
        f"| {fleet.least}; {fleet.target} calls |",
        f"| {fleet.scale_out_cooldown_s} s, {fleet.scale_in_cooldown_s} s |",
        f"gives {published_instances(published(), example)}.",
    ):
        assert row in DOC


def test_the_profile_is_read_as_it_stands(tmp_path: Path) -> None:
    (profile,) = re.findall(r"```toml\n(.*?)```", DOC, re.S)
    (tmp_path / "plan.toml").write_text(profile)
    given = read_inputs(tmp_path / "plan.toml", {})
    assert given.calls.at_once == 380
    assert given.scale_out == ScaleOut()
