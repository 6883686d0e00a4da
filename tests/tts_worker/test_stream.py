"""The socket around a session: refusals, limits of time, and clients that leave or do not read."""

import asyncio
import json

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from media.tts_wire import STREAM_PATH
from tests.rig.worker import serving
from tests.tts_worker.gated import GatedEngine
from tts_worker.app import build_app
from tts_worker.tone import ToneEngine
from tts_worker.worker import WorkerLimits


def url(port: int) -> str:
    return f"ws://127.0.0.1:{port}{STREAM_PATH}"


async def close_of(port: int) -> tuple[int, str]:
    """Return how the worker closes a session that says nothing."""
    async with connect(url(port)) as socket:
        with pytest.raises(ConnectionClosed) as closed:
            await asyncio.wait_for(socket.recv(), 5)
    assert closed.value.rcvd is not None
    return closed.value.rcvd.code, closed.value.rcvd.reason


@pytest.mark.parametrize("authorization", [None, "Bearer wrong", "sesame", "Bearer sésame"])
async def test_without_the_token_there_is_no_session(authorization: str | None) -> None:
    headers = {"Authorization": authorization} if authorization else {}
    async with serving(build_app(ToneEngine(), token="sesame")) as port:
        with pytest.raises(InvalidStatus) as refused:
            await connect(url(port), additional_headers=headers)
        assert refused.value.response.status_code == 401
        async with connect(url(port), additional_headers={"Authorization": "Bearer sesame"}) as socket:
            await socket.send(json.dumps({"text": "Hi."}))
            assert json.loads(await socket.recv())["type"] == "synthesis_start"


async def test_a_draining_worker_takes_no_session() -> None:
    app = build_app(ToneEngine())
    async with serving(app) as port:
        await app.state.worker.drain(1.0)
        with pytest.raises(InvalidStatus) as refused:
            await connect(url(port))
        assert refused.value.response.status_code == 503
        assert refused.value.response.headers["Retry-After"] == "1"
        assert b"another worker" in (refused.value.response.body or b"")


async def test_an_idle_session_is_closed() -> None:
    async with serving(build_app(ToneEngine(), WorkerLimits(idle_s=0.1))) as port:
        assert await close_of(port) == (1000, "idle for too long")


async def test_a_session_ends_when_its_time_is_up() -> None:
    async with serving(build_app(ToneEngine(), WorkerLimits(session_s=0.1))) as port:
        assert await close_of(port) == (1000, "the session's time is up; connect again")


async def test_a_client_that_leaves_stops_its_synthesis_and_frees_its_place() -> None:
    engine = GatedEngine()
    app = build_app(engine, WorkerLimits(max_sessions=1))
    async with serving(app) as port:
        socket = await connect(url(port))
        await socket.send(json.dumps({"text": "word " * 500}))
        await engine.begins()
        await socket.close()
        async with asyncio.timeout(5):
            while app.state.worker.sessions:  # noqa: ASYNC110 - the server notices in its own time
                await asyncio.sleep(0.005)
        engine.open()
        await asyncio.sleep(0.05)
        assert app.state.worker.scheduler.queued_requests == 0
    assert len(engine.spoken) == 1


async def test_a_client_that_does_not_read_is_given_up_and_its_place_freed() -> None:
    app = build_app(ToneEngine(), WorkerLimits(stall_s=0.2))
    async with serving(app) as port:
        socket = await connect(url(port), max_queue=1, close_timeout=0.1, ping_interval=None)
        for _ in range(3):
            await socket.send(json.dumps({"text": "word " * 900}))
        async with asyncio.timeout(5):
            while app.state.worker.sessions:  # noqa: ASYNC110 - nothing is said to a client that does not read
                await asyncio.sleep(0.02)
        await socket.close()
