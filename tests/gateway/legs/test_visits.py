"""Streams that we open: an Asterisk that waits for us (Dial(WebSocket/INCOMING/...)), asked and answered for real."""

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestServer

from gateway.gateway import Gateway
from gateway.simulator.call import CallTrace, SimulatedCall
from gateway.simulator.chan_websocket import ChanWebsocketDialect
from gateway.simulator.link import WebSocketLink
from gateway.simulator.run import Target
from gateway.simulator.script import Manners, Script
from tests.conformance.served import ANSWER, QUESTION, SECRETS, serving
from tests.rig.call import GREETING, sound
from tests.rig.waiting import until

BASIC = {"Authorization": "Basic " + b64encode(SECRETS["chan_websocket"].encode()).decode()}
PATIENT = Manners(quiet_s=0.4, greeting_s=2.0, reply_s=5.0)


class WaitingAsterisk:
    """Its HTTP server: a channel waits under /media/ID, in plain text or JSON, without variables."""

    def __init__(self, plain: bool = False) -> None:
        self.dialect = ChanWebsocketDialect("1767225600.10", {}, plain=plain)
        self.traces: list[CallTrace] = []
        self.visited: list[str] = []

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[str]:
        app = web.Application()
        app.router.add_get("/media/{id}", self._media)
        async with TestServer(app) as server:
            yield str(server.make_url("/media")).replace("http", "ws", 1)

    async def _media(self, request: web.Request) -> web.StreamResponse:
        self.visited.append(request.match_info["id"])
        if request.match_info["id"] != "channel-1":
            raise web.HTTPNotFound
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        link: Any = WebSocketLink(socket)  # type: ignore[arg-type]  # the server's end reads and writes alike
        script = Script([sound(0.4).at(8000, self.dialect.rate_hz)], self.dialect.rate_hz, PATIENT)
        self.traces.append(await SimulatedCall(link, self.dialect, script).run())
        return socket


@asynccontextmanager
async def beside(asterisk: WaitingAsterisk) -> AsyncIterator[tuple[Gateway, Target]]:
    """A gateway that knows this Asterisk."""
    async with (
        asterisk.listening() as media_url,
        serving(settings=[f"chan_websocket.media_url={media_url}"]) as served,
    ):
        yield served


async def ask(http: ClientSession, target: Target, connection_id: str) -> tuple[int, str]:
    """What the dial plan's CURL() gets, on the channel that waits."""
    form = {"CallId": "17.1", "From": "+15550100001", "To": "+15550100002", "ConnectionId": connection_id}
    async with http.post(f"{target.url}/chan_websocket/voice", data=form, headers=BASIC) as response:
        return response.status, await response.text()


def told(gateway: Gateway) -> list[tuple[str, str, str]]:
    return [
        (record.call_id, turn.caller_text, turn.heard_text)
        for record in gateway.calls.records()
        for turn in record.turns
    ]


@pytest.mark.parametrize("plain", [False, True], ids=["JSON", "plain text"])
async def test_the_gateway_comes_to_the_channel_that_waits_and_holds_the_call(plain: bool) -> None:
    asterisk = WaitingAsterisk(plain)
    async with beside(asterisk) as (gateway, target), ClientSession() as http:
        assert (await ask(http, target, "channel-1"))[0] == 200
        await until(lambda: bool(asterisk.traces), within_s=15.0)
        await until(lambda: gateway.calls.count == 0)
        assert told(gateway) == [("17.1", "", GREETING), ("17.1", QUESTION, ANSWER)]
        assert asterisk.traces[0].violations == ()
        assert asterisk.visited == ["channel-1"]


async def test_a_channel_that_is_gone_gives_its_place_back() -> None:
    asterisk = WaitingAsterisk()
    async with beside(asterisk) as (gateway, target), ClientSession() as http:
        status, token = await ask(http, target, "channel-2")
        assert status == 200
        await until(lambda: not gateway.calls.holds("chan_websocket", token))
        assert asterisk.visited == ["channel-2"]
        assert told(gateway) == []


@pytest.mark.parametrize("after_s", [0.0, 0.3], ids=["before the stream is open", "while the call is on"])
async def test_a_question_asked_twice_gets_the_same_answer_and_one_stream(after_s: float) -> None:
    asterisk = WaitingAsterisk()
    async with beside(asterisk) as (gateway, target), ClientSession() as http:
        first = asyncio.create_task(ask(http, target, "channel-1"))
        await asyncio.sleep(after_s)
        assert await ask(http, target, "channel-1") == await first
        await until(lambda: bool(asterisk.traces), within_s=15.0)
        await until(lambda: gateway.calls.count == 0)
        assert [record.call_id for record in gateway.calls.records()] == ["17.1"]
        assert asterisk.visited == ["channel-1"]


async def test_a_channel_that_says_nothing_gives_its_place_back() -> None:
    async def silent(request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse(protocols=("media",))
        await socket.prepare(request)
        await socket.receive()
        return socket

    app = web.Application()
    app.router.add_get("/media/{id}", silent)
    async with TestServer(app) as server:
        media_url = str(server.make_url("/media")).replace("http", "ws", 1)
        async with serving(settings=[f"chan_websocket.media_url={media_url}"]) as (gateway, target):
            async with ClientSession() as http:
                _, token = await ask(http, target, "channel-1")
            await until(lambda: not gateway.calls.holds("chan_websocket", token), within_s=10.0)


async def test_nowhere_to_go_is_told_to_the_dial_plan() -> None:
    async with serving() as (gateway, target), ClientSession() as http:
        status, answer = await ask(http, target, "channel-1")
        assert status == 400
        assert "chan_websocket.media_url" in answer


async def test_an_asterisk_that_does_not_answer_is_given_up_and_the_gateway_stops() -> None:
    deaf = await asyncio.start_server(lambda *_: asyncio.sleep(60.0), "127.0.0.1", 0)
    port = deaf.sockets[0].getsockname()[1]
    async with serving(settings=[f"chan_websocket.media_url=ws://127.0.0.1:{port}/media"]) as (gateway, target):
        async with ClientSession() as http:
            assert (await ask(http, target, "channel-1"))[0] == 200
        await asyncio.sleep(0.1)  # it is on its way when the gateway is stopped
        assert gateway.calls.count == 0
    deaf.close()
