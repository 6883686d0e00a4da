"""Several calls on one engine."""

import asyncio

from gateway.stt.whisper_engine import WhisperEngine
from tests.gateway.stt.call import Call
from tests.gateway.stt.workers import FakeWorkers
from tests.rig.clock import run_leaping


def test_a_commit_goes_before_the_pauses_of_other_calls() -> None:
    async def scene() -> None:
        workers = FakeWorkers(loads_s=5.0)
        engine = WhisperEngine(workers.start)
        patient, urgent = Call(engine), Call(engine)
        for call, duration_s in ((patient, 1.0), (urgent, 2.0)):
            await call.open()
            await call.speak(duration_s)
            await call.silent(0.4)
        urgent.ears.commit()
        await asyncio.sleep(5)
        assert [len(pcm) > 32_000 * 1.5 for pcm in workers.heard] == [True, False]
        for call in (patient, urgent):
            await call.close()
        await engine.close()

    run_leaping(scene())


def test_calls_share_the_engine_and_are_all_answered() -> None:
    async def scene() -> None:
        workers = FakeWorkers(takes_s=0.1)
        engine = WhisperEngine(workers.start)
        calls = [Call(engine) for _ in range(5)]

        async def turn(call: Call) -> None:
            await call.open()
            await call.speak(1.0)
            await call.silent(0.5)
            call.ears.commit()
            await asyncio.sleep(1)
            await call.close()

        await asyncio.gather(*map(turn, calls))
        await engine.close()
        assert [len(call.finals) for call in calls] == [1] * 5
        assert workers.started == 1

    run_leaping(scene())
