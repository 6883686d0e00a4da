"""What all requests of this process share: the engine's threads, the places for sessions, and the way to the end."""

import asyncio
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

import structlog

from tts_worker.engine import Engine
from tts_worker.outbox import Close
from tts_worker.request import Delivery, RequestReader
from tts_worker.scheduler import HANG_S, Scheduler
from tts_worker.session import CLOSE_DRAINING, Session

log = structlog.get_logger(__name__)

# For those that are cut to take their last messages.
_LAST_WORDS_S = 3.0


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """Every bound of the server. The defaults suit one GPU or one desktop processor."""

    # One a call. An open session costs a few kilobytes; what it sends is bounded by the queue.
    max_sessions: int = 64
    # Requests waiting in all; at 0.2 s a sentence, more would be answered after the caller has given up.
    max_queued: int = 256
    # A call may be silent this long (a transfer, a caller who searches for a number); then its place is freed.
    idle_s: float = 600.0
    # A session that forgot to close must end some day; longer than any call. SageMaker itself ends it after 30 minutes.
    session_s: float = 7_200.0
    # A socket that takes nothing for this long has lost its reader; less would end calls over a slow network.
    stall_s: float = 10.0
    hang_s: float = HANG_S


class Ending(Protocol):
    """A session or invocation that can be asked to end after what it owes, and told to end with it unfinished."""

    def finish(self, close: Close) -> None: ...

    def cut(self) -> None: ...


class Worker:
    """`admits` says why a session or invocation cannot be taken; `drain` ends them all in good order."""

    def __init__(
        self,
        engine: Engine,
        scheduler: Scheduler,
        reader: RequestReader,
        defaults: Delivery,
        limits: WorkerLimits,
        token: str,
    ) -> None:
        self.engine = engine
        self.scheduler = scheduler
        self.reader = reader
        self.defaults = defaults
        self.limits = limits
        self.draining = False
        self._token = token
        self._open: set[Ending] = set()
        self._empty = asyncio.Event()
        self._empty.set()
        scheduler.telemetry.watch(lambda: self.sessions, lambda: scheduler.queued_requests)

    @property
    def sessions(self) -> int:
        """Sessions and invocations being served."""
        return len(self._open)

    @property
    def ready(self) -> bool:
        return self.scheduler.ready and not self.draining

    @property
    def status(self) -> str:
        """In a word: ok, loading, draining, or lost, when the engine will not speak again."""
        if self.scheduler.is_lost:
            return "lost"
        return "ok" if self.ready else "draining" if self.draining else "loading"

    @property
    def free(self) -> int:
        """Sessions that would be taken now."""
        return max(self.limits.max_sessions - len(self._open), 0) if self.ready else 0

    def admits(self) -> str:
        """Return why nobody new can be taken, "" when somebody can."""
        if self.draining:
            return "the worker is stopping; use another worker"
        if not self.scheduler.ready:
            return "the engine is not ready; try again in a few seconds"
        if len(self._open) >= self.limits.max_sessions:
            return f"all {self.limits.max_sessions} sessions are taken; try again later or use another worker"
        return ""

    def is_authorised(self, authorization: str) -> bool:
        """Compare an Authorization header with the token in constant time; without a token everybody may."""
        expected = f"Bearer {self._token}".encode()
        return not self._token or secrets.compare_digest(authorization.encode("utf-8", "replace"), expected)

    def session(self, clock_s: Callable[[], float], on_ready: Callable[[], None]) -> Session:
        """Return a new session; it counts from `enter` to `leave`."""
        rate_hz = self.engine.sample_rate_hz
        return Session(self.scheduler, self.reader, self.defaults, rate_hz, clock_s, on_ready)

    def enter(self, ending: Ending) -> None:
        self._open.add(ending)
        self._empty.clear()

    def leave(self, ending: Ending) -> None:
        self._open.discard(ending)
        if not self._open:
            self._empty.set()

    async def drain(self, deadline_s: float) -> None:
        """Take nobody new, let all finish what is queued; those still open after `deadline_s` are cut, and told so."""
        self.draining = True
        log.info("worker_draining", sessions=len(self._open), queued=self.scheduler.queued_requests)
        for ending in list(self._open):
            ending.finish(CLOSE_DRAINING)
        await self._emptied(deadline_s)
        late = list(self._open)
        for ending in late:
            ending.cut()
        await self._emptied(_LAST_WORDS_S)
        log.info("worker_drained", cut=len(late))

    async def _emptied(self, within_s: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self._empty.wait()
