"""Links in memory and over a loopback socket."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import cast

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from gateway.simulator.failure import CallFailed
from gateway.simulator.link import CLOSE_TIMEOUT_S, MEMORY_MESSAGES, SEND_TIMEOUT_S, MemoryLink, TcpLink, WebSocketLink
from tests.rig.clock import run_leaping


def test_memory_carries_both_ways_in_order_and_says_the_end() -> None:
    async def talk() -> None:
        here, there = MemoryLink.pair()
        await here.send("one")
        await here.send(b"two")
        await there.send("back")
        await here.close()
        assert [await there.receive() for _ in range(3)] == ["one", b"two", None]
        assert await there.receive() is None
        await there.send("too late")
        await here.send("too late")
        await here.close()
        await there.close()
        assert await here.receive() == "back"
        assert await here.receive() is None

    run_leaping(talk())


def test_memory_holds_a_bounded_number_of_messages() -> None:
    async def talk() -> float:
        here, there = MemoryLink.pair()
        for _ in range(MEMORY_MESSAGES):
            await here.send("x")
        with pytest.raises(CallFailed, match="stalled"):
            await here.send("one too many")
        here.abort()
        received = [await there.receive() for _ in range(MEMORY_MESSAGES)]
        assert received[-1] is None
        return asyncio.get_running_loop().time()

    assert run_leaping(talk()) == SEND_TIMEOUT_S


class Server:
    """Answers each message with itself, and knows whether the socket was closed or broke."""

    def __init__(self) -> None:
        self.ended = asyncio.Event()
        self.closed_in_good_order = False

    async def handle(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        try:
            while (message := await socket.receive()).type in (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY):
                if message.data == "close":
                    break
                if message.type is aiohttp.WSMsgType.TEXT:
                    await socket.send_str(message.data)
                else:
                    await socket.send_bytes(message.data)
            self.closed_in_good_order = message.type is aiohttp.WSMsgType.CLOSE
            await socket.close()
        finally:
            self.ended.set()
        return socket


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
async def link(server: Server) -> AsyncIterator[WebSocketLink]:
    app = web.Application()
    app.router.add_get("/", server.handle)
    async with TestServer(app) as running, aiohttp.ClientSession() as http:
        yield WebSocketLink(await http.ws_connect(running.make_url("/")))


async def test_a_socket_carries_text_and_bytes(link: WebSocketLink) -> None:
    await link.send("text")
    assert await link.receive() == "text"
    await link.send(b"bytes")
    assert await link.receive() == b"bytes"
    await link.close()
    await link.close()
    assert await link.receive() is None


async def test_the_peers_close_is_the_end(link: WebSocketLink) -> None:
    await link.send("close")
    assert await link.receive() is None
    await link.send("too late")
    await link.close()


async def test_closing_is_in_good_order(link: WebSocketLink, server: Server) -> None:
    await link.close()
    await asyncio.wait_for(server.ended.wait(), 2)
    assert server.closed_in_good_order


async def test_aborting_says_nothing_to_the_peer(link: WebSocketLink, server: Server) -> None:
    link.abort()
    await asyncio.wait_for(server.ended.wait(), 2)
    assert not server.closed_in_good_order
    await link.close()
    link.abort()


class _Frozen:
    """A socket whose peer neither reads nor answers a close."""

    def __init__(self) -> None:
        self.shut = False

    async def send_str(self, text: str) -> None:
        await asyncio.sleep(3600)

    async def close(self) -> None:
        await asyncio.sleep(3600)

    def get_extra_info(self, name: str) -> "_Frozen":
        return self

    def shutdown(self, how: int) -> None:
        self.shut = True


def test_a_peer_that_does_not_read_fails_the_send_and_is_cut_off() -> None:
    frozen = _Frozen()
    link = WebSocketLink(cast("aiohttp.ClientWebSocketResponse", frozen))

    async def talk() -> float:
        with pytest.raises(CallFailed, match="stalled"):
            await link.send("hello?")
        await link.close()
        return asyncio.get_running_loop().time()

    assert run_leaping(talk()) == SEND_TIMEOUT_S + CLOSE_TIMEOUT_S
    assert frozen.shut


Serving = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def tcp_link(serve: Serving) -> AsyncIterator[TcpLink]:
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    link = TcpLink(*await asyncio.open_connection(*server.sockets[0].getsockname()))
    try:
        yield link
    finally:
        await link.close()
        server.close()


async def test_frames_over_tcp_are_whole_however_they_were_cut() -> None:
    async def dribble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for byte in b"\x10\x00\x02ab\x00\x00\x00\x10\x00\x09cut":
            writer.write(bytes([byte]))
            await writer.drain()
        writer.close()

    async with tcp_link(dribble) as link:
        assert [await link.receive() for _ in range(3)] == [b"\x10\x00\x02ab", b"\x00\x00\x00", None]


async def test_what_is_sent_over_tcp_arrives() -> None:
    got: list[bytes] = []

    async def read(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        got.append(await reader.readexactly(5))
        writer.close()

    async with tcp_link(read) as link:
        await link.send(b"\x00\x01")
        await link.send("abc")
        assert await link.receive() is None
    assert got == [b"\x00\x01abc"]


async def test_an_aborted_tcp_link_is_closed_for_both() -> None:
    seen: list[bytes] = []

    async def read(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            seen.append(await reader.read())
        writer.close()

    async with tcp_link(read) as link:
        await link.send(b"x")
        link.abort()
        assert await link.receive() is None
        await link.send(b"late")
