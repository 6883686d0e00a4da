"""The gateway's HTTP: health, metrics, the admin's calls, and beside them the console and the platforms."""

import hmac
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import structlog
from aiohttp import web
from aiohttp.typedefs import Middleware

from gateway.console.routes import ConsoleRoutes
from gateway.errors import PeerFault, Refused
from gateway.gateway import Gateway
from gateway.http.platform_routes import PlatformRoutes, SocketBounds
from gateway.http.requests import RequestReader
from gateway.legs.outbound import read_wanted

log = structlog.get_logger(__name__)

# Whose number a call is placed from when nobody says.
DEFAULT_PLATFORM = "twilio"
# Calls last minutes, but with dozens on there is room again within seconds.
RETRY_AFTER_S = 5
# Too many requests, and no room: what is asked for is right, only not now.
_LATER = (429, 503)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Routes:
    """The whole HTTP side; `admin_token` opens /calls and the console, a blank one to nobody."""

    def __init__(self, gateway: Gateway, reader: RequestReader, admin_token: str, bounds: SocketBounds) -> None:
        self._gateway = gateway
        self._reader = reader
        self._admin_token = admin_token
        self._platforms = PlatformRoutes(gateway, reader, bounds)

    def add_to(self, app: web.Application) -> None:
        app.middlewares.append(_refusals(self._gateway))
        ConsoleRoutes(self._gateway, self._admin, self._reader.base).add_to(app)
        app.add_routes(
            [
                web.get("/healthz", self._healthz),
                web.get("/readyz", self._readyz),
                web.get("/metrics", self._metrics),
                web.get("/calls", self._admin(self._calls)),
                web.post("/calls", self._admin(self._dial)),
                web.get("/calls/{call_id}", self._admin(self._call)),
                web.delete("/calls/{call_id}", self._admin(self._end_call)),
                web.post("/calls/{call_id}/transfer", self._admin(self._transfer)),
                web.post("/calls/{call_id}/digits", self._admin(self._digits)),
            ]
        )
        self._platforms.add_to(app)

    async def _healthz(self, _request: web.Request) -> web.StreamResponse:
        return web.json_response({"status": "alive"})

    async def _readyz(self, _request: web.Request) -> web.StreamResponse:
        parts = await self._gateway.readiness()
        return web.json_response(parts, status=200 if all(parts.values()) else 503)

    async def _metrics(self, _request: web.Request) -> web.StreamResponse:
        headers = {"Content-Type": "text/plain; version=0.0.4; charset=utf-8"}
        return web.Response(body=self._gateway.telemetry.exposition(), headers=headers)

    async def _calls(self, _request: web.Request) -> web.StreamResponse:
        return web.json_response([record.as_json(words=False) for record in self._gateway.calls.records()])

    async def _call(self, request: web.Request) -> web.StreamResponse:
        call_id = request.match_info["call_id"]
        for record in self._gateway.calls.records():
            if record.call_id == call_id:
                return web.json_response(record.as_json())
        raise Refused("unknown_call", "no such call is on, or kept (transcripts.keep_calls)", http_status=404)

    async def _end_call(self, request: web.Request) -> web.StreamResponse:
        if not self._gateway.calls.farewell(request.match_info["call_id"]):
            raise Refused("unknown_call", "no such call is on", http_status=404)
        return web.json_response({"status": "ending"}, status=202)

    async def _dial(self, request: web.Request) -> web.StreamResponse:
        body = await self._json(request)
        wanted = read_wanted(body)
        platform = self._gateway.platform(_text(body, "platform", DEFAULT_PLATFORM))
        call_id = await self._gateway.dial(platform, wanted, self._reader.base(request))
        return web.json_response({"call_id": call_id, "platform": platform.name}, status=201)

    async def _transfer(self, request: web.Request) -> web.StreamResponse:
        body = await self._json(request)
        to, announce, ours = (_text(body, name) for name in ("to", "announce", "from"))
        if not isinstance(warm := body.get("warm", False), bool):
            raise Refused("bad_field", "warm is true or false", http_status=400)
        leg = self._gateway.leg(request.match_info["call_id"])
        await leg.transfer(to, warm=warm, announce=announce, our_number=ours)
        return web.json_response({"status": "moving"}, status=202)

    async def _digits(self, request: web.Request) -> web.StreamResponse:
        digits = _text(await self._json(request), "digits")
        await self._gateway.leg(request.match_info["call_id"]).send_digits(digits)
        return web.json_response({"status": "sent"}, status=202)

    async def _json(self, request: web.Request) -> Mapping[str, Any]:
        try:
            body = json.loads(await self._reader.body(request))
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            raise Refused("bad_json", "the body must be a JSON object", http_status=400)
        return body

    def _admin(self, handler: Handler) -> Handler:
        """Ask for the admin token; without a configured one nobody has it."""

        async def checked(request: web.Request) -> web.StreamResponse:
            header = request.headers.get("Authorization", "").removeprefix("Bearer ")
            given, known = header.encode("utf-8", "replace"), self._admin_token.encode()
            if not self._gateway.insecure and not (known and hmac.compare_digest(given, known)):
                raise Refused("no_admin_token", "send Authorization: Bearer <security.admin_token>", http_status=401)
            return await handler(request)

        return checked


def _text(body: Mapping[str, Any], name: str, default: str = "") -> str:
    """The text at `name`; Refused (400) for anything else, of which a text would have to be guessed."""
    if not isinstance(value := body.get(name, default), str):
        raise Refused("bad_field", f"{name} must be a text", http_status=400)
    return value


def _refusals(gateway: Gateway) -> Middleware:
    """The one place where a Refused becomes an HTTP answer."""

    @web.middleware
    async def answer(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            return await handler(request)
        except PeerFault as fault:
            log.error("platform_api_failed", code=fault.code, error=str(fault))
            return web.json_response({"error": fault.code, "message": fault.detail}, status=502)
        except Refused as refused:
            platform = request.match_info.get("platform", "-")
            known = platform if platform in gateway.parts.platforms else "-"
            gateway.telemetry.refused(known, refused.code)
            # The route, not the path: that may hold a stream's token.
            log.warning("request_refused", route=_route(request), platform=known, code=refused.code)
            later = {"Retry-After": str(RETRY_AFTER_S)} if refused.http_status in _LATER else {}
            told = {"error": refused.code, "message": refused.detail}
            return web.json_response(told, status=refused.http_status, headers=later)

    return answer


def _route(request: web.Request) -> str:
    resource = request.match_info.route.resource
    return resource.canonical if resource is not None else ""
