"""POST /invocations: one text, one answer, streamed or whole, as SageMaker and the public Kokoro sample call it."""

import asyncio
import struct
from collections import deque
from collections.abc import Mapping
from typing import Any

import structlog
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from media.formats import BYTES_PER_SAMPLE_PCM16
from media.tts_wire import MAX_CONTROL_BYTES, ErrorCode, WireError, decode_control
from tts_worker.engine import PieceAudio
from tts_worker.job import Busy, Job
from tts_worker.outbox import HIGH_MARK_BYTES, LOW_MARK_BYTES, Close
from tts_worker.rendering import Rendering
from tts_worker.request import SpeechRequest
from tts_worker.scheduler import Scheduler
from tts_worker.worker import Worker

log = structlog.get_logger(__name__)

_STATUS = {
    ErrorCode.TEXT_TOO_LONG: 413,
    ErrorCode.STALE: 408,
    ErrorCode.BUSY: 503,
    ErrorCode.ENGINE_FAILED: 500,
}
# RIFF/WAVE, one fmt chunk (PCM, mono, 16 bit), the head of the data chunk.
_WAV_HEADER = struct.Struct("<4sI4s4sIHHIIHH4sI")
_WAV_OVERHEAD_BYTES = _WAV_HEADER.size - 8
# Both sizes of a WAV whose length is not known yet.
_UNKNOWN_SIZE = 0xFFFFFFFF


async def invocations(request: Request) -> Response:
    """Answer one request; every failure is JSON with `error` (an ErrorCode) and `message` (with the remedy)."""
    worker: Worker = request.app.state.worker
    if not worker.is_authorised(request.headers.get("authorization", "")):
        return JSONResponse(
            {"error": "unauthorised", "message": "send the worker's token as Authorization: Bearer"}, 401
        )
    try:
        body = decode_control(await _body(request))
        speech = worker.reader.request(body, worker.defaults)
        is_wav, is_streamed = _form(body)
        if reason := worker.admits():
            raise Busy(reason)
        reading = Reading(worker.scheduler, speech, worker.engine.sample_rate_hz)
    except WireError as error:
        return _refusal(error.code, str(error))
    except Busy as error:
        return _refusal(ErrorCode.BUSY, str(error), queue_depth=worker.scheduler.queued_requests)
    return _Spoken(worker, reading, is_wav=is_wav, is_streamed=is_streamed)


async def _body(request: Request) -> bytes:
    """Read the body up to MAX_CONTROL_BYTES; WireError beyond, and when the client leaves in the middle."""
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > MAX_CONTROL_BYTES:
                raise WireError(ErrorCode.TEXT_TOO_LONG, f"the body is larger than {MAX_CONTROL_BYTES} bytes")
    except ClientDisconnect as error:
        raise WireError(ErrorCode.BAD_JSON, "the body ended early") from error
    return bytes(body)


def _form(body: Mapping[str, Any]) -> tuple[bool, bool]:
    """Return whether the answer is WAV (else bare PCM) and whether it is streamed; raises WireError."""
    form, is_streamed = body.get("format", "wav"), body.get("stream", True)
    if form not in ("wav", "pcm"):
        raise WireError(ErrorCode.BAD_FIELD, '"format" is wav or pcm')
    if not isinstance(is_streamed, bool):
        raise WireError(ErrorCode.BAD_FIELD, '"stream" is true or false')
    return form == "wav", is_streamed


def _refusal(code: ErrorCode, message: str, **facts: int) -> JSONResponse:
    headers = {"Retry-After": "1"} if code is ErrorCode.BUSY else None
    return JSONResponse({"error": code.value, "message": message, **facts}, _STATUS.get(code, 400), headers)


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
        self.rendering = Rendering(engine_rate_hz, speech.delivery.rate_hz)
        self.characters = len(speech.text)
        self._scheduler = scheduler
        self._parts: deque[bytes] = deque()
        self._waiting_bytes = 0
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
        was_bytes, self._waiting_bytes = self._waiting_bytes, self._waiting_bytes - len(part)
        if self._waiting_bytes <= LOW_MARK_BYTES < was_bytes:
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
            self._waiting_bytes += len(pcm)
            self._changed.set()
        if self._waiting_bytes >= HIGH_MARK_BYTES:
            self._scheduler.hold(self)


class _Spoken(Response):
    """Sends a reading. The status waits for the first audio, so that an engine's refusal is told as one."""

    def __init__(self, worker: Worker, reading: Reading, *, is_wav: bool, is_streamed: bool) -> None:
        super().__init__(None, 200)
        self._worker = worker
        self._reading = reading
        self._is_wav = is_wav
        self._is_streamed = is_streamed
        self.media_type = "audio/wav" if is_wav else "audio/pcm"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._worker.enter(self._reading)
        gone = asyncio.create_task(self._abandon_when_gone(receive), name="tts-client-gone")
        try:
            if self._is_streamed:
                await self._stream(scope, receive, send)
            else:
                await self._whole(scope, receive, send)
        finally:
            gone.cancel()
            await asyncio.gather(gone, return_exceptions=True)
            self._reading.abandon()
            self._worker.leave(self._reading)

    async def _abandon_when_gone(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._reading.abandon()

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            part = await self._reading.next()
        except SpeechBroken as error:
            await _refusal(error.code, error.message)(scope, receive, send)
            return
        self.init_headers({"X-Sample-Rate": str(self._reading.rendering.rate_hz)})
        # The length is not known: chunked.
        del self.headers["content-length"]
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        if self._is_wav:
            part = _wav_header(self._reading.rendering.rate_hz, None) + part
        try:
            while part:
                await send({"type": "http.response.body", "body": part, "more_body": True})
                part = await self._reading.next()
        except SpeechBroken as error:
            # Without the last chunk the client can tell that the speech was cut.
            log.warning("invocation_broken", code=error.code.value)
            return
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _whole(self, scope: Scope, receive: Receive, send: Send) -> None:
        clock_s = asyncio.get_running_loop().time
        began_s = clock_s()
        parts: list[bytes] = []
        try:
            while part := await self._reading.next():
                parts.append(part)
        except SpeechBroken as error:
            await _refusal(error.code, error.message)(scope, receive, send)
            return
        took_s, duration_s = clock_s() - began_s, self._reading.rendering.duration_s
        pcm = b"".join(parts)
        body = _wav_header(self._reading.rendering.rate_hz, len(pcm)) + pcm if self._is_wav else pcm
        headers = {
            "X-Sample-Rate": str(self._reading.rendering.rate_hz),
            "X-Audio-Duration": f"{duration_s:.4f}",
            "X-Inference-Time-Ms": f"{took_s * 1000:.1f}",
            "X-RTF": f"{took_s / duration_s if duration_s else 0.0:.4f}",
            "X-Characters-Processed": str(self._reading.characters),
        }
        await Response(body, 200, headers, self.media_type)(scope, receive, send)


def _wav_header(rate_hz: int, size_bytes: int | None) -> bytes:
    """Return the 44 bytes before `size_bytes` of mono PCM; None leaves both sizes unknown."""
    sizes = (_UNKNOWN_SIZE, _UNKNOWN_SIZE) if size_bytes is None else (_WAV_OVERHEAD_BYTES + size_bytes, size_bytes)
    bytes_per_s = rate_hz * BYTES_PER_SAMPLE_PCM16
    fmt = (b"fmt ", 16, 1, 1, rate_hz, bytes_per_s, BYTES_PER_SAMPLE_PCM16, 8 * BYTES_PER_SAMPLE_PCM16)
    return _WAV_HEADER.pack(b"RIFF", sizes[0], b"WAVE", *fmt, b"data", sizes[1])
