"""What the gateway alone costs and adds: many simulated calls against the loadtest profile, each process measured."""

import asyncio
import json
import os
import platform
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import numpy as np
from rich.console import Console
from rich.table import Table

from gateway.bench.processes import cpu_seconds, pin
from gateway.commands.stack import loadtest_stack
from gateway.simulator.caller import CallerTurn, recorded_turn
from gateway.simulator.report import CallReport
from gateway.simulator.run import Target, place_call

RATE_HZ = 8000
# Calls begin spread over this long, as they do on a real line: in step they would all wake in the same millisecond.
SPREAD_S = 2.0


@dataclass(frozen=True, slots=True)
class LoadFigures:
    """One rung of the ladder. Latencies run from the final words to the first frame on the wire."""

    calls: int
    call_seconds: float
    cpu_ms_per_call_second: float
    added_p50_ms: float
    added_p99_ms: float
    replies: int
    gaps: int
    unanswered: int

    def as_json(self) -> dict[str, float]:
        return {name: getattr(self, name) for name in self.__slots__}


async def bench_gateway(ladder: Sequence[int], turns: int, out_dir: Path) -> int:
    """Climb the ladder (calls at once), print a table and write gateway.json; 0 always, for a figure is no verdict."""
    console = Console()
    console.print(
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}; gateway pinned to core 0"
    )
    table = Table(
        "calls", "call-seconds", "CPU ms per call-second", "added p50 ms", "added p99 ms", "gaps", "unanswered"
    )
    figures = []
    for calls in ladder:
        async with loadtest_stack(out_dir / "logs") as stack:
            pin(stack.pid("gateway"), {0})
            rung = await _measure(stack.url, stack.pid("gateway"), calls, turns)
        figures.append(rung)
        table.add_row(
            str(rung.calls),
            f"{rung.call_seconds:.0f}",
            f"{rung.cpu_ms_per_call_second:.2f}",
            f"{rung.added_p50_ms:.1f}",
            f"{rung.added_p99_ms:.1f}",
            str(rung.gaps),
            str(rung.unanswered),
        )
    console.print(table)
    (out_dir / "gateway.json").write_text(json.dumps([f.as_json() for f in figures], indent=2) + "\n", "utf-8")
    return 0


async def _measure(url: str, pid: int, calls: int, turns: int) -> LoadFigures:
    caller = [_loud(0.8, f"turn {number}") for number in range(turns)]
    target = Target(url)
    before_s = cpu_seconds(pid)
    reports = await asyncio.gather(*(_one(target, caller, SPREAD_S * number / calls) for number in range(calls)))
    spent_s = cpu_seconds(pid) - before_s
    added_ms = await _added_ms(url, reports)
    seconds = sum(report.trace.duration_s for report in reports)
    return LoadFigures(
        calls=calls,
        call_seconds=seconds,
        cpu_ms_per_call_second=1000 * spent_s / seconds,
        added_p50_ms=statistics.median(added_ms),
        added_p99_ms=float(np.percentile(added_ms, 99)),
        replies=len(added_ms),
        gaps=sum(len(report.trace.gaps) for report in reports),
        unanswered=calls * turns - sum(report.answered for report in reports),
    )


async def _one(target: Target, turns: Sequence[CallerTurn], after_s: float) -> CallReport:
    await asyncio.sleep(after_s)
    return await place_call(turns, target)


async def _added_ms(url: str, reports: Sequence[CallReport]) -> list[float]:
    """From the gateway's own records: final words to first frame, of every answered turn."""
    added = []
    async with aiohttp.ClientSession() as http:
        for report in reports:
            async with http.get(f"{url}/calls/{report.call_id}") as response:
                record = await response.json()
            for turn in record["turns"]:
                at_s = turn["at_s"]
                if "final" in at_s and "first_frame" in at_s:
                    added.append(1000 * (at_s["first_frame"] - at_s["final"]))
    return added


def _loud(seconds: float, name: str) -> CallerTurn:
    """Noise as loud as speech: the loadtest profile hears by loudness."""
    noise = np.random.default_rng(1).normal(0, 5000, round(seconds * RATE_HZ)).clip(-30_000, 30_000)
    return recorded_turn(name, noise.astype("<i2").tobytes(), RATE_HZ, name)
