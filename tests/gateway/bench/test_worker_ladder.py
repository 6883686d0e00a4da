"""The ladder against a worker with the tone engine, in this process."""

import json
import os
from pathlib import Path

import aiohttp
from rich.console import Console

from gateway.bench.ladder import Ladder
from gateway.bench.worker_ladder import Bench, climb
from gateway.bench.worker_report import print_rungs, told_given_back, write_report
from tests.rig.worker import serving
from tts_worker.app import build_app
from tts_worker.tone import ToneEngine


async def test_the_ladder_measures_both_schemes_closed_and_open(tmp_path: Path) -> None:
    said: list[str] = []
    engine = ToneEngine(realtime_factor=0.003)
    async with serving(build_app(engine)) as port:
        ladder = Ladder(clients=(1, 3), rounds=2)
        rungs, given_back = await climb(f"http://127.0.0.1:{port}", os.getpid(), ladder, said.append)

    assert [(r.scheme, r.clients) for r in rungs if r.load == "closed"] == [
        ("sessions", 1),
        ("reference", 1),
        ("sessions", 3),
        ("reference", 3),
    ]
    assert sum(r.load.startswith("Poisson") for r in rungs) == 4
    assert all(r.failed == 0 and r.audio_s_per_s > 0 for r in rungs)
    assert given_back is None or isinstance(given_back, float)
    assert len(said) == 4
    by_key = {(r.scheme, r.load, r.clients): r for r in rungs}
    ours, theirs = by_key["sessions", "closed", 3], by_key["reference", "closed", 3]
    assert ours.first_p95_ms < theirs.first_p95_ms  # one lock and the whole text first, against the first piece

    console = Console(record=True, width=200)
    print_rungs(console, rungs)
    assert "reference" in console.export_text()
    assert "nothing was left" in told_given_back(None)
    assert "85%" in told_given_back(0.85)
    write_report(tmp_path, 300.0, 3, given_back, rungs)
    figures = json.loads((tmp_path / "worker.json").read_text("utf-8"))
    assert (figures["q_max"], len(figures["rungs"])) == (3, len(rungs))


async def test_a_rung_whose_time_is_up_asks_for_nothing_more() -> None:
    engine = ToneEngine(realtime_factor=0.02)
    async with serving(build_app(engine)) as port, aiohttp.ClientSession() as http:
        ladder = Ladder(rounds=10_000, rung_s=0.5)
        rung = await Bench(http, f"http://127.0.0.1:{port}", os.getpid(), ladder).closed_loop("sessions", 2)
    assert 2 <= rung.replies < 1_000
    assert rung.failed == 0
