"""The operator's page, the softphone, and what they fetch.

The pages themselves hold no secrets; calls are shown and placed only with the admin token.
"""

import json
import secrets
from collections.abc import Awaitable, Callable
from importlib import resources
from importlib.resources.abc import Traversable

from aiohttp import web

from gateway.console.softphone import NAME
from gateway.errors import Refused
from gateway.gateway import Gateway
from gateway.platforms.base import WebhookRequest

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript"}
# Everything is ours and from here; scripts cannot be written into the page, nor the page be framed.
PAGE_HEADERS = {
    "Content-Security-Policy": "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "connect-src 'self'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
        )
    ),
    "Permissions-Policy": "microphone=(self), camera=(), geolocation=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",  # a new version is seen at the next load
}
# 64 random bits tell one call of the softphone from another.
_CALL_ID_BYTES = 8
# From a browser's own address bar, or a page of ours.
_OWN_SITES = frozenset({"same-origin", "none"})


class ConsoleRoutes:
    """`admin` wraps a handler so that it asks for the admin token; `base` is our scheme and host for a request."""

    def __init__(
        self, gateway: Gateway, admin: Callable[[Handler], Handler], base: Callable[[web.Request], str]
    ) -> None:
        self._gateway = gateway
        self._admin = admin
        self._base = base
        self._files = {file.name: file.read_bytes() for file in _static().iterdir() if _type(file.name)}
        callers = resources.files("gateway.simulator") / "callers"
        self._recordings = {file.name: file.read_bytes() for file in callers.iterdir() if file.name.endswith(".wav")}
        self._texts = json.loads((callers / "manifest.json").read_text("utf-8"))

    def add_to(self, app: web.Application) -> None:
        app.add_routes(
            [
                web.get("/", self._page("console.html")),
                web.get("/softphone", self._page("softphone.html")),
                web.get("/console/status", self._status),
                web.get("/console/{file}", self._file),
                web.post("/softphone/call", self._admin(self._call)),
                web.get("/softphone/callers", self._callers),
                web.get("/softphone/callers/{file}", self._recording),
            ]
        )

    def _page(self, name: str) -> Handler:
        async def page(_request: web.Request) -> web.StreamResponse:
            return self._served(name)

        return page

    async def _file(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["file"]
        if name not in self._files:
            raise Refused("unknown_file", "the console has no such file", http_status=404)
        return self._served(name)

    async def _status(self, _request: web.Request) -> web.StreamResponse:
        """What a page says before anybody has shown a token; /metrics and /readyz tell no less."""
        gateway = self._gateway
        return _json({"insecure_dev": gateway.insecure, "draining": gateway.calls.draining})

    async def _call(self, request: web.Request) -> web.StreamResponse:
        """Keep a place for one call of the page: 503 without room, else where its stream goes and the token.

        `?bot=NAME` asks for one of the bots; 400 names those there are.
        """
        # Without a token to ask for, a foreign page could otherwise fill our places from the operator's own browser.
        if request.headers.get("Sec-Fetch-Site", "none") not in _OWN_SITES:
            raise Refused("cross_site", "only our own page places softphone calls")
        platform = self._gateway.platform(NAME)
        call_id = f"{NAME}-{secrets.token_hex(_CALL_ID_BYTES)}"
        routing, name = self._gateway.routing, request.query.get("bot", "")
        bot = routing.named(name) if name else routing.default
        self._gateway.calls.admit(call_id, bot.name)
        base = self._base(request)
        asked = WebhookRequest("POST", f"{base}{request.path}", {}, (("CallSid", call_id),))
        document = self._gateway.answer(platform, asked, f"ws{base.removeprefix('http')}/{NAME}/stream", bot.name)
        return _json({**json.loads(document.body), "call_id": call_id})

    async def _callers(self, _request: web.Request) -> web.StreamResponse:
        """The bundled recordings, in the manifest's order: file and what is said in it."""
        known = [(name, entry) for name, entry in self._texts.items() if name in self._recordings]
        return _json([{"file": name, "text": entry["text"]} for name, entry in known])

    async def _recording(self, request: web.Request) -> web.StreamResponse:
        recording = self._recordings.get(request.match_info["file"])
        if recording is None:
            raise Refused("unknown_file", "there is no such recording", http_status=404)
        return web.Response(body=recording, content_type="audio/wav", headers=PAGE_HEADERS)

    def _served(self, name: str) -> web.Response:
        return web.Response(body=self._files[name], content_type=_type(name), charset="utf-8", headers=PAGE_HEADERS)


def _static() -> Traversable:
    return resources.files("gateway.console") / "static"


def _type(name: str) -> str:
    return _TYPES.get(name.rpartition(".")[2], "")


def _json(value: object) -> web.Response:
    return web.json_response(value, headers={"Cache-Control": "no-store"})
