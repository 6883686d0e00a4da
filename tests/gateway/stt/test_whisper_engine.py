import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from gateway.errors import SttError
from gateway.stt.whisper_engine import JOB_DEADLINE_S, WhisperEngine, WorkerLost
from gateway.stt.whisper_jobs import Job, Purpose
from gateway.stt.whisper_wire import Transcript
from tests.gateway.stt.workers import DIED, JOB_FAILED, FakeWorkers, failing
from tests.rig.clock import run_leaping

TENTH = b"\1" * 3200


@asynccontextmanager
async def engine_of(workers: FakeWorkers) -> AsyncIterator[WhisperEngine]:
    engine = WhisperEngine(workers.start)
    engine.start()
    yield engine
    await engine.close()
    assert workers.running == 0


def ask(
    engine: WhisperEngine, audio: bytes = TENTH, purpose: Purpose = Purpose.FINAL, owner: object = "call"
) -> asyncio.Future[Transcript | SttError]:
    answer: asyncio.Future[Transcript | SttError] = asyncio.get_running_loop().create_future()
    engine.submit(Job(owner, purpose, "en", lambda: audio, answer.set_result))
    return answer


async def code_of(answer: asyncio.Future[Transcript | SttError]) -> str:
    outcome = await answer
    return outcome.code if isinstance(outcome, SttError) else outcome.text


def now_s() -> float:
    return asyncio.get_running_loop().time()


def test_jobs_submitted_before_the_model_is_loaded_are_answered_afterwards() -> None:
    async def scene() -> None:
        async with engine_of(FakeWorkers(loads_s=5.0)) as engine:
            answer = ask(engine)
            await asyncio.sleep(1)
            assert not engine.ready
            assert await answer == Transcript("1", "en", 0.2)
            assert engine.ready
            assert now_s() == pytest.approx(5.2)

    run_leaping(scene())


def test_starting_twice_runs_one_process() -> None:
    async def scene() -> None:
        workers = FakeWorkers()
        async with engine_of(workers) as engine:
            engine.start()
            await ask(engine)
            assert workers.started == 1

    run_leaping(scene())


def test_audio_is_asked_for_when_the_job_is_taken_up() -> None:
    async def scene() -> None:
        async with engine_of(FakeWorkers(takes_s=1.0)) as engine:
            first = ask(engine)
            grown = bytearray(TENTH)
            second: asyncio.Future[Transcript | SttError] = asyncio.get_running_loop().create_future()
            engine.submit(Job("other", Purpose.PARTIAL, "en", lambda: bytes(grown), second.set_result))
            await asyncio.sleep(0.5)
            grown += TENTH
            await first
            assert await code_of(second) == "2"

    run_leaping(scene())


def test_partials_take_at_most_half_of_the_engine() -> None:
    async def scene() -> None:
        workers = FakeWorkers(takes_s=0.4)
        async with engine_of(workers) as engine:
            while now_s() < 8.0:
                await ask(engine, purpose=Purpose.PARTIAL)
            assert len(workers.heard) * 0.4 <= 4.5

    run_leaping(scene())


def test_a_final_does_not_wait_for_the_rest_after_a_partial() -> None:
    async def scene() -> None:
        async with engine_of(FakeWorkers(takes_s=0.4)) as engine:
            await ask(engine, purpose=Purpose.PARTIAL)
            waiting_partial = ask(engine, purpose=Purpose.PARTIAL)
            await asyncio.sleep(0.1)
            asked_s = now_s()
            await ask(engine)
            assert now_s() - asked_s == pytest.approx(0.4)
            await waiting_partial

    run_leaping(scene())


def test_a_hastened_job_overtakes() -> None:
    async def scene() -> None:
        workers = FakeWorkers()
        async with engine_of(workers) as engine:
            ask(engine)
            await asyncio.sleep(0.1)
            ask(engine, b"\2\2", Purpose.PAUSE, "first")
            answer: asyncio.Future[Transcript | SttError] = asyncio.get_running_loop().create_future()
            job = Job("second", Purpose.PAUSE, "en", lambda: b"\3\3", answer.set_result)
            engine.submit(job)
            engine.hasten(job)
            await answer
            assert workers.heard[:2] == [TENTH, b"\3\3"]

    run_leaping(scene())


def test_dropped_jobs_are_not_run() -> None:
    async def scene() -> None:
        workers = FakeWorkers()
        async with engine_of(workers) as engine:
            engine.submit(Job("gone", Purpose.FINAL, "en", lambda: b"\2\2", lambda _: None))
            engine.drop("gone", finals=True)
            await ask(engine)
            assert workers.heard == [TENTH]

    run_leaping(scene())


def test_a_job_that_fails_is_answered_and_the_process_stays() -> None:
    async def scene() -> None:
        workers = FakeWorkers(answer=failing(1, JOB_FAILED))
        async with engine_of(workers) as engine:
            assert await code_of(ask(engine)) == "stt_job_failed"
            assert await code_of(ask(engine)) == "1"
            assert workers.started == 1

    run_leaping(scene())


def test_a_job_whose_process_died_is_tried_once_more_in_a_new_one() -> None:
    async def scene() -> None:
        workers = FakeWorkers(answer=failing(1, DIED))
        async with engine_of(workers) as engine:
            assert await code_of(ask(engine)) == "1"
            assert workers.started == 2

    run_leaping(scene())


def test_a_job_that_kills_every_process_is_given_up_and_the_next_is_served() -> None:
    async def scene() -> None:
        async with engine_of(FakeWorkers(answer=failing(2, DIED))) as engine:
            poison, fine = ask(engine), ask(engine, owner="other")
            assert await code_of(poison) == "stt_process_died"
            assert await code_of(fine) == "1"

    run_leaping(scene())


def test_a_job_that_hangs_fails_once_at_the_deadline_and_the_process_is_replaced() -> None:
    async def scene() -> None:
        workers = FakeWorkers(takes_s=1000.0)
        async with engine_of(workers) as engine:
            assert await code_of(ask(engine)) == "stt_timeout"
            assert now_s() == pytest.approx(JOB_DEADLINE_S)
            workers.takes_s = 0.2
            assert await code_of(ask(engine)) == "1"
            assert (workers.started, len(workers.heard)) == (2, 2)

    run_leaping(scene())


def test_an_engine_that_cannot_start_refuses_what_waits_and_what_comes() -> None:
    async def scene() -> None:
        async with engine_of(FakeWorkers(fails_to_start=1000)) as engine:
            waiting = ask(engine)
            outcome = await waiting
            assert isinstance(outcome, SttError)
            assert (outcome.code, outcome.retryable) == ("stt_engine_down", False)
            assert engine.down
            assert now_s() < 2.0
            assert await code_of(ask(engine)) == "stt_engine_down"

    run_leaping(scene())


def test_an_engine_that_comes_up_again_serves_later_calls() -> None:
    async def scene() -> None:
        async with engine_of(FakeWorkers(fails_to_start=6)) as engine:
            await asyncio.sleep(60)
            assert engine.ready
            assert not engine.down
            assert await code_of(ask(engine)) == "1"

    run_leaping(scene())


def test_restarts_slow_down_to_a_bound() -> None:
    async def scene() -> None:
        workers = FakeWorkers(fails_to_start=1000)
        async with engine_of(workers):
            await asyncio.sleep(600)
            assert 20 <= workers.started <= 30

    run_leaping(scene())


@pytest.mark.parametrize("after_s", [0.0, 0.5, 1.1, 5.0])
def test_close_ends_everything_whatever_is_going_on(after_s: float) -> None:
    async def scene() -> None:
        workers = FakeWorkers(loads_s=1.0)
        async with engine_of(workers) as engine:
            answer = ask(engine)
            await asyncio.sleep(after_s)
            await engine.close()
            assert answer.done() is (after_s > 1.2)

    run_leaping(scene())


def test_closing_an_engine_that_never_started_is_nothing() -> None:
    async def scene() -> None:
        engine = WhisperEngine(FakeWorkers().start)
        await engine.close()

    run_leaping(scene())


def test_a_lost_worker_keeps_its_code() -> None:
    assert (WorkerLost("stt_protocol", "why").code, WorkerLost("stt_protocol", "why").detail) == ("stt_protocol", "why")
