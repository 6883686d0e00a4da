"""A real worker process and many clients: they vanish in mid-audio, or it is told to stop."""

import asyncio
import json
import socket
import struct
import time
from collections import Counter

import aiohttp
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from media.tts_wire import STREAM_PATH
from tests.rig.worker import WorkerProcess, running_worker

# A minute of tones; far more than the sockets' buffers hold.
LONG = "word " * 900
ENDS = {"synthesis_complete", "cancelled", "error"}


def reset(transport: asyncio.WriteTransport) -> None:
    """Close a socket as a crashed machine's neighbour does: by RST."""
    transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()


async def vanish_from_session(worker: WorkerProcess, after_frames: int) -> None:
    caller = await connect(worker.url + STREAM_PATH, max_queue=1)
    for _ in range(5):
        await caller.send(json.dumps({"text": LONG}))
    for _ in range(after_frames):
        await caller.recv()
    reset(caller.transport)


async def vanish_from_post(worker: WorkerProcess, after_bytes: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", worker.port, limit=1_000)
    body = json.dumps({"text": LONG}).encode()
    writer.write(b"POST /invocations HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    await reader.readexactly(after_bytes)
    reset(writer.transport)


async def served(worker: WorkerProcess) -> int:
    async with aiohttp.ClientSession() as http, http.get(f"http://127.0.0.1:{worker.port}/ping") as answer:
        return int((await answer.json())["sessions"])


def rest_of_log(worker: WorkerProcess) -> list[str]:
    """Every event of the log that is not read yet, when the process has ended."""
    events = []
    while (event := str(worker.log.get(timeout=5)["event"])) != "the process has ended":
        events.append(event)
    return events


async def test_clients_that_vanish_in_mid_audio_leave_no_session_and_nothing_in_the_log() -> None:
    with running_worker() as worker:
        for _ in range(2):
            sessions = (vanish_from_session(worker, n % 5) for n in range(15))
            posts = (vanish_from_post(worker, 1 + 500 * n) for n in range(15))
            await asyncio.gather(*sessions, *posts)
        async with asyncio.timeout(20):
            while await served(worker):  # noqa: ASYNC110 - the server notices in its own time
                await asyncio.sleep(0.05)
        assert await asyncio.to_thread(worker.terminate) == 0
        assert rest_of_log(worker) == ["worker_draining", "worker_drained"]


async def ends_of(worker: WorkerProcess, text: str, times: int, began: asyncio.Semaphore) -> Counter[str]:
    """Ask for a text so many times in one session; return how that ended. `began` is released with every sound."""
    ends: Counter[str] = Counter()
    async with connect(worker.url + STREAM_PATH) as caller:
        for _ in range(times):
            await caller.send(json.dumps({"text": text, "encoding": "ulaw"}))
        try:
            async for frame in caller:
                if isinstance(frame, bytes):
                    began.release()
                    continue
                said = json.loads(frame)
                if said["type"] in ENDS:
                    ends[said.get("code", said["type"])] += 1
        except ConnectionClosed as closed:
            ends[str(closed.rcvd.code if closed.rcvd else 1006)] += 1
    return ends


async def post_status(worker: WorkerProcess, text: str) -> int:
    body = {"text": text, "stream": False}
    async with (
        aiohttp.ClientSession() as http,
        http.post(f"http://127.0.0.1:{worker.port}/invocations", json=body) as answer,
    ):
        return answer.status


@pytest.mark.parametrize(
    ("engine", "text"),
    [
        ("tone", LONG),
        pytest.param("kokoro_onnx", "We are open until six, on Sundays until four.", marks=pytest.mark.models),
    ],
)
async def test_a_signal_amid_more_than_can_be_spoken_answers_each_request_and_ends_the_process(
    engine: str, text: str
) -> None:
    sessions, each = 30, 8
    with running_worker("worker.drain_s=1.0", "worker.threads=1", engine=engine) as worker:
        began = asyncio.Semaphore(0)
        callers = [asyncio.create_task(ends_of(worker, text, each, began)) for _ in range(sessions)]
        posts = [asyncio.create_task(post_status(worker, text)) for _ in range(3)]
        async with asyncio.timeout(120):
            await began.acquire()
        signalled_s = time.monotonic()
        code = await asyncio.to_thread(worker.terminate, 60)
        took_s = time.monotonic() - signalled_s
        ends, statuses = await asyncio.gather(asyncio.gather(*callers), asyncio.gather(*posts))
        log = rest_of_log(worker)
    assert code == 0
    assert took_s < 1.0 + 9.0  # as long behind drain_s as SageMaker leaves
    assert all(end.pop("1012") == 1 for end in ends)
    assert {end.total() for end in ends} == {each}
    assert set(sum(ends, Counter())) <= {"synthesis_complete", "busy"}
    assert sum(ends, Counter())["busy"]
    assert set(statuses) <= {200, 503}
    assert log == ["worker_draining", "worker_drained"]
