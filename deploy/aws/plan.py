"""The fleet, as `voicebot plan --json` writes it."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any


class PlanError(Exception):
    """Its text is one sentence with the remedy."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What the stacks take from a plan: names, bounds, sessions, and the bodies of the scaling requests."""

    endpoint: str
    variant: str
    least: int
    most: int
    sessions: int
    calls_an_instance: int
    tracking: dict[str, Any]
    quiet_step: dict[str, Any]
    quiet_alarm: dict[str, Any]


def read_plan(file: Path) -> Plan:
    """Raises PlanError when the file is no plan."""
    try:
        told = json.loads(file.read_text("utf-8"))
        names, requests = told["inputs"]["endpoint"], told["requests"]
        tracking, quiet = requests["PutScalingPolicy"]
        return Plan(
            names["name"],
            names["variant"],
            requests["RegisterScalableTarget"]["MinCapacity"],
            requests["RegisterScalableTarget"]["MaxCapacity"],
            told["inputs"]["promises"]["sessions"],
            told["instance"]["calls"],
            tracking["TargetTrackingScalingPolicyConfiguration"],
            quiet["StepScalingPolicyConfiguration"],
            requests["PutMetricAlarm"],
        )
    except OSError as error:
        raise PlanError(f"{file} cannot be read ({error.strerror}); write it with voicebot plan --json") from error
    except (ValueError, KeyError, TypeError) as error:
        raise PlanError(f"{file} is no plan ({error!r}); write it with voicebot plan --json") from error
