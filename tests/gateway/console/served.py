"""A gateway of small working parts, served over loopback, and what a softphone does with it."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import aiohttp
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from gateway.bots.bot import Bot
from gateway.bots.routing import Routing
from gateway.call.calls import Calls
from gateway.call.script import Script, Timing
from gateway.console.softphone import Softphone
from gateway.gateway import Gateway
from gateway.http.platform_routes import SocketBounds
from gateway.http.requests import RequestReader
from gateway.llm.scripted import ScriptedModel
from gateway.parts import Bounds, Parts
from gateway.platforms.base import Platform
from gateway.platforms.twilio import Twilio
from gateway.routes import Routes
from gateway.stt.energy import EnergyRecognisers
from gateway.telemetry import Telemetry
from tests.rig.voice import TestVoices

ADMIN = {"Authorization": "Bearer admin-secret"}

Client = TestClient[web.Request, web.Application]


@asynccontextmanager
async def console(
    insecure: bool = False, public_url: str = "", max_calls: int = 2, softphone: bool = True
) -> AsyncIterator[tuple[Client, Gateway]]:
    """A client of a served gateway, and the gateway."""
    script = Script("en", "Be brief.", "Hi", "Sorry?", "Pardon?", "Bye")
    platforms: dict[str, Platform] = {"twilio": Twilio("twilio-secret")}
    if softphone:
        platforms["softphone"] = Softphone()
    parts = Parts(EnergyRecognisers(["Hello"]), ScriptedModel(["Yes."]), TestVoices(), platforms, {})
    bot = Bot(script, Timing(500, 250, 100, 60.0, 30.0, 600.0), "af_heart", 1.0)
    routing = Routing(bot, [replace(bot, name="billing", max_calls=1)])
    calls = Calls(max_calls, 60.0, 10, asyncio.get_running_loop().time, routing.caps)
    gateway = Gateway(parts, routing, calls, Telemetry(), Bounds(10.0, 5.0), insecure)
    app = web.Application()
    Routes(gateway, RequestReader(public_url), "admin-secret", SocketBounds(64, 200.0)).add_to(app)
    async with TestClient(TestServer(app)) as client:
        yield client, gateway
        await gateway.stop(0.0)


async def reserve(client: Client, **headers: str) -> tuple[int, dict[str, Any]]:
    async with client.post("/softphone/call", headers={**ADMIN, **headers}) as response:
        return response.status, await response.json()


async def open_stream(
    client: Client, call_id: str, token: str, platform: str = "softphone"
) -> aiohttp.ClientWebSocketResponse:
    ws: aiohttp.ClientWebSocketResponse = await client.ws_connect(f"/{platform}/stream")
    start = {"callSid": call_id, "streamSid": "stream-1", "customParameters": {"token": token}}
    await ws.send_str('{"event":"connected"}')
    await ws.send_str(json.dumps({"event": "start", "streamSid": "stream-1", "start": start}))
    return ws
