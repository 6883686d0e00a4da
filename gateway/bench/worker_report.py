"""The worker's ladder as a table, a file and a picture."""

import asyncio
import json
import shutil
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from gateway.bench.ladder import Rung

_SAMPLE_EVERY_S = 1.0
_TABLE_COLUMNS = 120


async def gpu_percent() -> float | None:
    """Watch the first card until cancelled, then return its mean use; None at once without nvidia-smi."""
    if shutil.which("nvidia-smi") is None:
        return None
    seen: list[float] = []
    try:
        while True:
            await asyncio.sleep(_SAMPLE_EVERY_S)
            query = await asyncio.create_subprocess_exec(
                "nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits",
                stdout=asyncio.subprocess.PIPE,
            )  # fmt: skip
            out, _ = await query.communicate()
            seen.append(float(out.split()[0]))
    except asyncio.CancelledError:
        return statistics.fmean(seen) if seen else None


def wide_console() -> Console:
    """Return a console on which the table fits, in a file too."""
    return Console() if sys.stdout.isatty() else Console(width=_TABLE_COLUMNS)


def print_rungs(console: Console, rungs: Sequence[Rung]) -> None:
    table = Table(
        "scheme", "load", "callers", "done", "1/s", "audio s/s", "p50 ms", "p95 ms", "p99 ms", "CPU %", "GPU %"
    )
    for rung in rungs:
        f = rung.as_json()
        done = f"{f['replies'] - f['failed']}/{f['replies']}"
        firsts = [f"{f[name]:.0f}" for name in ("first_p50_ms", "first_p95_ms", "first_p99_ms")]
        gpu = "-" if f["gpu_percent"] is None else f"{f['gpu_percent']:.0f}"
        rates = [f"{f['replies_per_s']:.2f}", f"{f['audio_s_per_s']:.2f}"]
        row = [rung.scheme, rung.load, str(rung.clients), done, *rates, *firsts, f"{f['cpu_percent']:.0f}", gpu]
        table.add_row(*row)
    console.print(table)


def told_given_back(share: float | None) -> str:
    if share is None:
        return "30 % interrupted: nothing was left to interrupt"
    return f"30 % interrupted: {share:.0%} of the time their rest would have taken came back"


def write_report(out_dir: Path, limit_ms: float, q_max: int, given_back: float | None, rungs: Sequence[Rung]) -> None:
    """Write worker.json, and worker.png where matplotlib is installed."""
    figures = {"limit_ms": limit_ms, "q_max": q_max, "given_back": given_back, "rungs": [r.as_json() for r in rungs]}
    (out_dir / "worker.json").write_text(json.dumps(figures, indent=2) + "\n", "utf-8")
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return
    figure = Figure(figsize=(10, 4), layout="constrained")
    figure.suptitle("One TTS worker")
    wait, rate = figure.subplots(1, 2)
    for scheme in dict.fromkeys(rung.scheme for rung in rungs):
        closed = [rung for rung in rungs if rung.scheme == scheme and rung.load == "closed"]
        clients = [rung.clients for rung in closed]
        wait.plot(clients, [rung.first_p95_ms / 1000 for rung in closed], marker="o", label=scheme)
        rate.plot(clients, [rung.replies_per_s for rung in closed], marker="o", label=scheme)
    wait.axhline(limit_ms / 1000, linestyle=":", color="grey", label="limit")
    for axes, measured in ((wait, "first audio, p95 s"), (rate, "replies a second")):
        axes.set(xlabel="callers at once", ylabel=measured)
        axes.set_ylim(bottom=0)
        axes.legend()
    figure.savefig(out_dir / "worker.png")
