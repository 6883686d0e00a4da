"""The gateway's HTTP: webhooks, media sockets, health, metrics and the admin's view of calls."""

import hmac
from collections import Counter
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

import structlog
from aiohttp import web
from aiohttp.typedefs import Middleware

from gateway.console.routes import ConsoleRoutes
from gateway.errors import Refused
from gateway.gateway import Gateway
from gateway.platforms.base import Platform, WebhookRequest
from gateway.sockets import MAX_WIRE_MESSAGE_BYTES, WebSocket

log = structlog.get_logger(__name__)

# A webhook form is below 4 kB.
MAX_WEBHOOK_BYTES = 64 * 1024

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Routes:
    """`public_url`: how platforms reach us, scheme and host; empty takes the request's own, on loopback only."""

    def __init__(self, gateway: Gateway, public_url: str, admin_token: str, sockets_per_source: int) -> None:
        self._gateway = gateway
        self._public_url = public_url.rstrip("/")
        self._admin_token = admin_token
        self._sockets_per_source = sockets_per_source
        self._waiting: Counter[str] = Counter()  # sockets by source

    def add_to(self, app: web.Application) -> None:
        app.middlewares.append(_refusals(self._gateway))
        ConsoleRoutes(self._gateway, self._admin, self._base).add_to(app)
        app.add_routes(
            [
                web.get("/healthz", self._healthz),
                web.get("/readyz", self._readyz),
                web.get("/metrics", self._metrics),
                web.get("/calls", self._admin(self._calls)),
                web.get("/calls/{call_id}", self._admin(self._call)),
                web.delete("/calls/{call_id}", self._admin(self._end_call)),
                web.post("/{platform}/voice", self._voice),
                web.post("/{platform}/status", self._status),
                web.get("/{platform}/stream", self._stream),
            ]
        )

    async def _healthz(self, _request: web.Request) -> web.StreamResponse:
        return web.json_response({"status": "alive"})

    async def _readyz(self, _request: web.Request) -> web.StreamResponse:
        parts = await self._gateway.readiness()
        return web.json_response(parts, status=200 if all(parts.values()) else 503)

    async def _metrics(self, _request: web.Request) -> web.StreamResponse:
        headers = {"Content-Type": "text/plain; version=0.0.4; charset=utf-8"}
        return web.Response(body=self._gateway.telemetry.exposition(), headers=headers)

    async def _voice(self, request: web.Request) -> web.StreamResponse:
        platform = self._gateway.platform(request.match_info["platform"])
        webhook = await self._webhook(request)
        self._gateway.check(platform, webhook)
        base = self._base(request)
        stream_url = f"ws{base.removeprefix('http')}/{platform.name}/stream"
        document = self._gateway.answer(platform, webhook, stream_url)
        return web.Response(text=document.body, content_type=document.content_type, charset="utf-8")

    async def _status(self, request: web.Request) -> web.StreamResponse:
        platform = self._gateway.platform(request.match_info["platform"])
        webhook = await self._webhook(request)
        self._gateway.check(platform, webhook)
        return web.Response(status=204)

    async def _stream(self, request: web.Request) -> web.StreamResponse:
        platform = self._gateway.platform(request.match_info["platform"])
        self._gateway.check(platform, await self._upgrade(request))
        source = request.remote or ""
        if self._waiting[source] >= self._sockets_per_source:
            raise Refused("too_many_sockets", "this address holds too many sockets", http_status=429)
        self._waiting[source] += 1
        try:
            return await self._carry(request, platform)
        finally:
            self._waiting[source] -= 1
            if not self._waiting[source]:
                del self._waiting[source]

    async def _carry(self, request: web.Request, platform: Platform) -> web.StreamResponse:
        ws = web.WebSocketResponse(
            max_msg_size=MAX_WIRE_MESSAGE_BYTES,
            heartbeat=platform.capabilities.ping_interval_s,
            protocols=platform.capabilities.subprotocols,
            compress=False,  # µ-law does not compress, and a context per call costs memory
        )
        await ws.prepare(request)
        await self._gateway.conduct(platform, WebSocket(ws))
        await ws.close()
        return ws

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

    def _admin(self, handler: Handler) -> Handler:
        """Ask for the admin token; without a configured one nobody has it."""

        async def checked(request: web.Request) -> web.StreamResponse:
            given = request.headers.get("Authorization", "").removeprefix("Bearer ")
            known = self._admin_token
            if not self._gateway.insecure and not (known and hmac.compare_digest(given.encode(), known.encode())):
                raise Refused("no_admin_token", "send Authorization: Bearer <security.admin_token>", http_status=401)
            return await handler(request)

        return checked

    def _base(self, request: web.Request) -> str:
        """Scheme and host as the platform knows them: from configuration, never from a header, but on loopback."""
        return self._public_url or f"http://{request.host}"

    async def _webhook(self, request: web.Request) -> WebhookRequest:
        if (request.content_length or 0) > MAX_WEBHOOK_BYTES:
            raise Refused("webhook_too_large", f"more than {MAX_WEBHOOK_BYTES} bytes", http_status=413)
        body = await request.read()
        form = await request.post() if request.content_type == "application/x-www-form-urlencoded" else {}
        pairs = tuple((name, value) for name, value in form.items() if isinstance(value, str))
        url = f"{self._base(request)}{request.raw_path}"
        return WebhookRequest(request.method, url, _headers(request), pairs, body)

    async def _upgrade(self, request: web.Request) -> WebhookRequest:
        """The upgrade as it was signed: the wss URL of the answer document (protocols.md section 1)."""
        base = urlsplit(self._base(request))
        scheme = "wss" if base.scheme == "https" else "ws"
        return WebhookRequest("GET", f"{scheme}://{base.netloc}{request.raw_path}", _headers(request))


def _headers(request: web.Request) -> dict[str, str]:
    return {name.lower(): value for name, value in request.headers.items()}


def _refusals(gateway: Gateway) -> Middleware:
    """The one place where a Refused becomes an HTTP answer."""

    @web.middleware
    async def answer(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            return await handler(request)
        except Refused as refused:
            platform = request.match_info.get("platform", "-")
            known = platform if platform in gateway.parts.platforms else "-"
            gateway.telemetry.refused(known, refused.code)
            log.warning("request_refused", path=request.path, code=refused.code)
            return web.json_response({"error": refused.code, "message": refused.detail}, status=refused.http_status)

    return answer
