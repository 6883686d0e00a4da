"""A real gateway process with real worker processes: calls over sockets, a worker's death, and nothing left behind."""

import asyncio
import json
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from gateway.bench.processes import Footprint, footprint
from gateway.commands.stack import Stack, free_port, loadtest_stack
from gateway.simulator.report import CallReport
from gateway.simulator.run import Target, place_call
from gateway.simulator.script import Manners
from tests.rig.call import sound
from tests.rig.worker import WorkerProcess, running_worker, start_worker

SHORT = ("bot.greeting=Hi.", 'llm.scripted.replies=["Yes."]', "turn.end_silence_ms=300")
BRISK = Manners(quiet_s=0.3, greeting_s=0.3, reply_s=8.0)
SENTENCES = [f"This is sentence number {n}." for n in ("one", "two", "three", "four")]


async def one_call(url: str, manners: Manners = BRISK) -> CallReport:
    return await place_call([sound(0.4)], Target(url), manners=manners)


async def settled(pid: int, baseline: Footprint, within_s: float = 8.0) -> Footprint:
    """What the process holds once it is back at its baseline, or still holds at the end of patience."""
    for _ in range(round(within_s / 0.1)):
        now = footprint(pid)
        if (now.threads, now.files, now.sockets) <= (baseline.threads, baseline.files, baseline.sockets):
            return now
        await asyncio.sleep(0.1)
    return footprint(pid)


async def calls_leave_nothing(log_dir: Path, rounds: int, at_once: int) -> None:
    async with loadtest_stack(log_dir, SHORT) as stack:
        pids = [stack.pid(name) for name in ("gateway", "worker")]
        await asyncio.gather(*(one_call(stack.url) for _ in range(at_once)))
        await asyncio.sleep(1.5)
        before = [footprint(pid) for pid in pids]
        for _ in range(rounds):
            reports = await asyncio.gather(*(one_call(stack.url) for _ in range(at_once)))
            assert [report.answered for report in reports] == [1] * at_once
            assert all(report.trace.violations == () for report in reports)
        for pid, baseline in zip(pids, before, strict=True):
            after = await settled(pid, baseline)
            assert after.threads <= baseline.threads
            assert after.files <= baseline.files
            assert after.sockets <= baseline.sockets
            assert after.rss_bytes <= baseline.rss_bytes + 8_000_000
    assert "Traceback" not in _logs(log_dir)


def _logs(log_dir: Path) -> str:
    return "".join(path.read_text("utf-8") for path in log_dir.glob("*.log"))


async def test_five_calls_leave_nothing_behind(tmp_path: Path) -> None:
    await calls_leave_nothing(tmp_path, rounds=1, at_once=5)


@pytest.mark.soak
@pytest.mark.timeout(600)
async def test_fifty_calls_one_after_another_leave_nothing_behind(tmp_path: Path) -> None:
    await calls_leave_nothing(tmp_path, rounds=50, at_once=1)


@asynccontextmanager
async def gateway_for(worker: WorkerProcess, log_dir: Path, *settings: str) -> AsyncIterator[Stack]:
    port = free_port()
    given = (f"server.port={port}", f"tts.url={worker.url}", "log.level=warning", "turn.end_silence_ms=300", *settings)
    command = ["gateway", "serve", "--profile", "loadtest", *(part for each in given for part in ("--set", each))]
    async with Stack({"gateway": command}, f"http://127.0.0.1:{port}", log_dir) as stack:
        yield stack


async def _turns(url: str, call_id: str) -> list[dict[str, Any]]:
    async with aiohttp.ClientSession() as http, http.get(f"{url}/calls/{call_id}") as answer:
        turns: list[dict[str, Any]] = (await answer.json())["turns"]
        return turns


def _slow_reply() -> tuple[str, ...]:
    # A word each fifth of a second: while the first sentence sounds, the others have not been asked for.
    reply = json.dumps([" ".join(SENTENCES)])
    return ("bot.greeting=", f"llm.scripted.replies={reply}", "llm.scripted.tokens_per_s=5")


async def test_f37_a_worker_that_dies_in_mid_reply_is_waited_for_and_then_answered_for(tmp_path: Path) -> None:
    await asyncio.gather(_dies_and_returns(tmp_path / "returns"), _dies_and_stays_away(tmp_path / "stays away"))


async def _dies_and_returns(log_dir: Path) -> None:
    """No sentence is lost, and nothing is left."""
    with running_worker() as worker:
        async with gateway_for(worker, log_dir, *_slow_reply()) as stack:
            before = footprint(stack.pid("gateway"))
            call = asyncio.create_task(one_call(stack.url, Manners(quiet_s=2.0, greeting_s=0.3, reply_s=10.0)))
            await asyncio.sleep(2.6)
            worker.kill()
            second = await asyncio.to_thread(start_worker, port=worker.port)
            try:
                report = await call
                (turn,) = await _turns(stack.url, report.call_id)
                assert turn["failure"] == ""
                assert turn["heard_text"] == " ".join(SENTENCES)
                after = await settled(stack.pid("gateway"), before)
                assert (after.threads, after.files) <= (before.threads, before.files)
            finally:
                second.kill()
    assert "Traceback" not in _logs(log_dir)


async def _dies_and_stays_away(log_dir: Path) -> None:
    """The caller hears the fallback, and the gateway is not ready."""
    with running_worker() as worker:
        async with gateway_for(worker, log_dir, *_slow_reply(), "tts.give_up_s=0.5", "bot.fallback=Sorry?") as stack:
            call = asyncio.create_task(one_call(stack.url, Manners(quiet_s=2.0, greeting_s=0.3, reply_s=10.0)))
            await asyncio.sleep(2.6)
            worker.kill()
            report = await call
            (turn,) = await _turns(stack.url, report.call_id)
            assert turn["failure"].startswith("worker_")
            assert turn["heard_text"].startswith(SENTENCES[0][:20])
            assert turn["heard_text"].endswith("Sorry?")
            async with aiohttp.ClientSession() as http, http.get(f"{stack.url}/readyz") as answer:
                assert (answer.status, (await answer.json())["tts"]) == (503, False)
    assert "Traceback" not in _logs(log_dir)


async def test_f114_a_terminated_gateway_lets_its_call_finish_and_ends_with_success(tmp_path: Path) -> None:
    async with loadtest_stack(tmp_path, (*SHORT, "server.drain_s=10.0")) as stack:
        call = asyncio.create_task(one_call(stack.url))
        await asyncio.sleep(0.5)
        process = stack._processes["gateway"]
        process.send_signal(signal.SIGTERM)
        await asyncio.sleep(0.1)
        async with aiohttp.ClientSession() as http, http.get(f"{stack.url}/readyz") as answer:
            assert answer.status == 503
        report = await call
        assert report.trace.ended_by == "caller"
        assert report.answered == 1
        began = time.monotonic()
        assert await asyncio.wait_for(process.wait(), 10.0) == 0
        assert time.monotonic() - began < 5.0
    assert "Traceback" not in _logs(tmp_path)
