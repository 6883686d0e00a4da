"""What the worker's requests share."""

import asyncio

import pytest

from tests.rig.clock import run_leaping
from tts_worker.outbox import Close
from tts_worker.request import Delivery, RequestReader
from tts_worker.scheduler import Scheduler
from tts_worker.tone import ToneEngine
from tts_worker.worker import Worker, WorkerLimits


def worker(token: str = "") -> Worker:
    engine = ToneEngine()
    reader = RequestReader(engine.voices, engine.languages, lambda: 0.0)
    return Worker(engine, Scheduler(engine), reader, Delivery(), WorkerLimits(), token)


class Stubborn:
    """Ends when it likes."""

    def __init__(self) -> None:
        self.asked: list[Close] = []
        self.cut_s: list[float] = []

    def finish(self, close: Close) -> None:
        self.asked.append(close)

    def cut(self) -> None:
        self.cut_s.append(asyncio.get_running_loop().time())


@pytest.mark.parametrize(
    ("token", "header", "welcome"),
    [
        ("", "", True),
        ("", "Bearer anything", True),
        ("sesame", "Bearer sesame", True),
        ("sesame", "bearer sesame", False),
        ("sesame", "", False),
        ("sésame", "Bearer sésame", True),
    ],
)
def test_only_the_exact_token_is_welcome(token: str, header: str, welcome: bool) -> None:
    assert worker(token).is_authorised(header) is welcome


def test_a_drain_asks_everybody_to_finish_and_returns_when_they_have() -> None:
    async def call() -> None:
        busy, patient = worker(), Stubborn()
        busy.enter(patient)
        drain = asyncio.create_task(busy.drain(20.0))
        await asyncio.sleep(3.0)
        assert [close.code for close in patient.asked] == [1012]
        assert not drain.done()
        busy.leave(patient)
        await drain
        assert asyncio.get_running_loop().time() == 3.0
        assert patient.cut_s == []

    run_leaping(call())


def test_a_drain_cuts_at_its_bound_and_waits_no_longer_than_for_last_words() -> None:
    async def call() -> None:
        busy, stubborn = worker(), Stubborn()
        busy.enter(stubborn)
        await busy.drain(20.0)
        assert stubborn.cut_s == [20.0]
        assert asyncio.get_running_loop().time() == 23.0
        assert "stopping" in busy.admits()

    run_leaping(call())


def test_nobody_is_admitted_before_the_engine_is_ready() -> None:
    assert "not ready" in worker().admits()
    assert not worker().ready
