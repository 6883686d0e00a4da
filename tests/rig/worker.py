"""A real TTS worker on a free loopback port: its own process, or an application inside the test's loop."""

import asyncio
import json
import os
import queue
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

import uvicorn
from starlette.applications import Starlette

# A worker with the tone engine listens within a second, one with Kokoro within ten; a loaded machine may need many.
START_S = 120.0
STOP_S = 10.0
_EXITED = "the process has ended"


@dataclass(slots=True)
class WorkerProcess:
    """`url` is what the gateway's tts.url wants; `port` its port. Everything the worker logs is in `log`."""

    process: subprocess.Popen[str]
    port: int
    log: "queue.Queue[dict[str, Any]]"

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        return self.process.pid

    def wait_for(self, event: str, timeout_s: float = START_S) -> dict[str, Any]:
        """Return the next logged line of that event; queue.Empty when it does not come or the process ends."""
        while True:
            line = self.log.get(timeout=timeout_s)
            if line.get("event") == event:
                return line
            if line.get("event") == _EXITED:
                raise queue.Empty

    def kill(self) -> None:
        """End it as a crash does; nothing is drained."""
        self.process.kill()
        self.process.wait(STOP_S)

    def terminate(self, timeout_s: float = STOP_S) -> int:
        """Send SIGTERM and return the exit code."""
        self.process.terminate()
        return self.process.wait(timeout_s)


WORKER = ("-m", "tts_worker")


def start_worker(
    *settings: str, port: int = 0, engine: str = "tone", ready: bool = True, program: Sequence[str] = WORKER
) -> WorkerProcess:
    """Start `python -m tts_worker` with `section.key=value` settings; it is listening, and warm if `ready`.

    `program` may be another that takes the same arguments. The caller ends it. RuntimeError with what it said when it
    does not start.
    """
    given = [f"worker.port={port}", f"worker.engine={engine}", "log.format=json", *settings]
    command = [sys.executable, *program, "serve", *(part for s in given for part in ("--set", s))]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"})
    log: queue.Queue[dict[str, Any]] = queue.Queue()
    threading.Thread(target=collect_log, args=(process, log), daemon=True).start()
    worker = WorkerProcess(process, 0, log)
    try:
        worker.port = int(worker.wait_for("worker_listening")["port"])
        if ready:
            worker.wait_for("engine_ready")
    except (queue.Empty, KeyError) as error:
        process.kill()
        raise RuntimeError(f"the worker did not start (exit code {process.wait(STOP_S)})") from error
    return worker


@contextmanager
def running_worker(
    *settings: str, port: int = 0, engine: str = "tone", program: Sequence[str] = WORKER
) -> Iterator[WorkerProcess]:
    """A worker for the time of a test."""
    worker = start_worker(*settings, port=port, engine=engine, program=program)
    try:
        yield worker
    finally:
        if worker.process.poll() is None:
            worker.kill()


def collect_log(process: "subprocess.Popen[str]", log: "queue.Queue[dict[str, Any]]") -> None:
    """Put every line the process writes to stderr on `log`, parsed where it is JSON, until the process ends."""
    assert process.stderr is not None
    for line in process.stderr:
        try:
            log.put(json.loads(line))
        except ValueError:
            log.put({"event": line.rstrip()})
    log.put({"event": _EXITED})


@asynccontextmanager
async def serving(app: Starlette, *, warm: bool = True) -> AsyncIterator[int]:
    """Serve a worker application in this loop; gives the port once it listens and its engine is `warm`."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_config=None, ws_per_message_deflate=False)
    config.load()
    server = uvicorn.Server(config)  # its serve() would take the signals of the test process and look up every 0.1 s
    server.lifespan = config.lifespan_class(config)
    await server.startup(sockets=[listener])
    try:
        if warm:
            await app.state.worker.scheduler.warmed_up
        yield listener.getsockname()[1]
    finally:
        for accepting in server.servers:
            accepting.close()
        for connection in list(server.server_state.connections):
            connection.shutdown()
        if server.server_state.tasks:
            await asyncio.wait(server.server_state.tasks, timeout=STOP_S)
        await server.lifespan.shutdown()
