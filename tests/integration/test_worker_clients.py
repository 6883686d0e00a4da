"""A real worker process and many clients: they vanish in mid-audio, or it is told to stop."""

import asyncio
import json
import socket
import struct

import aiohttp
from websockets.asyncio.client import connect

from media.tts_wire import STREAM_PATH
from tests.rig.worker import WorkerProcess, running_worker

# A minute of tones; far more than the sockets' buffers hold.
LONG = "word " * 900


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
