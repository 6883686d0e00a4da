"""One process at a time fetches into a store."""

import fcntl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

# Another process may be fetching over a slow line; longer than one package may take, after which the wait is given up.
LOCK_WAIT_S = 1900.0
_POLL_S = 0.2


@contextmanager
def hold_store(root: Path, wait_s: float, on_wait: Callable[[], None]) -> Iterator[None]:
    """Hold the lock of `root`; the system frees it when the process dies. `on_wait` is called once if another has it.

    Raises TimeoutError when it is not free within `wait_s` seconds.
    """
    with (root / ".lock").open("w") as lock:
        if not _try_lock(lock.fileno()):
            on_wait()
            deadline_s = time.monotonic() + wait_s
            while not _try_lock(lock.fileno()):
                if time.monotonic() >= deadline_s:
                    raise TimeoutError(f"{root} is in use")
                time.sleep(_POLL_S)
        yield


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
