"""Threads around queues."""

import asyncio
import threading

import pytest

from tests.tts_worker.gated import WAIT_S
from tts_worker.engine_threads import EngineThreads


async def test_a_thread_does_what_there_is_waits_for_more_and_ends_when_told() -> None:
    changed, queue, done = threading.Condition(), ["a", "b"], threading.Semaphore(0)
    work: list[str] = []

    def do(item: str) -> None:
        work.append(item)
        done.release()

    threads = EngineThreads(changed, pytest.fail)
    threads.start("tts-test", lambda: threads.serve(lambda: queue.pop(0) if queue else None, do))
    for _ in range(2):
        assert await asyncio.to_thread(done.acquire, True, WAIT_S)
    with changed:
        queue.append("c")
        changed.notify_all()
    assert await asyncio.to_thread(done.acquire, True, WAIT_S)
    threads.stop()
    await threads.join()
    assert work == ["a", "b", "c"]
    assert "tts-test" not in {thread.name for thread in threading.enumerate()}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
async def test_a_thread_that_ends_early_says_so() -> None:
    said: list[str] = []

    def duty() -> None:
        raise SystemExit

    threads = EngineThreads(threading.Condition(), said.append)
    threads.start("tts-test", duty)
    await threads.join()
    assert said == ["tts-test ended with SystemExit"]
