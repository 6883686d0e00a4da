"""A gateway behind its real HTTP server on a free loopback port, with engines that count what they are asked for."""

import asyncio
import base64
import hashlib
import hmac
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree

import aiohttp
from aiohttp import web

from gateway.bots.bot import Bot
from gateway.bots.routing import Routing
from gateway.call.calls import Calls
from gateway.call.script import Script, Timing
from gateway.gateway import Gateway
from gateway.http.platform_routes import SocketBounds
from gateway.http.requests import MAX_WEBHOOK_BYTES, RequestReader
from gateway.llm.scripted import ScriptedModel
from gateway.parts import Bounds, Parts
from gateway.platforms.twilio import Twilio
from gateway.routes import Routes
from gateway.stt.energy import EnergyRecogniser, EnergyRecognisers
from gateway.telemetry import Telemetry
from tests.rig.voice import TestVoices

AUTH_TOKEN = "an auth token for tests"
ADMIN_TOKEN = "an admin token for tests"
PUBLIC_URL = "https://bot.example.com"
VOICE_PATH, STREAM_PATH = "/twilio/voice", "/twilio/stream"


class CountingEars(EnergyRecognisers):
    """Recognisers, counted."""

    def __init__(self) -> None:
        super().__init__(["When do you open?"])
        self.count = 0

    def recogniser(self, language: str) -> EnergyRecogniser:
        self.count += 1
        return super().recogniser(language)


def signature(url: str, form: Mapping[str, str] | None = None, token: str = AUTH_TOKEN) -> str:
    """X-Twilio-Signature, computed here and not by the gateway: HMAC-SHA1 of URL and sorted fields, in base64."""
    signed = url + "".join(name + value for name, value in sorted((form or {}).items()))
    return base64.b64encode(hmac.new(token.encode(), signed.encode(), hashlib.sha1).digest()).decode()


def form_of(call_id: str = "CA1") -> dict[str, str]:
    return {"CallSid": call_id, "AccountSid": "AC1", "From": "+15550100001", "To": "+15550100002"}


def start_message(call_id: str, token: str = "", stream_id: str = "MZ1") -> dict[str, Any]:
    body = {
        "accountSid": "AC1",
        "streamSid": stream_id,
        "callSid": call_id,
        "tracks": ["inbound"],
        "mediaFormat": {"encoding": "audio/x-mulaw", "sampleRate": 8000, "channels": 1},
        "customParameters": {"token": token} if token else {},
    }
    return {"event": "start", "sequenceNumber": "1", "streamSid": stream_id, "start": body}


@dataclass
class Served:
    """A running gateway and a client for it; `url` is where it listens, which is not its public address."""

    gateway: Gateway
    url: str
    http: aiohttp.ClientSession
    ears: CountingEars
    voices: TestVoices
    sockets: list[aiohttp.ClientWebSocketResponse] = field(default_factory=list)
    reports: list[dict[str, Any]] = field(default_factory=list)  # what the loop was told of errors nobody handled

    @property
    def made(self) -> tuple[int, int]:
        """How many recognisers and voices have been asked for."""
        return self.ears.count, len(self.voices.made)

    async def webhook(
        self, form: Mapping[str, str], path: str = VOICE_PATH, headers: Mapping[str, str] | None = None
    ) -> tuple[int, str]:
        """Post a webhook, signed as Twilio does unless `headers` are given."""
        if headers is None:
            headers = {"X-Twilio-Signature": signature(PUBLIC_URL + path, form)}
        async with self.http.post(self.url + path, data=form, headers=headers) as answer:
            return answer.status, await answer.text()

    async def token(self, call_id: str = "CA1") -> str:
        """The stream token of a signed webhook."""
        status, document = await self.webhook(form_of(call_id))
        assert status == 200, document
        return next(
            p.get("value", "") for p in ElementTree.fromstring(document).iter("Parameter") if p.get("name") == "token"
        )

    async def socket(self, headers: Mapping[str, str] | None = None) -> aiohttp.ClientWebSocketResponse:
        """Open the media socket, its upgrade signed as Twilio does unless `headers` are given."""
        if headers is None:
            headers = {"X-Twilio-Signature": signature(PUBLIC_URL.replace("https", "wss", 1) + STREAM_PATH)}
        socket = await self.http.ws_connect(self.url + STREAM_PATH, headers=headers, max_msg_size=0)
        self.sockets.append(socket)  # one that nobody holds would be closed
        return socket


@asynccontextmanager
async def served(
    *,
    insecure: bool = False,
    max_calls: int = 5,
    token_ttl_s: float = 60.0,
    first_message_s: float = 5.0,
    per_source: int = 20,
    public_url: str = PUBLIC_URL,
    admin_token: str = ADMIN_TOKEN,
    greeting: str = "Hello.",
    reply: str = "At nine.",
) -> AsyncIterator[Served]:
    """Serve until left; every call is ended then."""
    ears, voices = CountingEars(), TestVoices()
    loop = asyncio.get_running_loop()
    parts = Parts(ears, ScriptedModel([reply]), voices, {"twilio": Twilio(AUTH_TOKEN)}, {})
    script = Script("en", "Be brief.", greeting, "Sorry?", "Pardon?", "Bye.")
    bot = Bot(script, Timing(300, 200, 100, 60.0, 30.0, 600.0), "af_heart", 1.0)
    calls = Calls(max_calls, token_ttl_s, 100, loop.time)
    gateway = Gateway(parts, Routing(bot), calls, Telemetry(), Bounds(first_message_s, 2.0), insecure)
    app = web.Application(client_max_size=MAX_WEBHOOK_BYTES)
    Routes(gateway, RequestReader(public_url), admin_token, SocketBounds(per_source, 10_000.0)).add_to(app)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    async with aiohttp.ClientSession() as http:
        served = Served(gateway, f"http://{host}:{port}", http, ears, voices)
        loop.set_exception_handler(lambda _loop, context: served.reports.append(context))
        try:
            yield served
        finally:
            for socket in served.sockets:
                await socket.close()
            await gateway.stop(0.0)
            await runner.cleanup()
            loop.set_exception_handler(None)
