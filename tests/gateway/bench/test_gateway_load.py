"""The load benchmark: a small rung gives figures that add up. What they are is nobody's verdict here."""

import json
from pathlib import Path

import pytest

from gateway.bench.gateway_load import LoadFigures, _loud, bench_gateway


@pytest.mark.bench
async def test_one_call_of_one_turn_gives_a_rung(tmp_path: Path) -> None:
    assert await bench_gateway([1], 1, tmp_path) == 0
    (rung,) = json.loads((tmp_path / "gateway.json").read_text("utf-8"))
    assert (rung["calls"], rung["replies"], rung["unanswered"]) == (1, 1, 0)
    assert rung["call_seconds"] > 3.0
    assert rung["cpu_ms_per_call_second"] > 0.0
    assert 0.0 <= rung["added_p50_ms"] <= rung["added_p99_ms"]


def test_a_rung_is_written_with_all_its_figures() -> None:
    rung = LoadFigures(1, 2.0, 3.0, 4.0, 5.0, 6, 7, 8)
    assert list(rung.as_json().values()) == [1, 2.0, 3.0, 4.0, 5.0, 6, 7, 8]


def test_the_simulated_caller_is_loud_all_along() -> None:
    turn = _loud(0.8, "turn")
    assert (turn.speech_start_s, turn.speech_end_s) == pytest.approx((0.0, 0.8), abs=0.05)
