"""A stand-in for Twilio's REST API over calls, on aiohttp: strict about credentials, paths and fields, as Twilio is."""

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree

from aiohttp import web
from aiohttp.test_utils import TestServer

_CREATE_FIELDS = frozenset(
    ("To", "From", "Url", "Twiml", "ApplicationSid", "Method", "StatusCallback", "StatusCallbackEvent")
    + ("StatusCallbackMethod", "Timeout", "MachineDetection", "TimeLimit", "SendDigits")
)
_UPDATE_FIELDS = frozenset(("Status", "Twiml", "Url", "Method", "StatusCallback", "StatusCallbackMethod", "TimeLimit"))
_MAX_TWIML_CHARS = 4000
_MAX_RING_S = 600


@dataclass(slots=True)
class TwilioRest:
    """The account's calls by id, and what was asked. Set `faults` to answer the next requests in another way.

    A fault is an HTTP status, "stall" (no answer), "drop" (the connection is closed) or "garbage" (no JSON).
    """

    account_sid: str = "AC" + "0" * 31 + "1"
    auth_token: str = "synthetic-token"
    calls: dict[str, dict[str, str]] = field(default_factory=dict)
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    faults: list[int | str] = field(default_factory=list)
    base_url: str = ""

    def add_call(self, call_sid: str, status: str = "in-progress") -> None:
        self.calls[call_sid] = {"sid": call_sid, "status": status}

    @asynccontextmanager
    async def serving(self) -> AsyncIterator["TwilioRest"]:
        """Listen on loopback; `base_url` is set meanwhile."""
        app = web.Application()
        root = "/2010-04-01/Accounts/{account}/Calls"
        app.add_routes([web.post(root + ".json", self._create), web.post(root + "/{call}.json", self._update)])
        server = TestServer(app)
        await server.start_server()
        self.base_url = str(server.make_url("")).rstrip("/")
        try:
            yield self
        finally:
            await server.close()

    async def _create(self, request: web.Request) -> web.Response:
        form = await self._accept(request)
        if refusal := self._refusal(request, form, _CREATE_FIELDS):
            return refusal
        for name, code in (("To", 21201), ("From", 21603)):
            if not form.get(name):
                return _error(400, code, f"A '{name}' phone number is required")
        if sum(name in form for name in ("Url", "Twiml", "ApplicationSid")) != 1:
            return _error(400, 21205, "Url parameter is required")
        if not 0 < int(form.get("Timeout", "60")) <= _MAX_RING_S:
            return _error(400, 21218, "Invalid timeout")
        call_sid = f"CA{len(self.calls) + 1:032x}"
        self.add_call(call_sid, "queued")
        return web.json_response(self.calls[call_sid], status=201)

    async def _update(self, request: web.Request) -> web.Response:
        form = await self._accept(request)
        if refusal := self._refusal(request, form, _UPDATE_FIELDS):
            return refusal
        call = self.calls.get(request.match_info["call"])
        if call is None:
            return _error(404, 20404, f"The requested resource {request.path} was not found")
        if call["status"] == "completed":
            return _error(400, 21220, "Invalid call state")
        if "Twiml" in form:
            call["twiml"] = form["Twiml"]
        if "Status" in form:
            if form["Status"] not in ("completed", "canceled"):
                return _error(400, 21219, "Invalid status")
            call["status"] = form["Status"]
        return web.json_response(call)

    async def _accept(self, request: web.Request) -> dict[str, str]:
        form = {name: str(value) for name, value in (await request.post()).items()}
        self.requests.append((request.raw_path, form))
        fault = self.faults.pop(0) if self.faults else None
        if fault == "stall":
            await asyncio.sleep(3600)
        if fault == "drop" and request.transport is not None:
            request.transport.close()
        if fault == "garbage":
            raise web.HTTPOk(text="<html>")
        if fault == "flood":
            raise web.HTTPOk(text=" " * 100_000)
        if isinstance(fault, int):
            raise _Faulty(fault)
        return form

    def _refusal(self, request: web.Request, form: dict[str, str], known: frozenset[str]) -> web.Response | None:
        expected = base64.b64encode(f"{self.account_sid}:{self.auth_token}".encode()).decode()
        if request.headers.get("Authorization") != f"Basic {expected}":
            return _error(401, 20003, "Authenticate")
        if request.match_info["account"] != self.account_sid:
            return _error(404, 20404, "The requested resource was not found")
        if request.content_type != "application/x-www-form-urlencoded":
            return _error(415, 20001, "Unsupported media type")
        if unknown := set(form) - known:
            return _error(400, 20001, f"Unknown fields {sorted(unknown)}")
        return _twiml_refusal(form.get("Twiml"))


class _Faulty(web.HTTPException):
    """An answer with any status and an error body that repeats a number, as Twilio's texts do."""

    def __init__(self, status: int) -> None:
        self.status_code = status
        text = f'{{"code": {status}99, "message": "about +15550100001", "status": {status}}}'
        super().__init__(text=text, content_type="application/json", headers={"Location": "/elsewhere"})


def _twiml_refusal(twiml: str | None) -> web.Response | None:
    if twiml is None:
        return None
    try:
        good = len(twiml) <= _MAX_TWIML_CHARS and ElementTree.fromstring(twiml.encode()).tag == "Response"
    except ElementTree.ParseError:
        good = False
    return None if good else _error(400, 12100, "Document parse failure")


def _error(status: int, code: int, message: str) -> web.Response:
    body: dict[str, Any] = {"code": code, "message": message, "status": status}
    return web.json_response(body, status=status)
