"""The client against a real worker process over loopback, and against servers that misbehave."""

import asyncio
import gc
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import psutil
import pytest
import structlog
from aiohttp import web

from gateway.errors import TtsError
from gateway.tts.base import SpeechDone
from gateway.tts.session import SpeechTiming
from gateway.tts.websocket import WebSocketSpeech
from tests.rig.speech_pair import audio_of, collect, tone_of
from tests.rig.worker import WorkerProcess, running_worker

SHORT = SpeechTiming(connect_s=1.0, give_up_s=0.5, stall_s=5.0)


@pytest.fixture(scope="module")
def worker() -> Iterator[WorkerProcess]:
    with running_worker("worker.token=sesame") as process:
        yield process


@asynccontextmanager
async def speech(url: str, token: str = "sesame", rate_hz: int = 24_000) -> AsyncIterator[WebSocketSpeech]:
    factory = WebSocketSpeech(url, token, rate_hz, timing=SHORT)
    try:
        yield factory
    finally:
        await factory.close()


@asynccontextmanager
async def server(status: int) -> AsyncIterator[str]:
    """A server that answers everything with `status`."""

    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=status)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    assert site._server is not None
    try:
        yield f"ws://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@pytest.mark.parametrize("rate_hz", [24_000, 16_000, 8_000])
async def test_a_sentence_arrives_whole_at_every_rate(worker: WorkerProcess, rate_hz: int) -> None:
    async with speech(worker.url, rate_hz=rate_hz) as factory:
        session = factory.session("af_heart", "en", 1.0)
        assert session.rate_hz == rate_hz
        await session.open()
        session.speak("Good morning, how can I help you?")
        events = await collect(session, ends=1, timeout_s=10)
        await session.close()
        expected = tone_of("Good morning, how can I help you?")
        assert len(audio_of(events, 1)) == len(expected) * rate_hz // 24_000
        if rate_hz == 24_000:
            assert audio_of(events, 1) == expected


async def test_the_factory_knows_whether_the_worker_is_ready(worker: WorkerProcess) -> None:
    async with speech(worker.url) as factory:
        assert await factory.ready()
    async with speech(f"{worker.url}/") as factory:
        assert await factory.ready()
        assert await factory.ready()
    async with server(503) as url, speech(url) as factory:
        assert not await factory.ready()
    async with speech("ws://127.0.0.1:1") as factory:
        assert not await factory.ready()


async def test_a_wrong_token_is_said_at_once(worker: WorkerProcess) -> None:
    async with speech(worker.url, token="wrong") as factory:
        with pytest.raises(TtsError) as caught:
            await factory.session("af_heart", "en", 1.0).open()
    assert caught.value.code == "worker_refused"
    assert not caught.value.retryable
    assert caught.value.detail == f"{worker.url} answers HTTP 401; set tts.token to its worker.token"


async def test_an_absent_worker_is_said_once_for_all_sessions_with_place_and_remedy() -> None:
    with structlog.testing.capture_logs() as lines:
        async with speech("ws://user:secret@127.0.0.1:1") as factory:
            for _ in range(2):
                session = factory.session("af_heart", "en", 1.0)
                with pytest.raises(TtsError, match="worker_unreachable"):
                    await session.open()
                await session.close()
    (line,) = lines
    assert line["event"] == "tts_worker_away"
    assert "no worker at ws://127.0.0.1:1 (" in line["error"]
    assert "start one there (voicebot worker) or correct tts.url" in line["error"]


async def test_a_worker_that_is_busy_or_absent_is_tried_until_the_bound() -> None:
    async with server(503) as url, speech(url) as factory:
        with pytest.raises(TtsError, match="worker_unreachable"):
            await factory.session("af_heart", "en", 1.0).open()
    async with speech("ws://127.0.0.1:1") as factory:
        with pytest.raises(TtsError, match="worker_unreachable"):
            await factory.session("af_heart", "en", 1.0).open()


async def test_two_calls_at_once_hear_only_themselves(worker: WorkerProcess) -> None:
    """F-36."""
    async with speech(worker.url) as factory:
        calls = {voice: factory.session(voice, "en", 1.0) for voice in ("low", "high")}
        for session in calls.values():
            await session.open()
            for n in range(10):
                session.speak(f"This is sentence {n}.")
        heard = await asyncio.gather(*(collect(session, ends=10, timeout_s=10) for session in calls.values()))
        for session in calls.values():
            await session.close()
    for voice, events in zip(calls, heard, strict=True):
        for n in range(10):
            assert audio_of(events, n + 1) == tone_of(f"This is sentence {n}.", voice)


async def test_start_and_cancel_two_hundred_times_leaks_nothing(worker: WorkerProcess) -> None:
    """F-103: at neither end."""
    server_process, here = psutil.Process(worker.pid), psutil.Process()
    async with speech(worker.url) as factory:
        session = factory.session("af_heart", "en", 1.0)
        await session.open()
        tasks, files = (
            len(asyncio.all_tasks()),
            (here.num_fds(), server_process.num_fds(), server_process.num_threads()),
        )
        for n in range(200):
            session.speak(f"Sentence {n} that nobody will hear to its end. " * 5)
            if n % 3:
                await asyncio.sleep(0.001)
            session.cancel()
        session.speak("Done.")
        events = await collect(session, ends=1, timeout_s=10)
        assert {event.request_id for event in events} == {201}
        assert audio_of(events, 201) == tone_of("Done.")
        gc.collect()
        assert len(asyncio.all_tasks()) == tasks
        after = (here.num_fds(), server_process.num_fds(), server_process.num_threads())
        assert all(now <= before for now, before in zip(after, files, strict=True)), (after, files)
        await session.close()


async def test_a_closed_session_leaves_no_task_and_no_socket(worker: WorkerProcess) -> None:
    here = psutil.Process()
    tasks, files = asyncio.all_tasks(), here.num_fds()
    async with speech(worker.url) as factory:
        for _ in range(5):
            session = factory.session("af_heart", "en", 1.0)
            await session.open()
            session.speak("Never mind.")
            await session.close()
    assert asyncio.all_tasks() == tasks
    assert here.num_fds() <= files


async def test_silence_costs_no_time(worker: WorkerProcess) -> None:
    """F-93."""
    async with speech(worker.url) as factory:
        session = factory.session("af_heart", "en", 1.0)
        await session.open()
        session.speak("… 👍")
        events = await collect(session, ends=1, timeout_s=2)
        await session.close()
    assert events[-1] == SpeechDone(1, 0)
