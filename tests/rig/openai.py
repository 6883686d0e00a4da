"""A small OpenAI-compatible server: scripted chunks in the styles that servers differ in, and failures on request.

async with ChatEmulator([ChatScript(said("Hello ", "there."))]) as server:
    ChatServer(server.url, "any-model")
"""

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web

_STALL_S = 3600.0


def chunk(delta: dict[str, Any] | None = None, finish: str | None = None, **fields: Any) -> str:
    """One chunk as JSON."""
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    return json.dumps({"id": "c1", "object": "chat.completion.chunk", "choices": choices, **fields})


def said(*pieces: str, finish: str = "stop") -> list[str]:
    """The chunks of a plain reply, usage and [DONE] included."""
    usage = {"prompt_tokens": 7, "completion_tokens": len(pieces)}
    texts = [chunk({"content": p}) for p in pieces]
    return [chunk({"role": "assistant", "content": None}), *texts, chunk({}, finish), chunk(usage=usage), "[DONE]"]


@dataclass(frozen=True, slots=True)
class ChatScript:
    """One answer: `chunks` as events, then what `then` says; an HTTP `status` with `body`; or the connection `cut`."""

    chunks: Sequence[str] = ()
    then: Literal["end", "abort", "stall"] = "end"
    first_s: float = 0.0
    gap_s: float = 0.0
    status: int = 200
    body: str = ""
    content_type: str = "text/event-stream"
    line_end: str = "\n"
    cut: bool = False


@dataclass(slots=True)
class ChatSeen:
    """One request as it arrived, and when things happened (time.perf_counter)."""

    body: dict[str, Any]
    authorization: str
    peer: tuple[str, int]
    arrived_s: float = field(default_factory=time.perf_counter)
    first_chunk_s: float | None = None
    disconnected_s: float | None = None
    finished: bool = False


class ChatEmulator:
    """Answers the n-th request with the n-th script, the last one for ever."""

    def __init__(self, scripts: Sequence[ChatScript], models_status: int = 200, health_status: int = 404) -> None:
        self.seen: list[ChatSeen] = []
        self.checks = 0
        self.url = ""
        self._scripts = list(scripts)
        self._models_status = models_status
        self._health_status = health_status
        self._runner: web.AppRunner | None = None

    async def __aenter__(self) -> "ChatEmulator":
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._complete)
        app.router.add_get("/v1/models", self._models)
        app.router.add_get("/health", self._health)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}/v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _models(self, _: web.Request) -> web.Response:
        self.checks += 1
        return web.json_response({"data": []}, status=self._models_status)

    async def _health(self, _: web.Request) -> web.Response:
        self.checks += 1
        return web.json_response({"status": "ok"}, status=self._health_status)

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        peer = request.transport.get_extra_info("peername")[:2]
        seen = ChatSeen(await request.json(), request.headers.get("Authorization", ""), peer)
        self.seen.append(seen)
        script = self._scripts[min(len(self.seen) - 1, len(self._scripts) - 1)]
        if script.cut:
            request.transport.abort()
        if script.body or script.status != 200:
            return web.Response(status=script.status, text=script.body, content_type=script.content_type)
        try:
            return await self._play(request, script, seen)
        except (asyncio.CancelledError, ConnectionError):
            seen.disconnected_s = time.perf_counter()
            raise

    async def _play(self, request: web.Request, script: ChatScript, seen: ChatSeen) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": script.content_type})
        await response.prepare(request)
        end = script.line_end
        await response.write(f": waiting{end}{end}".encode())
        await asyncio.sleep(script.first_s)
        for text in script.chunks:
            seen.first_chunk_s = seen.first_chunk_s or time.perf_counter()
            await response.write(f"data: {text}{end}{end}".encode())
            await asyncio.sleep(script.gap_s)
        if script.then == "stall":
            await asyncio.sleep(_STALL_S)
        if script.then == "abort":
            assert request.transport is not None
            request.transport.abort()
            raise ConnectionResetError
        await response.write_eof()
        seen.finished = True
        return response
