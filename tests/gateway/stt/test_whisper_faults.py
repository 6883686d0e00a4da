"""What a call hears of its engine's trouble, and how it ends."""

import asyncio

import pytest

from gateway.errors import SttError
from gateway.stt.base import Final, SpeechPaused, SpeechStarted
from gateway.stt.commits import COMMIT_DEADLINE_S
from gateway.stt.whisper_engine import WhisperEngine
from gateway.stt.whisper_jobs import MAX_FINALS_PER_CALL
from tests.gateway.stt.call import Call, call_with
from tests.gateway.stt.workers import JOB_FAILED, FakeWorkers, failing
from tests.rig.clock import run_leaping


def test_a_sound_without_words_is_a_blank_final_and_no_partial() -> None:
    async def scene() -> None:
        async with call_with(FakeWorkers(answer=lambda _: "")) as call:
            await call.speak(0.4)
            await call.silent(0.5)
            call.ears.commit()
            await asyncio.sleep(1)
            assert [type(event) for event in call.said] == [SpeechStarted, SpeechPaused, Final]
            assert call.finals == [""]

    run_leaping(scene())


def test_a_piece_that_failed_in_advance_is_tried_again_at_the_commit() -> None:
    async def scene() -> None:
        async with call_with(FakeWorkers(answer=failing(1, JOB_FAILED))) as call:
            await call.speak(0.4)
            await call.silent(0.5)
            call.ears.commit()
            await asyncio.sleep(1)
            assert len(call.finals) == 1
            assert call.all_of(SttError) == []

    run_leaping(scene())


def test_a_final_that_fails_is_one_error_and_the_next_turn_is_heard() -> None:
    async def scene() -> None:
        async with call_with(FakeWorkers(answer=failing(2, JOB_FAILED))) as call:
            for _ in range(2):
                await call.speak(0.4)
                await call.silent(0.5)
                call.ears.commit()
                await asyncio.sleep(1)
            (error,) = call.all_of(SttError)
            assert isinstance(error, SttError)
            assert error.retryable
            assert len(call.finals) == 1
            assert call.said.index(error) < call.said.index(call.all_of(Final)[0])

    run_leaping(scene())


def test_a_commit_is_answered_though_the_model_never_loads() -> None:
    async def scene() -> None:
        async with call_with(FakeWorkers(loads_s=1000.0)) as call:
            await call.speak(0.4)
            await call.silent(0.5)
            call.ears.commit()
            await asyncio.sleep(COMMIT_DEADLINE_S + 0.1)
            assert [error.code for error in call.all_of(SttError) if isinstance(error, SttError)] == ["stt_overdue"]

    run_leaping(scene())


def test_opening_a_call_while_the_engine_is_down_is_refused() -> None:
    async def scene() -> None:
        engine = WhisperEngine(FakeWorkers(fails_to_start=1000).start)
        engine.start()
        await asyncio.sleep(10)
        with pytest.raises(SttError, match="stt_engine_down"):
            await Call(engine).ears.open()
        await engine.close()

    run_leaping(scene())


def test_many_commits_at_once_are_each_answered_once() -> None:
    async def scene() -> None:
        async with call_with(FakeWorkers(loads_s=9.0)) as call:
            for _ in range(MAX_FINALS_PER_CALL + 2):
                await call.speak(0.4)
                call.ears.commit()
            await asyncio.sleep(15)
            assert len(call.finals) == MAX_FINALS_PER_CALL
            assert len(call.all_of(SttError)) == 2

    run_leaping(scene())


def test_closing_ends_the_events_and_drops_what_waits() -> None:
    async def scene() -> None:
        workers = FakeWorkers(takes_s=1.0)
        async with call_with(workers) as call:
            await call.speak(0.4)
            await call.silent(0.2)
            call.ears.commit()
            await call.ears.close()
            await call.ears.close()
            await asyncio.sleep(3)
            assert call.finals == []

    run_leaping(scene())
