"""How far one worker goes: more and more callers at once, beside the reference scheme on the same worker.

The reference answers one request at a time, the whole text before the first byte, and cannot cancel. Both schemes take
the same replies in the same order, in the same run, from the same process.
"""

import asyncio
import math
import os
import platform
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import numpy as np

from gateway.bench.ladder import Ladder, Rung, q_max
from gateway.bench.processes import cpu_seconds
from gateway.bench.worker_clients import Answer, ReferenceCaller, SessionCaller
from gateway.bench.worker_report import gpu_percent, print_rungs, told_given_back, wide_console, write_report
from gateway.commands.stack import worker_stack

# Of replies in a rung: enough for a percentile.
_LEAST = 12
_SEED = 1
# Interruptions come this long after the first sound, as a caller who has heard enough.
_BARGE_IN_S = 0.2
# Open-loop load, as shares of what the closed loop has just shown to be possible.
POISSON_SHARES = (0.5, 0.8)

Caller = SessionCaller | ReferenceCaller


class Bench:
    """A worker under load, with the eyes on its process."""

    def __init__(self, http: aiohttp.ClientSession, url: str, pid: int, ladder: Ladder) -> None:
        self._http = http
        self._url = url
        self._pid = pid
        self._ladder = ladder

    async def closed_loop(self, scheme: str, clients: int) -> Rung:
        """Each caller asks for its next reply when the one before has been spoken."""
        todo = iter(self._replies(max(_LEAST, clients * self._ladder.rounds)))

        async def run(callers: list[Caller]) -> list[Answer]:
            ends_s = time.perf_counter() + self._ladder.rung_s

            async def talk(caller: Caller) -> list[Answer]:
                return [await caller.ask(reply) for reply in todo if time.perf_counter() < ends_s]

            return [answer for answers in await asyncio.gather(*map(talk, callers)) for answer in answers]

        return await self._measure(scheme, "closed", clients, run)

    async def poisson(self, scheme: str, replies_per_s: float, clients: int) -> Rung:
        """Replies are asked for at random moments, whether or not the worker keeps up; each by a caller who is free."""
        replies = self._replies(max(_LEAST, clients * self._ladder.rounds))
        gaps_s = [random.Random(_SEED).expovariate(replies_per_s) for _ in replies]

        async def run(callers: list[Caller]) -> list[Answer]:
            free: asyncio.LifoQueue[Caller] = asyncio.LifoQueue()
            for caller in callers:
                free.put_nowait(caller)

            async def ask(reply: list[str], at_s: float) -> Answer:
                await asyncio.sleep(at_s)
                caller = await free.get()
                try:
                    return await caller.ask(reply)
                finally:
                    free.put_nowait(caller)

            times_s = np.cumsum(gaps_s).tolist()
            return list(await asyncio.gather(*map(ask, replies, times_s)))

        # As many callers as there are replies: none waits for a free one, or the loop would close.
        return await self._measure(scheme, f"Poisson {replies_per_s:.2f}/s", len(replies), run)

    async def cancellation(self, clients: int, share: float) -> float | None:
        """Return how much of the time that the rest of interrupted replies would have taken came back, 0 to 1.

        None when they had no rest: the worker was quicker than the interruption. The same replies are spoken twice,
        whole and with `share` of them interrupted shortly after their first sound.
        """
        replies = self._replies(max(_LEAST, clients * self._ladder.rounds))
        whole, whole_cpu_s = await self._spoken(clients, replies, set(), self._ladder.rung_s)
        interrupted = {n for n in whole if random.Random(_SEED + n).random() < share}
        cut, cut_cpu_s = await self._spoken(clients, replies[: len(whole)], interrupted)
        rest_s = sum(whole[n].audio_s - cut[n].audio_s for n in interrupted)
        rest_cpu_s = whole_cpu_s * rest_s / sum(answer.audio_s for answer in whole.values())
        return (whole_cpu_s - cut_cpu_s) / rest_cpu_s if rest_cpu_s > 0 else None

    async def _spoken(
        self, clients: int, replies: list[list[str]], interrupted: set[int], limit_s: float = math.inf
    ) -> tuple[dict[int, Answer], float]:
        todo, answers = iter(enumerate(replies)), {}
        before_s, ends_s = cpu_seconds(self._pid), time.perf_counter() + limit_s
        async with self._callers("sessions", clients) as callers:

            async def talk(caller: Caller) -> None:
                while time.perf_counter() < ends_s and (item := next(todo, None)) is not None:
                    n, reply = item
                    answers[n] = await caller.ask(reply, _BARGE_IN_S if n in interrupted else None)

            await asyncio.gather(*map(talk, callers))
        return answers, cpu_seconds(self._pid) - before_s

    async def _measure(
        self, scheme: str, load: str, clients: int, run: Callable[[list[Caller]], Awaitable[list[Answer]]]
    ) -> Rung:
        async with self._callers(scheme, clients) as callers:
            gpu = asyncio.create_task(gpu_percent())
            cpu_s, began_s = cpu_seconds(self._pid), time.perf_counter()
            answers = await run(callers)
            took_s, cpu_s = time.perf_counter() - began_s, cpu_seconds(self._pid) - cpu_s
            gpu.cancel()
            (gpu_use,) = await asyncio.gather(gpu, return_exceptions=True)
        good = [answer for answer in answers if not answer.failed]
        p50, p95, p99 = np.percentile([1000 * answer.first_s for answer in good] or [0.0], [50, 95, 99]).tolist()
        return Rung(
            scheme, load, clients, len(answers), len(answers) - len(good), len(good) / took_s,
            sum(answer.audio_s for answer in good) / took_s, p50, p95, p99, 100 * cpu_s / took_s,
            gpu_use if isinstance(gpu_use, float) else None,
        )  # fmt: skip

    @asynccontextmanager
    async def _callers(self, scheme: str, clients: int) -> AsyncIterator[list[Caller]]:
        lock = asyncio.Lock()
        callers: list[Caller] = [
            SessionCaller(self._http, self._url)
            if scheme == "sessions"
            else ReferenceCaller(self._http, self._url, lock)
            for _ in range(clients)
        ]
        await asyncio.gather(*(caller.open() for caller in callers))
        try:
            yield callers
        finally:
            await asyncio.gather(*(caller.close() for caller in callers))

    def _replies(self, count: int) -> list[list[str]]:
        return [self._ladder.replies[n % len(self._ladder.replies)] for n in range(count)]


async def climb(url: str, pid: int, ladder: Ladder, say: Callable[[str], None]) -> tuple[list[Rung], float | None]:
    """Measure every rung, then cancellation at the middle one; returns the rungs and the share of time given back."""
    limit = max(2 * len(ladder.clients), 2 * max(ladder.clients) * ladder.rounds, _LEAST)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=limit)) as http:
        bench = Bench(http, url, pid, ladder)
        rungs = []
        await bench.closed_loop("sessions", 1)  # unmeasured: caches fill, sockets open
        for clients in ladder.clients:
            for scheme in _schemes(ladder):
                rungs.append(await bench.closed_loop(scheme, clients))
                say(f"{scheme}, {clients} callers: first audio p95 {rungs[-1].first_p95_ms:.0f} ms")
        if ladder.with_poisson:
            peak = max(rung.replies_per_s for rung in rungs if rung.scheme == "sessions")
            for share in POISSON_SHARES:
                for scheme in _schemes(ladder):
                    rungs.append(await bench.poisson(scheme, share * peak, max(1, len(ladder.clients))))
        middle = sorted(ladder.clients)[len(ladder.clients) // 2]
        return rungs, await bench.cancellation(middle, 0.3)


def _schemes(ladder: Ladder) -> Iterator[str]:
    yield "sessions"
    if ladder.with_reference:
        yield "reference"


async def bench_worker(ladder: Ladder, overrides: tuple[str, ...], out_dir: Path) -> int:
    """Climb, print a table, write worker.json and worker.png; 0 always, for a figure is no verdict."""
    console = wide_console()
    console.print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}; {ladder.text}")
    async with worker_stack(out_dir / "logs", ("worker.max_sessions=1000", *overrides)) as stack:
        rungs, given_back = await climb(stack.url, stack.pid("worker"), ladder, console.print)
    print_rungs(console, rungs)
    best = q_max([rung for rung in rungs if rung.scheme == "sessions"], ladder.limit_ms)
    console.print(f"Q_max for a p95 of {ladder.limit_ms:.0f} ms: {best} callers")
    console.print(told_given_back(given_back))
    write_report(out_dir, ladder.limit_ms, best, given_back, rungs)
    return 0
