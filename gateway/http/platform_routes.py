"""What the phone platforms ask of us over HTTP: answer webhooks, status callbacks, media sockets."""

from collections import Counter
from dataclasses import dataclass

from aiohttp import web

from gateway.errors import Refused
from gateway.gateway import Gateway
from gateway.http.requests import RequestReader
from gateway.http.sockets import MediaWebSocket, RateLimit, WebSocket
from gateway.legs.commanded import Commands
from gateway.legs.visits import Visits
from gateway.platforms.base import Document, Platform, Visited
from gateway.platforms.commands import Commanded


@dataclass(frozen=True, slots=True)
class SocketBounds:
    """`per_source`: media sockets one address may hold; `messages_per_s`: what one of them may send."""

    per_source: int
    messages_per_s: float


class Sources:
    """The sockets that are open, by the address they came from."""

    def __init__(self, per_source: int) -> None:
        self._per_source = per_source
        self._open: Counter[str] = Counter()

    def enter(self, source: str) -> None:
        """Count one more; Refused (429) when that is too many. Leave in any case, unless refused."""
        if self._open[source] >= self._per_source:
            raise Refused("too_many_sockets", "this address holds too many sockets", http_status=429)
        self._open[source] += 1

    def leave(self, source: str) -> None:
        self._open[source] -= 1
        if not self._open[source]:
            del self._open[source]


class PlatformRoutes:
    """The routes of every platform under its name."""

    def __init__(self, gateway: Gateway, reader: RequestReader, bounds: SocketBounds) -> None:
        self._gateway = gateway
        self._reader = reader
        self._bounds = bounds
        self._sources = Sources(bounds.per_source)
        self._commands = Commands(gateway)
        self._visits = Visits(gateway, bounds.messages_per_s)

    def add_to(self, app: web.Application) -> None:
        app.on_shutdown.append(lambda _: self._commands.stop())
        app.on_shutdown.append(lambda _: self._visits.stop())
        app.add_routes(
            [
                web.post("/{platform}/voice", self._voice),
                web.get("/{platform}/voice", self._voice),
                web.post("/{platform}/status", self._status),
                web.get("/{platform}/status", self._status),
                web.get("/documents/{key}", self._document),
                web.post("/documents/{key}", self._document),
                web.get("/{platform}/stream", self._stream),
                web.get("/{platform}/stream/{token}", self._stream),
            ]
        )

    async def _voice(self, request: web.Request) -> web.StreamResponse:
        platform = self._platform(request)
        webhook = await self._reader.webhook(request)
        self._gateway.check(platform, webhook)
        stream_url = f"ws{self._reader.base(request).removeprefix('http')}/{platform.name}/stream"
        if isinstance(platform, Commanded):
            await self._commands.take(platform, webhook, stream_url)
            return web.Response()
        address = platform.visit(webhook) if isinstance(platform, Visited) else ""
        if (answered := self._visits.answered(address)) is not None:
            return _answered(answered)
        document = self._gateway.answer(platform, webhook, stream_url)
        if address and self._gateway.calls.holds(platform.name, document.body):
            self._visits.begin(platform, address, platform.incoming(webhook).call_id, document)
        return _answered(document)

    async def _status(self, request: web.Request) -> web.StreamResponse:
        platform = self._platform(request)
        webhook = await self._reader.webhook(request)
        self._gateway.check(platform, webhook)
        await self._gateway.news(platform, webhook)
        return web.Response(status=204)

    async def _document(self, request: web.Request) -> web.StreamResponse:
        """What a platform was told to fetch: the key, known to it alone for a minute, is the proof."""
        shelf = self._gateway.parts.shelf
        document = shelf.find(request.match_info["key"]) if shelf is not None else None
        if document is None:
            raise Refused("unknown_document", "there is no such document, or no more", http_status=404)
        return _answered(document)

    async def _stream(self, request: web.Request) -> web.StreamResponse:
        platform = self._platform(request)
        self._gateway.check(platform, self._reader.upgrade(request))
        token = request.match_info.get("token", "")
        proven = self._gateway.insecure or self._gateway.calls.holds(platform.name, token)
        if not proven and (token or platform.capabilities.token_in_path):
            raise Refused("bad_token", "the stream's token is unknown or used up")
        source = self._reader.source(request)
        self._sources.enter(source)
        try:
            return await self._carry(request, platform, token)
        finally:
            self._sources.leave(source)

    async def _carry(self, request: web.Request, platform: Platform, token: str) -> web.StreamResponse:
        capabilities = platform.capabilities
        ws = MediaWebSocket(capabilities.ping_interval_s, capabilities.subprotocols)
        await ws.prepare(request)
        socket = WebSocket(ws, RateLimit(self._bounds.messages_per_s))
        await self._gateway.conduct(platform, socket, token, dict(request.query))
        await ws.close()
        return ws

    def _platform(self, request: web.Request) -> Platform:
        return self._gateway.platform(request.match_info["platform"])


def _answered(document: Document) -> web.Response:
    return web.Response(text=document.body, content_type=document.content_type, charset="utf-8")
