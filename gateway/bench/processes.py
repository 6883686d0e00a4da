"""Facts about processes, from Linux's /proc; ConfigError elsewhere."""

import os
from dataclasses import dataclass
from pathlib import Path

from config.errors import ConfigError

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Footprint:
    """What a process holds at one moment."""

    rss_bytes: int
    threads: int
    files: int
    sockets: int


def cpu_seconds(pid: int) -> float:
    """User and system time a process has used, all threads (proc(5), fields 14 and 15 of stat)."""
    after_name = _read(pid, "stat").rpartition(")")[2].split()
    return (int(after_name[11]) + int(after_name[12])) / _TICKS_PER_S


def footprint(pid: int) -> Footprint:
    """Memory, threads, open files and sockets of a process."""
    after_name = _read(pid, "stat").rpartition(")")[2].split()
    links = []
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        try:
            links.append(os.readlink(entry))
        except OSError:  # closed while we looked
            continue
    sockets = sum(link.startswith("socket:") for link in links)
    return Footprint(int(after_name[21]) * _PAGE_BYTES, int(after_name[17]), len(links) - sockets, sockets)


def pin(pid: int, cores: set[int]) -> None:
    """Let a process run on these cores only, where the system can do that."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(pid, cores)


def _read(pid: int, name: str) -> str:
    try:
        return Path(f"/proc/{pid}/{name}").read_text("utf-8")
    except OSError as error:
        raise ConfigError(f"cannot read /proc/{pid}/{name} ({error.strerror}); this measurement needs Linux") from error
