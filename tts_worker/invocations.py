"""POST /invocations: one text, one answer, streamed or whole, as SageMaker and the public Kokoro sample call it."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import structlog
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from media.tts_wire import MAX_CONTROL_BYTES, ErrorCode, WireError, decode_control
from tts_worker.containers import FORMATS, Container, EventStream, container
from tts_worker.job import Busy
from tts_worker.reading import Reading, SpeechBroken
from tts_worker.request import ENCODINGS, Delivery
from tts_worker.worker import Worker

log = structlog.get_logger(__name__)

_STATUS = {
    ErrorCode.TEXT_TOO_LONG: 413,
    ErrorCode.STALE: 408,
    ErrorCode.BUSY: 503,
    ErrorCode.ENGINE_FAILED: 500,
    ErrorCode.ENGINE_LOST: 503,
}


async def invocations(request: Request) -> Response:
    """Answer one request; every failure is JSON with `error` (an ErrorCode) and `message` (with the remedy)."""
    worker: Worker = request.app.state.worker
    if not worker.is_authorised(request.headers.get("authorization", "")):
        return JSONResponse(
            {"error": "unauthorised", "message": "send the worker's token as Authorization: Bearer"}, 401
        )
    try:
        body = decode_control(await _body(request, worker.limits.stall_s))
        answer = _answer(body)
        speech = worker.reader.request(answer.fields, worker.defaults)
        wrapped = answer.wrapped(speech.delivery)
        if reason := worker.admits():
            raise Busy(reason)
        reading = Reading(worker.scheduler, speech, worker.engine.sample_rate_hz)
    except WireError as error:
        return _refusal(error.code, str(error))
    except Busy as error:
        return _refusal(ErrorCode.BUSY, str(error), queue_depth=worker.scheduler.queued_requests)
    return _Spoken(worker, reading, wrapped, is_streamed=answer.is_streamed)


@dataclass(frozen=True, slots=True)
class _Answer:
    """In what form the client wants its answer; `fields` are those of the speech."""

    form: str
    is_streamed: bool
    is_event_stream: bool
    fields: Mapping[str, Any]

    def wrapped(self, delivery: Delivery) -> Container:
        inner = container(self.form, delivery.rate_hz)
        if not self.is_event_stream:
            return inner
        return EventStream(inner, format=self.form, voice=delivery.voice, sample_rate=delivery.rate_hz)


def _answer(body: Mapping[str, Any]) -> _Answer:
    """Read the form of the answer; raises WireError."""
    form, is_streamed, transport = body.get("format", "wav"), body.get("stream", True), body.get("transport", "binary")
    if not isinstance(form, str) or form not in FORMATS:
        raise WireError(ErrorCode.BAD_FIELD, f'"format" is one of {", ".join(FORMATS)}')
    if not isinstance(is_streamed, bool):
        raise WireError(ErrorCode.BAD_FIELD, '"stream" is true or false')
    if transport not in ("binary", "sse"):
        raise WireError(ErrorCode.BAD_FIELD, '"transport" is binary or sse')
    encoding = next(name for name, encoding in ENCODINGS.items() if encoding is FORMATS[form])
    if body.get("encoding", encoding) != encoding:
        raise WireError(ErrorCode.BAD_FIELD, f'"format" {form} holds {encoding}; leave "encoding" out')
    is_event_stream = transport == "sse"
    return _Answer(form, is_streamed or is_event_stream, is_event_stream, {**body, "encoding": encoding})


async def _body(request: Request, within_s: float) -> bytes:
    """Read the body up to MAX_CONTROL_BYTES; WireError beyond, when it takes too long, and when the client leaves."""
    body = bytearray()
    try:
        async with asyncio.timeout(within_s):
            async for part in request.stream():
                body += part
                if len(body) > MAX_CONTROL_BYTES:
                    raise WireError(ErrorCode.TEXT_TOO_LONG, f"the body is larger than {MAX_CONTROL_BYTES} bytes")
    except TimeoutError as error:
        raise WireError(ErrorCode.BAD_JSON, f"the body did not come within {within_s} s; send it again") from error
    except ClientDisconnect as error:
        raise WireError(ErrorCode.BAD_JSON, "the body ended early") from error
    return bytes(body)


def _refusal(code: ErrorCode, message: str, **facts: int) -> JSONResponse:
    status = _STATUS.get(code, 400)
    headers = {"Retry-After": "1"} if status == 503 else None
    return JSONResponse({"error": code.value, "message": message, **facts}, status, headers)


class _Spoken(Response):
    """Sends a reading. The status waits for the first audio, so that an engine's refusal is told as one."""

    def __init__(self, worker: Worker, reading: Reading, wrapped: Container, *, is_streamed: bool) -> None:
        super().__init__(None, 200)
        self._worker = worker
        self._reading = reading
        self._wrapped = wrapped
        self._is_streamed = is_streamed
        self.media_type = wrapped.media_type

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
        try:
            begun = self._wrapped.begin(None)
            while part:
                await _send_body(send, begun + self._wrapped.feed(part))
                begun, part = b"", await self._reading.next()
        except SpeechBroken as error:
            # Without the last chunk the client can tell that the speech was cut.
            log.warning("invocation_broken", code=error.code.value)
            if isinstance(self._wrapped, EventStream):
                await _send_body(send, self._wrapped.fail(error.code, error.message))
            return
        last = begun + self._wrapped.flush()
        if isinstance(self._wrapped, EventStream):
            last += self._wrapped.end(self._reading.rendering.duration_s)
        await send({"type": "http.response.body", "body": last, "more_body": False})

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
        audio = b"".join(parts)
        body = self._wrapped.begin(len(audio)) + self._wrapped.feed(audio) + self._wrapped.flush()
        headers = {
            "X-Sample-Rate": str(self._reading.rendering.rate_hz),
            "X-Audio-Duration": f"{duration_s:.4f}",
            "X-Inference-Time-Ms": f"{took_s * 1000:.1f}",
            "X-RTF": f"{took_s / duration_s if duration_s else 0.0:.4f}",
            "X-Characters-Processed": str(self._reading.characters),
        }
        await Response(body, 200, headers, self.media_type)(scope, receive, send)


async def _send_body(send: Send, body: bytes) -> None:
    """Send a part of the body; an encoder that holds it back has nothing to send."""
    if body:
        await send({"type": "http.response.body", "body": body, "more_body": True})
        await asyncio.sleep(0)  # as in stream.py: only the loop hears that the client is gone
