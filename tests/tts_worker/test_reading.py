import asyncio

import pytest

from media.tts_wire import ErrorCode
from tests.rig.speech_pair import tone_of
from tests.tts_worker.gated import GatedEngine
from tests.tts_worker.test_scheduler import running
from tts_worker.reading import Reading, SpeechBroken
from tts_worker.request import Delivery, SpeechRequest


def asked(text: str) -> SpeechRequest:
    return SpeechRequest(text, Delivery())


async def all_of(reading: Reading) -> bytes:
    audio = b""
    while part := await reading.next():
        audio += part
    return audio


async def test_it_is_read_to_its_end() -> None:
    engine = GatedEngine()
    engine.open()
    async with running(engine) as scheduler:
        assert await all_of(Reading(scheduler, asked("word " * 60), 24_000)) == tone_of("word " * 60)


async def test_a_failure_comes_after_what_was_spoken_before_it() -> None:
    engine = GatedEngine()
    engine.open()
    async with running(engine) as scheduler:
        reading = Reading(scheduler, asked("word " * 24 + "broken"), 24_000)
        assert await reading.next() == tone_of("word " * 24)
        with pytest.raises(SpeechBroken) as broken:
            await reading.next()
    assert broken.value.code is ErrorCode.ENGINE_FAILED


async def test_a_reading_that_is_cut_is_refused_and_not_spoken_further() -> None:
    engine = GatedEngine()
    async with running(engine) as scheduler:
        reading = Reading(scheduler, asked("word " * 500), 24_000)
        await engine.begins()
        reading.cut()
        with pytest.raises(SpeechBroken) as broken:
            await reading.next()
        engine.open()
        await asyncio.sleep(0.05)
    assert broken.value.code is ErrorCode.BUSY
    assert len(engine.spoken) == 1


async def test_an_abandoned_reading_ends_and_is_not_spoken_further() -> None:
    engine = GatedEngine()
    async with running(engine) as scheduler:
        reading = Reading(scheduler, asked("word " * 500), 24_000)
        await engine.begins()
        reading.abandon()
        reading.abandon()
        assert await all_of(reading) == b""
        engine.open()
        await asyncio.sleep(0.05)
        assert scheduler.queued_requests == 0
    assert len(engine.spoken) <= 1
