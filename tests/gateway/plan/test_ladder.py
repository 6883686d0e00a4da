import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.errors import ConfigError
from gateway.bench.ladder import Rung
from gateway.bench.worker_report import write_report
from gateway.plan.ladder import read_ladder
from tests.gateway.plan.ladders import PUBLISHED, published


def rung(**changed: Any) -> Rung:
    facts: dict[str, Any] = {
        "scheme": "sessions", "load": "closed", "clients": 1, "replies": 12, "failed": 0, "replies_per_s": 2.0,
        "audio_s_per_s": 6.0, "first_p50_ms": 90.0, "first_p95_ms": 100.0, "first_p99_ms": 110.0, "cpu_percent": 100.0,
        "gpu_percent": None,
    }  # fmt: skip
    return Rung(**{**facts, **changed})


def test_what_the_bench_writes_is_read_with_the_gateways_own_scheme(tmp_path: Path) -> None:
    rungs = [
        rung(clients=5, audio_s_per_s=9.0),
        rung(),
        rung(scheme="reference", clients=3),
        rung(load="Poisson 1.00/s", clients=4),
    ]
    write_report(tmp_path, 300.0, 5, None, rungs)

    ladder = read_ladder(tmp_path / "worker.json")

    assert (ladder.scheme, ladder.clients.tolist(), ladder.audio_s_per_s.tolist()) == ("sessions", [1, 5], [6, 9])
    assert not ladder.whole_text_first
    assert read_ladder(tmp_path / "worker.json", "reference").clients.tolist() == [3]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "is no ladder"),
        (b"\xff\xfe", "is no ladder"),
        (b"[" * 100_000, "is no ladder"),
        (b'{"rungs": [{"scheme": "sessions"}]}', "rungs.0.load"),
        (b'{"rungs": []}', "no closed-loop rung"),
        (b" " * 4_000_001, "too big"),
    ],
)
def test_a_file_that_is_no_ladder_is_told_in_a_sentence(tmp_path: Path, content: bytes, told: str) -> None:
    file = tmp_path / "worker.json"
    file.write_bytes(content)
    with pytest.raises(ConfigError, match=told):
        read_ladder(file)


def test_figures_that_cannot_be_are_refused(tmp_path: Path) -> None:
    for key, value in (("replies_per_s", 0), ("first_p95_ms", float("nan")), ("clients", 0), ("audio_s_per_s", -1)):
        file = tmp_path / "worker.json"
        file.write_text(json.dumps({"rungs": [{**rung().as_json(), key: value}]}))
        with pytest.raises(ConfigError, match=key):
            read_ladder(file)


def test_a_missing_file_a_missing_scheme_and_a_double_rung_are_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        read_ladder(tmp_path / "none.json")
    with pytest.raises(ConfigError, match="there is reference"):
        read_ladder(PUBLISHED, "sessions")
    write_report(tmp_path, 300.0, 1, None, [rung(), rung()])
    with pytest.raises(ConfigError, match="two rungs"):
        read_ladder(tmp_path / "worker.json")


def test_a_rung_where_all_failed_is_left_out(tmp_path: Path) -> None:
    write_report(tmp_path, 300.0, 1, None, [rung(), rung(clients=9, replies=3, failed=3)])
    assert read_ladder(tmp_path / "worker.json").clients.tolist() == [1]


def test_speed_is_measured_between_rungs_kept_beyond_and_shrinks_below(tmp_path: Path) -> None:
    write_report(tmp_path, 300.0, 1, None, [rung(clients=4, audio_s_per_s=8.0), rung(clients=6, audio_s_per_s=10.0)])
    ladder = read_ladder(tmp_path / "worker.json")
    assert ladder.audio_rate(np.array([1.0, 4.0, 5.0, 60.0])).tolist() == [2.0, 8.0, 9.0, 10.0]


@given(pending=st.floats(1, 200), share=st.floats(0.01, 0.99))
def test_late_share_reads_the_quantiles_the_other_way(pending: float, share: float) -> None:
    ladder = published()
    first_ms = float(ladder.first_audio_ms(np.array([pending]), np.array([share]))[0])
    failed = float(np.interp(pending, ladder.clients, ladder.failed_share))
    late = float(ladder.late_share(np.array([pending]), first_ms)[0])
    assert late == pytest.approx(1 - share * (1 - failed), abs=1e-6)


def test_the_published_ladder_has_its_published_q_max() -> None:
    assert (published().q_max(3000), published().q_max(300), published().q_max(50)) == (50, 5, 0)
