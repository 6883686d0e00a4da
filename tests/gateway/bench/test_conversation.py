"""The conversation benchmark: its parts add up, and the published workload stays within its bounds."""

import json
from dataclasses import replace
from pathlib import Path

from gateway.bench.conversation import bench_conversation, measure_overlaps, measure_turns
from gateway.bench.conversation_cases import backchannel, interruption, noise
from gateway.bench.stage import TIMING


def test_the_published_workload_has_no_early_cut_in_and_is_answered_in_time() -> None:
    figures = measure_turns("by the words", TIMING)
    assert (figures.turns, figures.early_cut_ins) == (8, 0)
    assert figures.latency_p50_ms <= 1200
    assert figures.latency_p95_ms <= 1500


def test_a_recogniser_that_sets_no_marks_costs_time_and_no_cut_in() -> None:
    figures = measure_turns("without marks", TIMING, marks=False)
    assert figures.early_cut_ins == 0
    assert figures.latency_p50_ms <= 1200
    assert figures.latency_p95_ms <= 1500


def test_a_short_fixed_silence_cuts_in() -> None:
    short = replace(TIMING, whole_silence_ms=600, unfinished_silence_ms=600)
    assert measure_turns("fixed", short).early_cut_ins > 0


def test_interruptions_are_all_noticed_in_time_and_history_is_right_to_a_word() -> None:
    figures = measure_overlaps("interruption", interruption, 8)
    assert (figures.interrupted, figures.heard_within_a_word) == (8, 8)
    assert figures.silent_max_ms <= 350


def test_listeners_and_noise_interrupt_nobody() -> None:
    assert measure_overlaps("backchannel", backchannel, 5).interrupted == 0
    assert measure_overlaps("noise", noise, 5, -20.0).interrupted == 0


def test_the_figures_are_written(tmp_path: Path) -> None:
    assert bench_conversation(0, tmp_path, None, None) == 0
    figures = json.loads((tmp_path / "conversation.json").read_text("utf-8"))
    assert [len(figures[name]) for name in ("turns", "overlaps")] == [5, 5]
    assert "callers" not in figures
