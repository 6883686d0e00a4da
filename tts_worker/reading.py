"""One request's audio for one reader that asks for it; the engine pauses while the reader is slow."""

import asyncio
from collections import deque

from media.tts_wire import ErrorCode
from tts_worker.engine import PieceAudio
from tts_worker.job import Job
from tts_worker.outbox import HIGH_MARK_S, LOW_MARK_S, Close
from tts_worker.rendering import Rendering
from tts_worker.request import SpeechRequest
from tts_worker.scheduler import Scheduler
from tts_worker.session import CUT


class SpeechBroken(Exception):
    """The engine could not finish the text."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message


class Reading:
    """One request's audio on its way to an HTTP client; pauses the engine while the client is slow."""

    def __init__(self, scheduler: Scheduler, speech: SpeechRequest, engine_rate_hz: int) -> None:
        """Submit the request; raises Busy."""
        self.rendering = Rendering(engine_rate_hz, speech.delivery.rate_hz, speech.delivery.encoding)
        self.characters = len(speech.text)
        self._scheduler = scheduler
        self._parts: deque[bytes] = deque()
        self._waiting_s = 0.0
        self._changed = asyncio.Event()
        self._ended = False
        self._failure: SpeechBroken | None = None
        self._job: Job = scheduler.submit(self, speech, self)

    def piece(self, audio: PieceAudio) -> None:
        _, pcm = self.rendering.feed(audio)
        self._add(pcm)

    def done(self) -> None:
        self._add(self.rendering.flush())
        self._ended = True
        self._changed.set()

    def failed(self, code: ErrorCode, message: str) -> None:
        self._failure = SpeechBroken(code, message)
        self._ended = True
        self._changed.set()

    def finish(self, close: Close) -> None:
        """Draining changes nothing for a request that was taken: it ends by itself."""

    def cut(self) -> None:
        """The worker's time is up: `next` raises."""
        self._job.cancel()
        self._parts.clear()
        self.failed(ErrorCode.BUSY, CUT)

    async def next(self) -> bytes:
        """Return the next audio, b"" at the end; raises SpeechBroken."""
        while not self._parts:
            if self._failure is not None:
                raise self._failure
            if self._ended:
                return b""
            self._changed.clear()
            await self._changed.wait()
        part = self._parts.popleft()
        was_s, self._waiting_s = self._waiting_s, self._waiting_s - self.rendering.seconds(part)
        if self._waiting_s <= LOW_MARK_S < was_s:
            self._scheduler.release(self)
        return part

    def abandon(self) -> None:
        """Stop the synthesis; `next` returns b"" once what is ready is read. Idempotent."""
        self._job.cancel()
        self._scheduler.release(self)
        self._ended = True
        self._changed.set()

    def _add(self, pcm: bytes) -> None:
        if pcm:
            self._parts.append(pcm)
            self._waiting_s += self.rendering.seconds(pcm)
            self._changed.set()
        if self._waiting_s >= HIGH_MARK_S:
            self._scheduler.hold(self)
