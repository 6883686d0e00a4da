"""Facts about processes, checked on this one."""

import os
import socket
import threading
from pathlib import Path

import pytest

from config.errors import ConfigError
from gateway.bench.processes import cpu_seconds, footprint, pin


def test_what_a_process_opens_is_seen(tmp_path: Path) -> None:
    before = footprint(os.getpid())
    release = threading.Event()
    thread = threading.Thread(target=release.wait)
    thread.start()
    with (tmp_path / "file").open("w"), socket.socket():
        now = footprint(os.getpid())
    release.set()
    thread.join()
    assert (now.threads, now.files, now.sockets) == (before.threads + 1, before.files + 1, before.sockets + 1)
    assert now.rss_bytes > 10_000_000


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
