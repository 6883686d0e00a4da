"""One Whisper for all calls: takes jobs in order of need, watches over its process and replaces it when it fails."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Protocol

import structlog

from gateway.errors import SttError
from gateway.stt.whisper_jobs import Job, JobQueue, Purpose
from gateway.stt.whisper_wire import Transcript

# Thirty seconds of audio take about 0.6 s; on a machine ten times slower the words would come too late anyway.
JOB_DEADLINE_S = 8.0
# A job that was running when the process died is tried once more: it may have been the process's fault, or the job's.
_MAX_ATTEMPTS = 2
# After this many failures without one success between them the engine counts as down: commits are refused at once
# instead of leaving callers in silence, and a new process is tried at the longest interval for later calls.
_FAILURES_UNTIL_DOWN = 3
_RESTART_FIRST_S = 0.25
_RESTART_LONGEST_S = 30.0

_log = structlog.get_logger(__name__)


class WorkerLost(Exception):
    """The process is gone, silent or confused, and must be replaced; `code` says which."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail


class Worker(Protocol):
    """A running process with a loaded model, one job at a time."""

    async def transcribe(self, language: str, pcm: bytes) -> Transcript:
        """SttError when this job failed, WorkerLost when the process did."""
        ...

    async def stop(self) -> None: ...


class WhisperEngine:
    """Owns the process. `start_worker` returns one that is ready, or raises WorkerLost."""

    def __init__(self, start_worker: Callable[[], Awaitable[Worker]]) -> None:
        self._start_worker = start_worker
        self._queue = JobQueue()
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._failures = 0
        self._ready = False
        self._partials_from_s = 0.0

    @property
    def ready(self) -> bool:
        return self._ready

    @property
    def down(self) -> bool:
        """Whether the process failed again and again."""
        return self._failures >= _FAILURES_UNTIL_DOWN

    def start(self) -> None:
        """Load the model in the background, unless that was begun before. Needs the running loop."""
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run(), name="whisper-engine")

    def submit(self, job: Job) -> None:
        """Queue a job; when the engine is down, it fails from the loop at once."""
        if self.down:
            asyncio.get_running_loop().call_soon(job.done, self._refusal())
            return
        self._queue.put(job)
        self._changed.set()

    def hasten(self, job: Job) -> None:
        """Someone waits for this job now."""
        job.purpose = Purpose.FINAL
        self._changed.set()

    def drop(self, owner: object, *, finals: bool) -> None:
        """Forget what a call has queued. A job under way is finished, and its `done` called."""
        self._queue.drop(owner, finals=finals)

    async def close(self) -> None:
        """Stop the process. Jobs that wait are forgotten. Idempotent."""
        self._queue.drain()
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _run(self) -> None:
        while True:
            try:
                worker = await self._start_worker()
                await self._serve_until_lost(worker)
            except WorkerLost as lost:
                self._failures += 1
                _log.error("stt_process_lost", code=lost.code, detail=lost.detail, failures=self._failures)
                self._refuse_all_when_down()
                await asyncio.sleep(min(_RESTART_FIRST_S * 2 ** (self._failures - 1), _RESTART_LONGEST_S))

    async def _serve_until_lost(self, worker: Worker) -> None:
        self._ready = True
        # After an outage one job decides whether this process is any better.
        self._failures = min(self._failures, _FAILURES_UNTIL_DOWN - 1)
        try:
            await self._serve(worker)
        finally:
            self._ready = False
            await worker.stop()

    async def _serve(self, worker: Worker) -> None:
        while True:
            job = await self._next_job()
            try:
                job.done(await self._transcribe(worker, job))
            except SttError as error:
                job.done(error)
            except WorkerLost as lost:
                self._after_loss(job, lost)
                raise

    async def _transcribe(self, worker: Worker, job: Job) -> Transcript:
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        job.attempts += 1
        try:
            async with asyncio.timeout(JOB_DEADLINE_S):
                transcript = await worker.transcribe(job.language, job.audio())
        except TimeoutError as error:
            raise WorkerLost("stt_timeout", f"no answer within {JOB_DEADLINE_S:.0f} s") from error
        self._failures = 0
        if job.purpose is Purpose.PARTIAL:
            # As long a rest as the partial took: whatever the machine, partials use at most half of the engine.
            self._partials_from_s = 2 * loop.time() - began_s
        return transcript

    async def _next_job(self) -> Job:
        loop = asyncio.get_running_loop()
        while True:
            rest_s = self._partials_from_s - loop.time()
            job = self._queue.take(partials=rest_s <= 0)
            if job is not None:
                return job
            self._changed.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(rest_s if len(self._queue) else None):
                    await self._changed.wait()

    def _after_loss(self, job: Job, lost: WorkerLost) -> None:
        """A job that hung is not tried again: whoever waits for it has waited long enough."""
        if lost.code == "stt_timeout" or job.attempts >= _MAX_ATTEMPTS:
            job.done(SttError(lost.code, lost.detail, retryable=True))
        else:
            self._queue.put_back(job)

    def _refuse_all_when_down(self) -> None:
        if self.down:
            for job in self._queue.drain():
                job.done(self._refusal())

    def _refusal(self) -> SttError:
        return SttError("stt_engine_down", f"the Whisper process failed {self._failures} times in a row")
