"""The TCP port: known networks only, bounded in number, and a call like any other behind it."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from gateway.gateway import Gateway
from gateway.http.platform_routes import SocketBounds
from gateway.http.tcp_listener import TcpListener
from tests.conformance.rig import PlatformRig

NAME = "audiosocket"
HELLO = b"\x01\x00\x10" + uuid.UUID(int=7).bytes


@asynccontextmanager
async def listening(
    allowed: tuple[str, ...] = ("127.0.0.0/8",), per_source: int = 10, insecure: bool = True
) -> AsyncIterator[tuple[Gateway, int]]:
    gateway = PlatformRig(NAME, insecure=insecure).gateway()
    listener = TcpListener(gateway, gateway.platform(NAME), allowed, SocketBounds(per_source, 200.0))
    port = await listener.start("127.0.0.1", 0)
    try:
        yield gateway, port
    finally:
        await gateway.stop(0.0)
        await listener.stop()


async def said_to(port: int, data: bytes, wait_s: float = 0.0) -> bytes:
    """Say something, and return the first 3 bytes of what is said back; nothing when the connection is closed."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    try:
        await asyncio.sleep(wait_s)
        return await reader.readexactly(3)
    except (asyncio.IncompleteReadError, ConnectionError):
        return b""
    finally:
        writer.close()


async def test_a_connection_is_a_call() -> None:
    async with listening() as (gateway, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(HELLO)
        assert await reader.readexactly(3) == b"\x10\x01\x40"  # the greeting, 20 ms of slin
        assert [record.platform for record in gateway.calls.records()] == [NAME]
        writer.close()
        await asyncio.sleep(0.2)
        assert gateway.calls.count == 0


async def test_an_unknown_network_is_refused() -> None:
    async with listening(("192.0.2.0/24",)) as (gateway, port):
        assert await said_to(port, HELLO) == b""
        assert gateway.calls.records() == []


async def test_a_uuid_that_no_webhook_gave_is_refused() -> None:
    async with listening(insecure=False) as (gateway, port):
        assert await said_to(port, HELLO) == b""
        assert gateway.calls.records() == []


async def test_one_address_holds_a_bounded_number_of_connections() -> None:
    async with listening(per_source=1) as (_, port):
        first = await asyncio.open_connection("127.0.0.1", port)
        first[1].write(HELLO)
        await first[0].readexactly(3)
        assert await said_to(port, HELLO) == b""
        first[1].close()
        await asyncio.sleep(0.1)
        assert await said_to(port, HELLO.replace(b"\x07", b"\x08")) != b""


async def test_what_is_no_audiosocket_is_closed() -> None:
    async with listening() as (gateway, port):
        assert await said_to(port, b"\x10\x01\x40" + bytes(320)) == b""
        assert gateway.calls.records() == []


async def test_stopping_ends_what_is_still_open() -> None:
    async with listening() as (_, port):
        reader, _writer = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.sleep(0.05)
    assert await reader.read() == b""


async def test_a_wrong_network_and_a_taken_port_are_told() -> None:
    gateway = PlatformRig(NAME).gateway()
    bounds = SocketBounds(1, 200.0)
    with pytest.raises(ValueError, match="everywhere"):
        TcpListener(gateway, gateway.platform(NAME), ["everywhere"], bounds)
    async with listening() as (_, port):
        with pytest.raises(OSError, match="address already in use"):
            await TcpListener(gateway, gateway.platform(NAME), [], bounds).start("127.0.0.1", port)
