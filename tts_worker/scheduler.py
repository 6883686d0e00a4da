"""The engine's two threads: all sessions share one for planning and one for inference.

Whenever the engine is free it takes what is ready, in fair_queue's order, as much as gathering lets it speak at once;
nothing waits for a batch to fill. Requests go in on the event loop, results come back on the event loop, and a
cancelled request is silent from the moment cancel returns.
"""

import asyncio
import threading
from collections.abc import Callable, Hashable

import structlog

from media.formats import BYTES_PER_SAMPLE_PCM16
from media.tts_wire import ErrorCode
from tts_worker.engine import Engine, EngineError, PieceAudio, as_engine_error
from tts_worker.engine_threads import EngineThreads
from tts_worker.fair_queue import FairQueue
from tts_worker.gathering import gather
from tts_worker.job import Busy, Job, Listener, Task, Unanswered
from tts_worker.request import SpeechRequest
from tts_worker.speaking import speak
from tts_worker.telemetry import Telemetry
from tts_worker.watchdog import LOOKS, Watchdog

log = structlog.get_logger(__name__)

# All sessions together. At 0.3 s a sentence this is half a minute of work; more would only be answered too late.
MAX_QUEUED_REQUESTS = 512
# Pieces spoken and not yet handed out. An engine that is faster than the loop waits for it here: who does not read is
# held by the loop, and until it has said so everything would be spoken into memory.
MAX_UNDELIVERED_PIECES = 64
# What one call of the engine may take. The longest piece is 17 s of speech, 8 s of work for two slow cores; after 60 s
# nobody on the phone waits any more, however busy the machine is.
HANG_S = 60.0


class Scheduler:
    """The engine's two threads. Everything public is called on the event loop that called `start`."""

    def __init__(self, engine: Engine, max_queued_requests: int = MAX_QUEUED_REQUESTS, hang_s: float = HANG_S) -> None:
        self._engine = engine
        self._max_queued_requests = max_queued_requests
        self._hang_s = hang_s
        self._watchdog = Watchdog()
        self._changed = threading.Condition()
        self._plans: FairQueue[Job] = FairQueue()
        self._tasks: FairQueue[Task] = FairQueue()
        self._in_work: list[Task] = []
        self._undelivered = 0
        self._unanswered = Unanswered()
        self._threads = EngineThreads(self._changed, lambda why: self._post(self._lose, why))
        self._loop: asyncio.AbstractEventLoop | None = None
        self._watch_task: asyncio.Task[None] | None = None
        self.warmed_up: asyncio.Future[None] | None = None
        self.lost: asyncio.Future[str] | None = None
        self.telemetry = Telemetry()

    @property
    def ready(self) -> bool:
        """Whether the engine is warm and requests are taken."""
        warm = self.warmed_up
        return not self._threads.stopping and warm is not None and warm.done() and warm.exception() is None

    @property
    def is_lost(self) -> bool:
        """Whether the engine hangs, only fails, or has lost a thread: this process will not speak again."""
        return self.lost is not None and self.lost.done()

    @property
    def is_at_work(self) -> bool:
        """Whether a call of the engine is still being waited for, after `stop` too."""
        return self._threads.alive

    @property
    def queued_requests(self) -> int:
        """Requests accepted and not yet answered, of all sessions."""
        return len(self._unanswered)

    def start(self) -> None:
        """Start both threads. `warmed_up` completes when the engine is ready, or with its error; `lost` when it hangs.

        The warm-up itself has no bound: nobody is sent here before, and whoever started the process gives it up.
        """
        self._loop = asyncio.get_running_loop()
        self.warmed_up, self.lost = self._loop.create_future(), self._loop.create_future()
        self._threads.start("tts-plan", lambda: self._threads.serve(self._plans.pop, self._plan))
        self._threads.start("tts-speak", self._run_inference)
        self._watch_task = asyncio.create_task(self._watch(), name="tts-watchdog")

    async def stop(self) -> None:
        """End both threads after the piece in work, then close the engine. Listeners of open requests hear nothing."""
        self._threads.stop()
        if self._watch_task is not None:
            self._watch_task.cancel()
        if not self.is_lost:
            await self._threads.join()

    def submit(self, session: Hashable, request: SpeechRequest, listener: Listener) -> Job:
        """Queue a request behind the session's others; raises Busy."""
        if not self.ready:
            raise Busy("the engine is not ready; try again in a few seconds")
        if self.queued_requests >= self._max_queued_requests:
            self.telemetry.ended("busy")
            raise Busy(f"{self.queued_requests} requests are waiting; try again later or on another worker")
        job = Job(session, request, listener, self.cancel, opens_turn=not self._unanswered.has(session))
        self._unanswered.add(job)
        with self._changed:
            self._plans.push(session, job, opens=job.opens_turn)
            self._changed.notify_all()
        return job

    def cancel(self, job: Job) -> None:
        if not self._unanswered.retire(job):
            return
        self.telemetry.ended("cancelled")
        with self._changed:
            self._plans.drop(job.session, lambda other: other is job)
            self._tasks.drop(job.session, lambda task: task.job is job)
            if self._in_work and not any(task.job.live for task in self._in_work):
                self._engine.interrupt()

    def hold(self, session: Hashable) -> None:
        """Synthesise nothing more for the session until `release`: its client does not read."""
        with self._changed:
            self._tasks.hold(session)

    def release(self, session: Hashable) -> None:
        """Undo `hold`; also said when a session ends, so that nothing of it is kept."""
        with self._changed:
            self._tasks.release(session)
            self._changed.notify_all()

    async def _watch(self) -> None:
        hang = ""
        while not hang:
            await asyncio.sleep(self._hang_s / LOOKS)
            hang = self._watchdog.look()
        self._lose(hang)

    def _lose(self, why: str) -> None:
        """Give the engine up: answer everybody, and take nothing more."""
        if self.lost is None or self.lost.done():
            return
        log.error("engine_lost", engine=self._engine.name, reason=why)
        self._threads.stop()
        self.lost.set_result(why)
        for job in self._unanswered:
            self._finish_failed(job, EngineError(ErrorCode.ENGINE_LOST, "the engine is lost; use another worker"))

    # From here on: the two threads.

    def _run_inference(self) -> None:
        try:
            self._engine.warm_up()
        except Exception as error:  # whatever the engine's libraries raise, the operator must see it
            self._post(self._settle_warm_up, error)
            return
        self._post(self._settle_warm_up, None)
        self._threads.serve(self._next_batch, self._speak)
        self._engine.close()

    def _settle_warm_up(self, error: Exception | None) -> None:
        assert self.warmed_up is not None
        if error is None:
            self.warmed_up.set_result(None)
        else:
            self.warmed_up.set_exception(error)

    def _next_batch(self) -> list[Task] | None:
        """Take what is ready; the caller holds the lock, so that a cancel finds it either queued or in work."""
        if self._undelivered >= MAX_UNDELIVERED_PIECES:
            return None
        self._in_work = gather(self._tasks, self._engine.batch_limit, lambda task: len(task.piece.phonemes))
        return self._in_work or None

    def _plan(self, job: Job) -> None:
        asked, how = job.request, job.request.delivery
        try:
            with self._watchdog.call("plan"):
                pieces = self._engine.plan(
                    asked.text, how.voice, how.language, how.speed, early=job.opens_turn, pronunciations=asked.sounds
                )
        except Exception as error:
            self._fail(job, "plan", error)
            return
        if not pieces:
            self._post(self._finish, job)
            return
        with self._changed:
            for index, piece in enumerate(pieces):
                opens = job.opens_turn and index == 0
                if job.live:
                    self._tasks.push(job.session, Task(job, piece, index == len(pieces) - 1), opens=opens)
            self._changed.notify_all()

    def _speak(self, batch: list[Task]) -> None:
        self.telemetry.batch(len(batch))
        pieces = [task.piece for task in batch]
        outcomes = speak(self._engine, pieces, lambda item: batch[item].job.live, self._watchdog)
        with self._changed:
            self._in_work = []
            self._undelivered += sum(isinstance(outcome, PieceAudio) for outcome in outcomes)
        for task, outcome in zip(batch, outcomes, strict=True):
            if isinstance(outcome, PieceAudio):
                self._post(self._deliver, task, outcome)
            elif outcome is not None:
                self._fail(task.job, "synthesize", outcome)

    def _fail(self, job: Job, step: str, error: Exception) -> None:
        fault = as_engine_error(error)
        if fault is not error:
            log.error("engine_failed", engine=self._engine.name, step=step, error=type(error).__name__)
        with self._changed:
            self._tasks.drop(job.session, lambda task: task.job is job)
        self._post(self._finish_failed, job, fault)

    def _post(self, call: Callable[..., None], *args: object) -> None:
        assert self._loop is not None
        try:
            self._loop.call_soon_threadsafe(call, *args)
        except RuntimeError:  # the loop was closed while a piece was in work: nobody listens any more
            log.warning("result_dropped", engine=self._engine.name)

    # Back on the event loop.

    def _deliver(self, task: Task, audio: PieceAudio) -> None:
        with self._changed:
            self._undelivered -= 1
            self._changed.notify_all()
        if not task.job.live:
            return
        self.telemetry.piece(task.job, len(audio.pcm) / (BYTES_PER_SAMPLE_PCM16 * self._engine.sample_rate_hz))
        task.job.listener.piece(audio)
        if task.is_last:
            self._finish(task.job)

    def _finish(self, job: Job) -> None:
        if self._unanswered.retire(job):
            self.telemetry.ended("complete")
            job.listener.done()

    def _finish_failed(self, job: Job, fault: EngineError) -> None:
        if self._unanswered.retire(job):
            self.telemetry.ended(fault.code.value)
            job.listener.failed(fault.code, fault.message)
