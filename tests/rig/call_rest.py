"""A stand-in for REST APIs that take JSON or forms: it remembers what was asked and answers as told.

Faults are as in twilio_rest: an HTTP status, "stall" (no answer), "drop" (the connection is closed) or "garbage".
"""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer

from gateway.platforms.control import Patience

# Over real sockets: short, to wait for an answer that never comes, and long enough for a busy machine to give one.
BRIEF = Patience(connect_s=1.0, total_s=1.0, pauses_s=(0.01, 0.01))


@dataclass(frozen=True, slots=True)
class Asked:
    """One request; `bearer` is its key or token, `body` its JSON, form or XML text, None without one."""

    method: str
    path: str
    bearer: str
    body: Any
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class CallRest:
    """`answers` are status and body of the next answers; after them every request is answered with 200 and {}."""

    answers: list[tuple[int, Any]] = field(default_factory=list)
    faults: list[int | str] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    base_url: str = ""

    @asynccontextmanager
    async def serving(self) -> AsyncIterator["CallRest"]:
        """Listen on loopback; `base_url` is set meanwhile."""
        app = web.Application()
        app.add_routes([web.route("*", "/{path:.*}", self._answer)])
        server = TestServer(app)
        await server.start_server()
        self.base_url = str(server.make_url("")).rstrip("/")
        try:
            yield self
        finally:
            await server.close()

    async def _answer(self, request: web.Request) -> web.Response:
        key = request.headers.get("Authorization", "").removeprefix("Bearer ")
        self.asked.append(Asked(request.method, request.raw_path, key, await _body(request), dict(request.headers)))
        fault = self.faults.pop(0) if self.faults else None
        if fault == "drop" and request.transport is not None:
            request.transport.close()
        if fault in ("stall", "drop"):  # the server's end cancels this
            await asyncio.sleep(3600)
        if fault == "garbage":
            return web.Response(text="<html>")
        if isinstance(fault, int):
            return web.json_response({"title": "about +15550100001"}, status=fault)
        status, body = self.answers.pop(0) if self.answers else (200, {})
        return web.Response(status=status) if body is None else web.json_response(body, status=status)


async def _body(request: web.Request) -> Any:
    if not request.can_read_body:
        return None
    if request.content_type == "application/json":
        return json.loads(await request.read())
    if request.content_type == "application/xml":
        return await request.text()
    assert request.content_type == "application/x-www-form-urlencoded"
    return {name: str(value) for name, value in (await request.post()).items()}
