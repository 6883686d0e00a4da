"""How many threads an engine is given: as few as are worth it here and now, found by trying."""

import os
import time
from collections.abc import Callable

import structlog

log = structlog.get_logger(__name__)

# Twice as many must be at least this much faster; otherwise their cores serve the gateway better, and on a busy machine
# threads that wait for each other are slower than one.
_WORTH_A_THREAD = 1.15
# Runs of each number, after one that warms it up; the best counts, as others' load only slows.
_RUNS = 2
# What trying may cost the start; quiet machines need a third of it. One that has not finished by then is crowded, and
# few threads are what serves it best.
_BUDGET_S = 10.0


def choose_threads(
    test_of: Callable[[int], Callable[[], object]],
    cores: int | None = None,
    clock_s: Callable[[], float] = time.perf_counter,
) -> int:
    """Return the fewest threads that twice as many would not beat; `test_of(threads)` prepares a test sentence.

    There are never more of them than `cores`, those of this process by itself. A container's share of them (a quota)
    needs no look: it shows in the trial.
    """
    until_s = clock_s() + _BUDGET_S
    threads, took_s = 1, {1: _best_s(test_of(1), clock_s, until_s)}
    while threads * 2 <= (usable_cores() if cores is None else cores) and clock_s() < until_s:
        took_s[threads * 2] = _best_s(test_of(threads * 2), clock_s, until_s)
        if took_s[threads] < took_s[threads * 2] * _WORTH_A_THREAD:
            break
        threads *= 2
    log.info("threads_chosen", threads=threads, seconds={count: round(s, 3) for count, s in took_s.items()})
    return threads


def usable_cores() -> int:
    """Cores this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _best_s(test: Callable[[], object], clock_s: Callable[[], float], until_s: float) -> float:
    """Return what the best run took; no run is begun after `until_s`."""
    took_s: list[float] = []
    while len(took_s) < 1 + _RUNS and (not took_s or clock_s() < until_s):
        began_s = clock_s()
        test()
        took_s.append(clock_s() - began_s)
    return min(took_s[1:], default=took_s[0])
