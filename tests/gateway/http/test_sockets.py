"""Sockets as the line wants them: closed is None, nothing raises but a broken write, every wait is bounded."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import aiohttp
import pytest
from aiohttp import web

from gateway.http.sockets import (
    BURST_S,
    CLOSE_TIMEOUT_S,
    MAX_WIRE_MESSAGE_BYTES,
    READ_BYTES,
    MediaWebSocket,
    RateLimit,
    TcpSocket,
    WebSocket,
)
from tests.rig.clock import run_leaping


@asynccontextmanager
async def web_pair(
    serve: Callable[[WebSocket], Awaitable[None]], per_s: float = 1000.0
) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
    """A client's end; `serve` has the gateway's."""

    async def handler(request: web.Request) -> web.StreamResponse:
        ws = MediaWebSocket()
        await ws.prepare(request)
        await serve(WebSocket(ws, RateLimit(per_s)))
        return ws

    app = web.Application()
    app.router.add_get("/", handler)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.5)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        async with aiohttp.ClientSession() as http:
            yield await http.ws_connect(f"http://127.0.0.1:{runner.addresses[0][1]}/")
    finally:
        await runner.cleanup()


async def test_text_and_bytes_come_as_they_are_and_the_end_is_none_for_ever() -> None:
    got: list[str | bytes | None] = []
    done = asyncio.Event()

    async def serve(socket: WebSocket) -> None:
        for _ in range(5):
            got.append(await socket.receive())
        done.set()

    async with web_pair(serve) as client:
        await client.send_str("text")
        await client.send_bytes(b"bytes")
        await client.close()
        await asyncio.wait_for(done.wait(), 5.0)
    assert got == ["text", b"bytes", None, None, None]


async def test_a_message_above_the_bound_is_the_end() -> None:
    got: list[str | bytes | None] = []

    async def serve(socket: WebSocket) -> None:
        got.append(await socket.receive())

    async with web_pair(serve) as client:
        await client.send_str("x" * (MAX_WIRE_MESSAGE_BYTES + 1))
        assert (await client.receive()).type is aiohttp.WSMsgType.CLOSE
        assert client.close_code == 1009
    assert got == [None]


async def test_what_comes_in_a_burst_is_taken_in_pieces_between_which_the_loop_goes_on() -> None:
    """Tens of thousands of tiny messages in one read held up every other call."""
    message_bytes, count = 1000, 4000
    in_a_row, done = [0], asyncio.Event()

    async def serve(socket: WebSocket) -> None:
        for _ in range(count):
            asyncio.get_running_loop().call_soon(in_a_row.append, 0)
            await socket.receive()
            in_a_row[-1] += 1
        done.set()

    async with web_pair(serve, per_s=count) as client:
        sending = asyncio.create_task(_send(client, "x" * message_bytes, count))
        await asyncio.wait_for(done.wait(), 30.0)
        await sending
    assert sum(in_a_row) == count
    assert 1 < max(in_a_row) <= READ_BYTES // message_bytes + 1


async def _send(client: aiohttp.ClientWebSocketResponse, message: str, count: int) -> None:
    for _ in range(count):
        await client.send_str(message)


async def test_writing_to_a_closed_socket_is_a_connection_error_and_closing_twice_is_nothing() -> None:
    seen: list[type[Exception]] = []
    done = asyncio.Event()

    async def serve(socket: WebSocket) -> None:
        await socket.send("text")
        await socket.send(b"bytes")
        await socket.close(1008)
        await socket.close(1008)
        for message in ("text", b"bytes"):
            with pytest.raises(ConnectionError) as caught:
                await socket.send(message)
            seen.append(caught.type)
        done.set()

    async with web_pair(serve) as client:
        assert [(await client.receive()).data for _ in range(2)] == ["text", b"bytes"]
        await client.receive()
        assert client.close_code == 1008
        await asyncio.wait_for(done.wait(), 5.0)
    assert len(seen) == 2


async def test_a_close_that_is_not_answered_is_not_waited_for() -> None:
    took_s: list[float] = []

    async def serve(socket: WebSocket) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        await socket.close()
        took_s.append(loop.time() - began)

    async with web_pair(serve) as client:
        for _ in range(300):  # the client reads nothing, so it answers nothing
            await asyncio.sleep(0.01)
            if took_s:
                break
        assert not client.closed
    assert took_s
    assert took_s[0] < CLOSE_TIMEOUT_S + 0.5


async def test_a_ping_is_answered_and_is_no_message() -> None:
    got: list[str | bytes | None] = []

    async def serve(socket: WebSocket) -> None:
        got.extend([await socket.receive(), await socket.receive()])

    async with web_pair(serve) as client:
        client._autoping = False
        await client.ping(b"1")
        await client.pong(b"2")
        await client.send_str("text")
        answer = await client.receive()
        assert (answer.type, answer.data) == (aiohttp.WSMsgType.PONG, b"1")
        await client.close()
    assert got == ["text", None]


@pytest.mark.parametrize("way", ["ping", "pong"])
async def test_a_peer_that_floods_with_pings_is_closed(way: str) -> None:
    async def serve(socket: WebSocket) -> None:
        while await socket.receive() is not None:
            pass

    async with web_pair(serve, per_s=1.0) as client:
        for _ in range(round(BURST_S) + 2):
            await getattr(client, way)(b"x")
        await client.receive()
        assert client.close_code == 1008


async def test_a_peer_that_pings_and_reads_no_answer_is_gone() -> None:
    """Its answers fill the socket; then it vanishes. Nothing is raised."""
    got: list[str | bytes | None] = []

    async def serve(socket: WebSocket) -> None:
        got.append(await socket.receive())

    async with web_pair(serve, per_s=10_000_000.0) as client:
        transport = client._response.connection.transport  # type: ignore[union-attr]
        transport.pause_reading()  # type: ignore[union-attr]
        frames = (b"\x89\xfd" + bytes(4) + bytes(125)) * 1000
        for _ in range(200):
            transport.write(frames)  # type: ignore[union-attr]
            await asyncio.sleep(0)
        await asyncio.sleep(0.2)
        transport.abort()  # type: ignore[union-attr]
        for _ in range(100):
            await asyncio.sleep(0.02)
            if got:
                break
    assert got == [None]


async def test_a_peer_that_floods_is_closed() -> None:
    async def serve(socket: WebSocket) -> None:
        while await socket.receive() is not None:
            pass

    async with web_pair(serve, per_s=1.0) as client:
        for _ in range(round(BURST_S) + 2):
            await client.send_str("x")
        await client.receive()
        assert client.close_code == 1008


def test_the_rate_is_an_average_that_forgives_what_a_stall_held_back() -> None:
    async def main() -> None:
        limit = RateLimit(50.0)
        assert all(limit.admits() for _ in range(round(50 * BURST_S)))
        assert not limit.admits()
        await asyncio.sleep(1.0)
        assert sum(limit.admits() for _ in range(100)) in (48, 49, 50)
        await asyncio.sleep(3600.0)
        assert sum(limit.admits() for _ in range(10_000)) == round(50 * BURST_S)

    run_leaping(main())


@asynccontextmanager
async def tcp_pair(
    per_s: float = 1000.0,
) -> AsyncIterator[tuple[TcpSocket, asyncio.StreamReader, asyncio.StreamWriter]]:
    """The gateway's end, and a client's."""
    accepted: asyncio.Future[TcpSocket] = asyncio.get_running_loop().create_future()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accepted.set_result(TcpSocket(reader, writer, RateLimit(per_s)))

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
    try:
        yield await accepted, reader, writer
    finally:
        writer.close()
        await (await accepted).close()
        server.close()


async def test_tcp_carries_bytes_both_ways_and_its_end_is_none() -> None:
    async with tcp_pair() as (socket, reader, writer):
        writer.write(b"hello")
        assert await socket.receive() == b"hello"
        await socket.send(b"bytes")
        await socket.send("text")
        assert await reader.readexactly(9) == b"bytestext"
        writer.close()
        assert await socket.receive() is None
        assert await socket.receive() is None


async def test_tcp_that_is_cut_is_none_too_and_writing_to_it_a_connection_error() -> None:
    async with tcp_pair() as (socket, _reader, writer):
        writer.transport.abort()
        assert await socket.receive() is None
        with pytest.raises(ConnectionError):
            await _send_for_ever(socket)
        await socket.close()


async def _send_for_ever(socket: TcpSocket) -> None:
    while True:
        await socket.send(b"x" * 1000)
        await asyncio.sleep(0.01)


async def test_tcp_that_floods_is_closed() -> None:
    async with tcp_pair(per_s=0.1) as (socket, _reader, writer):
        writer.write(b"x")
        assert await socket.receive() == b"x"
        await asyncio.sleep(0.01)
        writer.write(b"x")
        assert await socket.receive() is None


async def test_closing_tcp_does_not_wait_for_a_peer_that_reads_nothing() -> None:
    async with tcp_pair() as (socket, reader, _writer):
        reader._transport.pause_reading()  # type: ignore[attr-defined]  # nothing public stops a reader
        socket._writer.write(b"x" * 30_000_000)
        began = asyncio.get_running_loop().time()
        await socket.close()
        await socket.close()
        assert asyncio.get_running_loop().time() - began < CLOSE_TIMEOUT_S + 0.5
