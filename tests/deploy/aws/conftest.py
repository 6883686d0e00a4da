"""The CDK has an environment of its own (.ci/deploy-tests); elsewhere nothing is collected."""

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from gateway.plan.fleet import plan
from gateway.plan.inputs import read_inputs
from gateway.plan.ladder import read_ladder
from gateway.plan.report import as_json

collect_ignore_glob = [] if importlib.util.find_spec("aws_cdk") else ["test_*.py"]

LADDER = Path(__file__).parents[2] / "vectors" / "ladders" / "published-g5.json"


@pytest.fixture(scope="session")
def told() -> dict[str, Any]:
    """What `voicebot plan --json` tells of a growing day."""
    ladder = read_ladder(LADDER)
    calls = {"peak": 380.0, "growth_per_minute": 10.0, "sentence_s": 1.8}
    inputs = read_inputs(None, {"calls": calls, "endpoint": {"name": "bot", "variant": "blue"}})
    answer: dict[str, Any] = json.loads(json.dumps(as_json(ladder, inputs, plan(ladder, inputs), [])))
    return answer


@pytest.fixture(scope="session")
def plan_file(told: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("plan") / "plan.json"
    file.write_text(json.dumps(told))
    return file
