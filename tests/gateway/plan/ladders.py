"""Ladders and profiles that the plan's tests share."""

from pathlib import Path
from typing import Any

from gateway.plan.inputs import Inputs, read_inputs
from gateway.plan.ladder import Ladder, read_ladder

VECTORS = Path(__file__).parents[2] / "vectors" / "ladders"
PUBLISHED = VECTORS / "published-g5.json"


def published() -> Ladder:
    return read_ladder(PUBLISHED)


def inputs(promises: dict[str, Any] | None = None, scale_out: dict[str, Any] | None = None, **calls: Any) -> Inputs:
    """A profile with the ladder's own sentences unless told otherwise."""
    return read_inputs(
        None, {"calls": {"sentence_s": 1.8, **calls}, "promises": promises or {}, "scale_out": scale_out or {}}
    )
