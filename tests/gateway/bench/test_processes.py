"""Facts about processes, checked on this one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from config.errors import ConfigError
from gateway.bench.processes import cpu_seconds, footprint, pin

# A process of its own: in this one, threads of other tests end when they like.
OPENS = """
import socket, sys, threading
print("ready", flush=True)
sys.stdin.readline()
threading.Thread(target=threading.Event().wait, daemon=True).start()
held = open(sys.argv[1], "w"), socket.socket()
print("opened", flush=True)
sys.stdin.readline()
"""


def test_what_a_process_opens_is_seen(tmp_path: Path) -> None:
    command = [sys.executable, "-c", OPENS, str(tmp_path / "file")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        before = footprint(child.pid)
        print(file=child.stdin, flush=True)
        assert child.stdout.readline() == "opened\n"
        now = footprint(child.pid)
        print(file=child.stdin, flush=True)
    assert (now.threads, now.files, now.sockets) == (before.threads + 1, before.files + 1, before.sockets + 1)
    assert now.rss_bytes > 5_000_000


def test_work_costs_time() -> None:
    before_s = cpu_seconds(os.getpid())
    sum(n * n for n in range(2_000_000))
    assert cpu_seconds(os.getpid()) > before_s


@pytest.mark.parametrize("look", [footprint, cpu_seconds])
def test_a_process_that_is_not_there_is_said(look: object) -> None:
    assert callable(look)
    with pytest.raises(ConfigError, match="Linux"):
        look(2**22 + 1)


def test_a_process_may_be_pinned_to_cores() -> None:
    cores = os.sched_getaffinity(0)
    try:
        pin(os.getpid(), {min(cores)})
        assert os.sched_getaffinity(0) == {min(cores)}
    finally:
        os.sched_setaffinity(0, cores)
