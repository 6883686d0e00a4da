"""A peer that is no service: silent, dribbling, mad, or unwilling; each is told within bounds."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from gateway.errors import SttError
from gateway.stt.cloud import dialling
from gateway.stt.cloud.dialling import code_of, dial

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def peer(serve: Serve) -> AsyncIterator[str]:
    """A server that does as told with every connection, whatever it is asked; its address."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await serve(reader, writer)
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        yield f"ws://127.0.0.1:{port}"


async def silent(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
    await reader.read()  # until the client goes


async def dribbling(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    for byte in b"HTTP/1.1 101 Switching Protocols\r\n" + b"X-Slow: 1\r\n" * 1000:
        writer.write(bytes((byte,)))
        await writer.drain()
        await asyncio.sleep(0.01)


async def closing(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
    return


async def mad(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"\x00\xff" * 5000)
    await writer.drain()
    await reader.read()  # until the client goes


@pytest.mark.parametrize("serve", [silent, dribbling, closing, mad])
async def test_a_peer_that_does_not_answer_as_a_service_is_worth_another_try(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dialling, "CONNECT_S", 0.3)  # shortened from 3 s
    async with peer(serve) as url:
        with pytest.raises(SttError) as caught:
            await asyncio.wait_for(dial("anybody", url), 10.0)
    assert (caught.value.code, caught.value.retryable) == ("anybody_unreachable", True)


@pytest.mark.parametrize(("status", "retryable"), [(401, False), (402, False), (429, True), (500, True)])
async def test_a_refusal_is_told_with_the_peers_reason_but_not_all_of_it(status: int, retryable: bool) -> None:
    async def refuse(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 %d No\r\nX-Why: %b\r\nContent-Length: 0\r\n\r\n" % (status, b"y" * 1000))
        await writer.drain()

    async with peer(refuse) as url:
        with pytest.raises(SttError) as caught:
            await dial("anybody", url, reason_header="x-why")
    assert (caught.value.code, caught.value.retryable) == ("anybody_refused", retryable)
    assert caught.value.detail == f"HTTP {status} at the upgrade: {'y' * 200}"


def test_a_language_has_the_services_code_or_is_the_operators_to_add() -> None:
    assert code_of("deepgram", "pt", {"pt": "pt-BR"}) == "pt-BR"
    with pytest.raises(SttError, match=r"stt\.deepgram\.languages has no code for 'fr'"):
        code_of("deepgram", "fr", {"pt": "pt-BR"})
