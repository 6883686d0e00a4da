"""Both ends of a TTS session joined through memory: a real worker session and a real client, no socket, no thread.

It runs under the leaping clock: a piece of speech takes `piece_s` of loop time to synthesise.
"""

import asyncio
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass, field

from gateway.errors import TtsError
from gateway.tts.base import SpeechAudio, SpeechDone, SpeechEvent, SpeechFailed
from gateway.tts.ledger import Ledger
from gateway.tts.session import PersistentSession, SpeechTiming
from tts_worker.engine import EngineError, Piece
from tts_worker.fair_queue import FairQueue
from tts_worker.job import Busy, Listener
from tts_worker.outbox import Close
from tts_worker.request import Delivery, RequestReader, SpeechRequest
from tts_worker.session import Session
from tts_worker.tone import ToneEngine


@dataclass(eq=False, slots=True)
class InlineJob:
    """A request at InlineSpeakers."""

    request: SpeechRequest
    listener: Listener
    forget: Callable[["InlineJob"], None]
    live: bool = True

    def cancel(self) -> None:
        self.live = False
        self.forget(self)


class InlineSpeakers:
    """The scheduler without threads: one piece every `piece_s` of loop time, in the scheduler's own order."""

    def __init__(self, piece_s: float = 0.1, engine: ToneEngine | None = None) -> None:
        self.engine = engine or ToneEngine()
        self.piece_s = piece_s
        self.spoken: list[str] = []
        self.accepted: list[str] = []
        self.held: set[Hashable] = set()
        self.is_full = False
        self._queue: FairQueue[tuple[InlineJob, Piece, bool]] = FairQueue()
        self._timer: asyncio.TimerHandle | None = None

    def submit(self, session: Hashable, request: SpeechRequest, listener: Listener) -> InlineJob:
        if self.is_full:
            raise Busy("full; try later")
        job = InlineJob(request, listener, lambda job: self._queue.drop(session, lambda task: task[0] is job))
        self.accepted.append(request.text)
        asyncio.get_running_loop().call_soon(self._plan, session, job)
        return job

    def hold(self, session: Hashable) -> None:
        self.held.add(session)
        self._queue.hold(session)

    def release(self, session: Hashable) -> None:
        self.held.discard(session)
        self._queue.release(session)
        self._go_on()

    def _plan(self, session: Hashable, job: InlineJob) -> None:
        if not job.live:
            return
        delivery = job.request.delivery
        try:
            pieces = self.engine.plan(job.request.text, delivery.voice, delivery.language, delivery.speed)
        except EngineError as error:
            job.listener.failed(error.code, error.message)
            return
        if not pieces:
            job.listener.done()
        for n, piece in enumerate(pieces):
            self._queue.push(session, (job, piece, n == len(pieces) - 1), opens=n == 0)
        self._go_on()

    def _go_on(self) -> None:
        if self._timer is None and (task := self._queue.pop()) is not None:
            self._timer = asyncio.get_running_loop().call_later(self.piece_s, self._synthesize, *task)

    def _synthesize(self, job: InlineJob, piece: Piece, is_last: bool) -> None:
        self._timer = None
        if job.live:
            self.spoken.append(piece.phonemes)
            job.listener.piece(self.engine.synthesize(piece))
            if is_last:
                job.listener.done()
        self._go_on()


class MemorySocket:
    """The client's end. What the worker says after `cut_after` frames is lost with the connection."""

    def __init__(self, session: Session, ready: asyncio.Event, cut_after: int | None) -> None:
        self._session = session
        self._ready = ready
        self._frames_left = cut_after
        self.sent: list[str] = []
        self.received: list[str | bytes] = []
        self.is_lost = False
        self.late: list[bytes] = []

    async def send(self, message: str) -> None:
        if self.is_lost:
            raise TtsError("worker_lost", retryable=True)
        self.sent.append(message)
        self._session.receive(message)

    async def recv(self) -> str | bytes:
        while not self.is_lost:
            if self.late:
                return self.late.pop(0)
            frame = self._session.take()
            if frame is None:
                self._ready.clear()
                await self._ready.wait()
            elif isinstance(frame, Close) or self._frames_left == 0:
                self.lose()
            else:
                if self._frames_left is not None:
                    self._frames_left -= isinstance(frame.data, bytes)
                self.received.append(frame.data)
                return frame.data
        raise TtsError("worker_lost", retryable=True)

    async def close(self) -> None:
        self.lose()

    def lose(self) -> None:
        """End as a killed worker ends: nothing more comes, the worker's session is gone."""
        if not self.is_lost:
            self.is_lost = True
            self._session.end()
            self._ready.set()

    def deliver_late(self, *frames: bytes) -> None:
        """Make the worker say `frames` next, whatever it should say."""
        self.late += frames
        self._ready.set()


@dataclass(slots=True)
class MemoryWorker:
    """A worker reached through memory. `refusals` is how many of the next connects fail."""

    speakers: InlineSpeakers = field(default_factory=InlineSpeakers)
    refusals: int = 0
    cut_after: int | None = None
    sockets: list[MemorySocket] = field(default_factory=list)
    connects: list[float] = field(default_factory=list)

    async def connect(self) -> MemorySocket:
        self.connects.append(asyncio.get_running_loop().time())
        if self.refusals:
            self.refusals -= 1
            raise TtsError("worker_unreachable", "refused", retryable=True)
        ready = asyncio.Event()
        cut_after, self.cut_after = self.cut_after, None
        socket = MemorySocket(worker_session(self.speakers, ready.set), ready, cut_after)
        self.sockets.append(socket)
        return socket

    def client(
        self, voice: str = "af_heart", rate_hz: int = 24_000, outstanding: int = 3, timing: SpeechTiming | None = None
    ) -> PersistentSession:
        ledger = Ledger(voice, "en", 1.0, rate_hz, outstanding)
        return PersistentSession(ledger, self.connect, timing or SpeechTiming(), jitter=lambda: 1.0)


def worker_session(speakers: InlineSpeakers, on_ready: Callable[[], None] = lambda: None) -> Session:
    """Return a worker's session over `speakers`, its clock the loop's."""
    engine = speakers.engine
    reader = RequestReader(engine.voices, engine.languages, wall_clock_s=lambda: 1_000_000.0)
    loop = asyncio.get_running_loop()
    return Session(speakers, reader, Delivery(), engine.sample_rate_hz, loop.time, on_ready)


async def collect(session: PersistentSession, ends: int, timeout_s: float = 600.0) -> list[SpeechEvent]:
    """Return events until `ends` requests are over, or until nothing has come for `timeout_s`."""
    seen: list[SpeechEvent] = []
    events = session.events()
    with suppress(TimeoutError):
        async with asyncio.timeout(timeout_s):
            async for event in events:
                seen.append(event)
                ends -= isinstance(event, SpeechDone | SpeechFailed)
                if not ends:
                    break
    return seen


def audio_of(events: list[SpeechEvent], request_id: int) -> bytes:
    """Return the audio of one request."""
    return b"".join(e.pcm for e in events if isinstance(e, SpeechAudio) and e.request_id == request_id)


def tone_of(text: str, voice: str = "af_heart") -> bytes:
    """Return what the tone engine says for `text`."""
    engine = ToneEngine()
    return b"".join(engine.synthesize(piece).pcm for piece in engine.plan(text, voice, "en", 1.0))
