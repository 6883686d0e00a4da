"""Bedrock's ConverseStream on aiohttp, for the real boto3 client: scripted replies with timing, and every fault seen.

It checks requests as strictly as the strictest model and speaks the true wire format. It does not check signatures,
and it cannot show what real throttling, first-token times, regions or model access are like.

    async with BedrockEmulator([Script(("Hello ", "there."))]) as bedrock:   # in the test's own loop
    with bedrock_in_thread([...]) as bedrock:                                 # for anything that blocks
        BedrockEndpoint(region="us-east-1", url=bedrock.url)
"""

import asyncio
import json
import random
import string
import threading
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web

from tests.rig.bedrock_rules import refusal
from tests.rig.event_stream import encode_event, encode_exception

_STALL_S = 3600.0
_LATENCY_MS = 42


@dataclass(frozen=True, slots=True)
class Fault:
    """What goes wrong after `after` deltas of text have been sent.

    http: `status` with `name` (UpperCamel) instead of a stream. exception: `name` (lowerCamel) in the stream.
    abort: the TCP connection is reset. stall: nothing more is sent. bad_crc: the next frame is corrupt.
    no_stop: the stream ends well-formed but without messageStop. no_metadata, late_metadata: after messageStop.
    """

    kind: Literal["http", "exception", "abort", "stall", "bad_crc", "no_stop", "no_metadata", "late_metadata"]
    name: str = ""
    message: str = "scripted"
    status: int = 400
    after: int = 0


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool call; its arguments are sent in pieces of `piece_chars` of their JSON, or `raw` verbatim."""

    call_id: str
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    piece_chars: int = 7
    raw: str | None = None


@dataclass(frozen=True, slots=True)
class Script:
    """One reply."""

    text: Sequence[str] = ()
    tools: Sequence[ToolUse] = ()
    reasoning: Sequence[str] = ()
    # Before the response's headers, as the service does when its model thinks; then before the first delta; then each.
    headers_s: float = 0.0
    first_s: float = 0.0
    gap_s: float = 0.0
    stop_reason: str | None = None
    fault: Fault | None = None


@dataclass(slots=True)
class Seen:
    """One request as it arrived, and when things happened (time.perf_counter)."""

    model_id: str
    body: dict[str, Any]
    authorization: str
    peer: tuple[str, int]
    arrived_s: float
    first_delta_s: float | None = None
    deltas: int = 0
    disconnected_s: float | None = None
    finished: bool = False


class BedrockEmulator:
    """Answers the n-th acceptable request with the n-th script, the last one for ever. Its `seen` outlives it."""

    def __init__(self, scripts: Sequence[Script], refused_fields: Sequence[str] = ()) -> None:
        self.seen: list[Seen] = []
        self.url = ""
        self._scripts = list(scripts)
        self._refused_fields = list(refused_fields)
        self._answered = 0
        self._runner: web.AppRunner | None = None

    async def __aenter__(self) -> "BedrockEmulator":
        app = web.Application(client_max_size=8 * 1024 * 1024)
        app.router.add_post("/model/{model_id:.+}/converse-stream", self._converse_stream)
        # A handler is cancelled when its peer goes: that is the moment to be recorded.
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _converse_stream(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        authorization = request.headers.get("Authorization", "")
        assert request.transport is not None
        peer = request.transport.get_extra_info("peername")[:2]
        seen = Seen(request.match_info["model_id"], body, authorization, peer, time.perf_counter())
        self.seen.append(seen)
        wrong = self._refused_field(body) or refusal(body)
        if wrong is not None:
            return _http_error(400, "ValidationException", wrong)
        script = self._scripts[min(self._answered, len(self._scripts) - 1)]
        self._answered += 1
        try:
            return await self._play(request, script, seen)
        except (asyncio.CancelledError, ConnectionError):
            seen.disconnected_s = time.perf_counter()
            raise

    def _refused_field(self, body: dict[str, Any]) -> str | None:
        sent = [f for f in self._refused_fields if f in body.get("inferenceConfig", {})]
        return f"The model returned the following errors: `{sent[0]}` is not supported by this model." if sent else None

    async def _play(self, request: web.Request, script: Script, seen: Seen) -> web.StreamResponse:
        await asyncio.sleep(script.headers_s)
        fault = script.fault
        if fault is not None and fault.kind == "http":
            return _http_error(fault.status, fault.name, fault.message)
        response = web.StreamResponse(headers={"Content-Type": "application/vnd.amazon.eventstream"})
        response.enable_chunked_encoding()
        await response.prepare(request)
        async for frame in _frames(script, seen):
            if frame is None:  # an aborted connection: no FIN, no last chunk
                assert request.transport is not None
                request.transport.abort()
                raise ConnectionResetError
            await response.write(frame)
        await response.write_eof()
        seen.finished = True
        return response


def _http_error(status: int, name: str, message: str) -> web.Response:
    return web.json_response({"message": message}, status=status, headers={"x-amzn-ErrorType": name})


async def _frames(script: Script, seen: Seen) -> AsyncIterator[bytes | None]:
    """The reply's frames in time; None means: cut the connection now."""
    fault = script.fault
    yield _event("messageStart", {"role": "assistant"})
    for piece in script.reasoning:
        yield _event("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": piece}}})
    await asyncio.sleep(script.first_s)
    for number, piece in enumerate(script.text):
        if fault is not None and number == fault.after:
            async for frame in _break(fault):
                yield frame
            if _ends(fault):
                return
        await asyncio.sleep(script.gap_s if number else 0.0)
        seen.first_delta_s = seen.first_delta_s or time.perf_counter()
        seen.deltas += 1
        yield _event("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": piece}})
    if fault is not None and fault.after >= len(script.text):
        async for frame in _break(fault):
            yield frame
        if _ends(fault):
            return
    for frame in _closing(script):
        yield frame
    if fault is not None and fault.kind == "late_metadata":
        await asyncio.sleep(_STALL_S)
    if fault is None or fault.kind != "no_metadata":
        yield _event("metadata", _metadata(seen))


async def _break(fault: Fault) -> AsyncIterator[bytes | None]:
    if fault.kind == "exception":
        yield encode_exception(fault.name, {"message": fault.message})
    elif fault.kind == "abort":
        yield None
    elif fault.kind == "stall":
        await asyncio.sleep(_STALL_S)
    elif fault.kind == "bad_crc":
        frame = _event("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "corrupt"}})
        yield frame[:-1] + bytes([frame[-1] ^ 0xFF])


def _ends(fault: Fault) -> bool:
    return fault.kind not in ("no_metadata", "late_metadata")


def _closing(script: Script) -> Iterator[bytes]:
    """Tool calls, interleaved as a model may send them, then the stop."""
    if script.text:
        yield _event("contentBlockStop", {"contentBlockIndex": 0})
    for index, tool in enumerate(script.tools, start=1):
        start = {"toolUse": {"toolUseId": tool.call_id, "name": tool.name}}
        yield _event("contentBlockStart", {"contentBlockIndex": index, "start": start})
        written = json.dumps(dict(tool.arguments)) if tool.raw is None else tool.raw
        for at in range(0, len(written), tool.piece_chars):
            delta = {"toolUse": {"input": written[at : at + tool.piece_chars]}}
            yield _event("contentBlockDelta", {"contentBlockIndex": index, "delta": delta})
        yield _event("contentBlockStop", {"contentBlockIndex": index})
    reason = script.stop_reason or ("tool_use" if script.tools else "end_turn")
    yield _event("messageStop", {"stopReason": reason})


def _event(name: str, payload: dict[str, Any]) -> bytes:
    """An event with the random padding the service adds."""
    return encode_event(name, {**payload, "p": string.ascii_letters[: random.randint(1, 20)]})


def _metadata(seen: Seen) -> dict[str, Any]:
    sent, written = len(json.dumps(seen.body)) // 4, seen.deltas
    usage = {"inputTokens": sent, "outputTokens": written, "totalTokens": sent + written}
    return {"usage": usage, "metrics": {"latencyMs": _LATENCY_MS}}


@contextmanager
def bedrock_in_thread(scripts: Sequence[Script], refused_fields: Sequence[str] = ()) -> Iterator[BedrockEmulator]:
    """An emulator on a loop of its own, for callers that have none or must not share it."""
    emulator = BedrockEmulator(scripts, refused_fields)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="bedrock-emulator", daemon=True)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(emulator.__aenter__(), loop).result(10.0)
        yield emulator
    finally:
        asyncio.run_coroutine_threadsafe(emulator.__aexit__(), loop).result(10.0)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10.0)
        loop.close()
