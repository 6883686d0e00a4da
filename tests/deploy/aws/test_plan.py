import json
from pathlib import Path
from typing import Any

import pytest

from deploy.aws.plan import PlanError, read_plan

pytestmark = pytest.mark.deploy


def test_names_bounds_and_requests_are_the_plans(plan_file: Path, told: dict[str, Any]) -> None:
    plan = read_plan(plan_file)
    assert (plan.endpoint, plan.variant) == ("bot", "blue")
    assert (plan.least, plan.most) == (told["fleet"]["instances_least"], told["fleet"]["instances_most"])
    assert plan.tracking["TargetValue"] == told["fleet"]["target_calls"]


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"inputs": {"endpoint": {}}}', "\x00"])
def test_another_file_is_told_with_the_remedy(content: str, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    file.write_text(content)
    with pytest.raises(PlanError, match="voicebot plan --json"):
        read_plan(file)


def test_a_missing_file_and_a_plan_without_its_requests_are_told(tmp_path: Path, told: dict[str, Any]) -> None:
    with pytest.raises(PlanError, match="cannot be read"):
        read_plan(tmp_path / "none.json")
    file = tmp_path / "plan.json"
    file.write_text(json.dumps({**told, "requests": {}}))
    with pytest.raises(PlanError, match="is no plan"):
        read_plan(file)
