"""Replicas of the worker behind Ray Serve, as real processes on a free loopback port."""

import os
import queue
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import psutil

from gateway.commands.stack import free_port
from tests.rig.worker import WorkerProcess, collect_log

# Ray starts half a dozen processes, each importing all of it, on a machine that may be busy.
START_S = 120.0
STOP_S = 60.0
_ASK_EVERY_S = 0.25


@contextmanager
def running_replicas(*settings: str, count: int = 2) -> Iterator[WorkerProcess]:
    """`count` replicas for the time of a test, all of them warm; queue.Empty when they do not start."""
    port = free_port()
    given = [f"worker.port={port}", f"worker.ray.min_replicas={count}", "worker.ray.cpus=0.5", "log.format=json"]
    command = [sys.executable, "-m", "tts_worker.ray_serve"]
    command += [part for setting in (*given, *settings) for part in ("--set", setting)]
    # Ray tells the driver what its processes say on stdout; nobody reads it.
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    replicas = WorkerProcess(process, port, queue.Queue())
    threading.Thread(target=collect_log, args=(process, replicas.log), daemon=True).start()
    try:
        replicas.wait_for("ray_serve_ready", START_S)
        yield replicas
    finally:
        process.terminate()
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            for child in psutil.Process(process.pid).children(recursive=True):
                with suppress(psutil.Error):
                    child.kill()
            process.kill()
            process.wait(STOP_S)


def replica_pids(replicas: WorkerProcess) -> list[int]:
    """The replicas' processes, oldest first."""
    found = [child for child in psutil.Process(replicas.pid).children(recursive=True) if _is_replica(child)]
    return [child.pid for child in sorted(found, key=lambda child: child.create_time())]


def answers(replicas: WorkerProcess) -> bool:
    """Whether a replica answers a ping."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{replicas.port}/ping", timeout=2.0) as answer:
            return bool(answer.status == 200)
    except OSError:  # refused, or an HTTPError
        return False


def until(reached: Callable[[], bool], timeout_s: float) -> None:
    """Return when `reached`; TimeoutError when that takes longer than `timeout_s`."""
    ends_s = time.monotonic() + timeout_s
    while not reached():
        if time.monotonic() > ends_s:
            raise TimeoutError(f"not reached in {timeout_s:.0f} s")
        time.sleep(_ASK_EVERY_S)


def _is_replica(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return "ServeReplica" in " ".join(process.cmdline())
    return False
