import asyncio

import aiohttp
import pytest

from gateway.bench.worker_clients import ReferenceCaller, SessionCaller
from tests.rig.worker import serving
from tests.tts_worker.gated import GatedEngine
from tts_worker.app import build_app
from tts_worker.tone import ToneEngine
from tts_worker.worker import WorkerLimits


async def test_both_callers_hear_all_of_a_reply() -> None:
    async with serving(build_app(ToneEngine())) as port, aiohttp.ClientSession() as http:
        url = f"http://127.0.0.1:{port}"
        session, reference = SessionCaller(http, url), ReferenceCaller(http, url, asyncio.Lock())
        await session.open()
        by_session, by_reference = (
            await session.ask(["Hello.", "Good bye."]),
            await reference.ask(["Hello.", "Good bye."]),
        )
        await session.close()
    assert by_session.audio_s == pytest.approx(15 * 0.06)
    assert by_reference.audio_s == pytest.approx(16 * 0.06)  # one text, with a space between its sentences
    assert by_session.first_s <= by_session.last_s
    assert by_reference.first_s == by_reference.last_s
    assert by_session.failed == by_reference.failed == ""


async def test_an_interrupted_reply_ends_early() -> None:
    engine = GatedEngine()
    engine.gate.release(1)
    async with serving(build_app(engine)) as port, aiohttp.ClientSession() as http:
        caller = SessionCaller(http, f"http://127.0.0.1:{port}")
        await caller.open()
        answer = await caller.ask(["word " * 24, "word " * 240], cancel_after_s=0.0)
        engine.open()
        await caller.close()
    assert 0 < answer.audio_s < 24 * 5 * 0.06 + 1
    assert len(engine.spoken) <= 2


async def test_refusals_are_counted_and_not_raised() -> None:
    engine = GatedEngine()
    async with serving(build_app(engine, WorkerLimits(max_queued=1))) as port, aiohttp.ClientSession() as http:
        url = f"http://127.0.0.1:{port}"
        session = SessionCaller(http, url)
        await session.open()
        busy = asyncio.create_task(session.ask(["One.", "Two."]))
        await engine.begins()
        assert (await ReferenceCaller(http, url, asyncio.Lock()).ask(["Three."])).failed == "503"
        engine.open()
        assert (await busy).failed == "busy"
        await session.close()
