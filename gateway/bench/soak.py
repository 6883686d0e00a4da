"""Many calls one after another, or some at a time: what a process holds must come back to where it was."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from gateway.bench.processes import Footprint, footprint
from gateway.commands.stack import loadtest_stack
from gateway.simulator.caller import load_turns
from gateway.simulator.run import Target, place_call

RATE_HZ = 8000
# Calls before the first reading: caches fill, pools grow, the allocator finds its size.
WARM_UP_CALLS = 10
# After the last call: sockets linger, the collector runs.
SETTLE_S = 1.5
# Of the warm process; an allocator keeps arenas, a leak of one call's buffers over 50 calls is far above.
RSS_TOLERANCE_BYTES = 8_000_000


async def soak(files: Sequence[Path], calls: int, at_once: int, out_dir: Path) -> int:
    """Place `calls` calls, `at_once` at a time, and print what gateway and worker held before and after.

    Returns 0 when threads, files and sockets are back at their baseline, memory within RSS_TOLERANCE_BYTES, and every
    turn was answered; 1 otherwise.
    """
    console = Console()
    turns = await asyncio.to_thread(load_turns, files, RATE_HZ)
    async with loadtest_stack(out_dir / "logs") as stack:
        target = Target(stack.url)
        pids = {name: stack.pid(name) for name in ("gateway", "worker")}
        unanswered = 0

        async def place(count: int) -> None:
            nonlocal unanswered
            for _ in range(0, count, at_once):
                reports = await asyncio.gather(*(place_call(turns, target) for _ in range(at_once)))
                unanswered += len(reports) * len(turns) - sum(report.answered for report in reports)
            await asyncio.sleep(SETTLE_S)

        await place(max(WARM_UP_CALLS, at_once))
        before = {name: footprint(pid) for name, pid in pids.items()}
        await place(calls)
        after = {name: footprint(pid) for name, pid in pids.items()}
    console.print(_table(before, after))
    flat = unanswered == 0 and all(_is_flat(before[name], after[name]) for name in pids)
    console.print(f"{calls} calls, unanswered turns {unanswered}: {'flat' if flat else 'NOT flat'}")
    return 0 if flat else 1


def _is_flat(before: Footprint, after: Footprint) -> bool:
    return (
        after.threads <= before.threads
        and after.files <= before.files
        and after.sockets <= before.sockets
        and after.rss_bytes <= before.rss_bytes + RSS_TOLERANCE_BYTES
    )


def _table(before: dict[str, Footprint], after: dict[str, Footprint]) -> Table:
    table = Table("process", "RSS MB", "threads", "files", "sockets")
    for name in before:
        b, a = before[name], after[name]
        table.add_row(
            name,
            f"{b.rss_bytes / 1e6:.1f} → {a.rss_bytes / 1e6:.1f}",
            f"{b.threads} → {a.threads}",
            f"{b.files} → {a.files}",
            f"{b.sockets} → {a.sockets}",
        )
    return table
