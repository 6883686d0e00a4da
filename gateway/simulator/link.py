"""What carries messages between the simulator and a gateway: a WebSocket, a TCP connection, or two queues in memory."""

import asyncio
import socket
from typing import Protocol

import aiohttp

from gateway.simulator.failure import CallFailed

# Twilio's messages are below 2 kB; a gateway that sends a whole reply in one message is still played.
MAX_MESSAGE_BYTES = 8 * 1024 * 1024
# A peer that does not read must not hold the call: the caller has hung up by then.
SEND_TIMEOUT_S = 5.0
CLOSE_TIMEOUT_S = 3.0
# Messages in flight in memory; a sender beyond it waits, as it would for a full socket.
MEMORY_MESSAGES = 1000
_HEAD_BYTES = 3


class Link(Protocol):
    """One socket as its user sees it."""

    async def send(self, message: str | bytes) -> None:
        """Send one message; CallFailed when the peer does not take it, nothing happens when the link is closed."""
        ...

    async def receive(self) -> str | bytes | None:
        """Wait for the next message; None when the peer has closed."""
        ...

    async def close(self) -> None:
        """Close in good order. Idempotent."""
        ...

    def abort(self) -> None:
        """Drop the connection without a word, as a broken network does."""
        ...


class WebSocketLink:
    """A link over aiohttp's client socket."""

    def __init__(self, web_socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = web_socket

    async def send(self, message: str | bytes) -> None:
        try:
            async with asyncio.timeout(SEND_TIMEOUT_S):
                if isinstance(message, str):
                    await self._socket.send_str(message)
                else:
                    await self._socket.send_bytes(message)
        except TimeoutError as error:
            raise CallFailed("stalled", f"the gateway has not read for {SEND_TIMEOUT_S:g} s") from error
        except ConnectionError:
            return  # closed under way: receive() says so next

    async def receive(self) -> str | bytes | None:
        message = await self._socket.receive()
        if message.type in (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY):
            data: str | bytes = message.data
            return data
        return None

    async def close(self) -> None:
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await self._socket.close()
        except TimeoutError:
            self.abort()

    def abort(self) -> None:
        raw = self._socket.get_extra_info("socket")
        if raw is not None:
            raw.shutdown(socket.SHUT_RDWR)


class TcpLink:
    """A link over TCP. Its messages carry their own framing, AudioSocket's: kind, length in two bytes, payload."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def send(self, message: str | bytes) -> None:
        self._writer.write(message if isinstance(message, bytes) else message.encode())
        try:
            async with asyncio.timeout(SEND_TIMEOUT_S):
                await self._writer.drain()
        except TimeoutError as error:
            raise CallFailed("stalled", f"the gateway has not read for {SEND_TIMEOUT_S:g} s") from error
        except ConnectionError:
            return

    async def receive(self) -> str | bytes | None:
        try:
            head = await self._reader.readexactly(_HEAD_BYTES)
            return head + await self._reader.readexactly(int.from_bytes(head[1:], "big"))
        except (asyncio.IncompleteReadError, ConnectionError):
            return None

    async def close(self) -> None:
        self._writer.close()
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await self._writer.wait_closed()
        except (TimeoutError, ConnectionError):
            self.abort()

    def abort(self) -> None:
        self._writer.transport.abort()


class MemoryLink:
    """One end of a link in memory; it needs no socket, so it runs under a test's clock."""

    def __init__(self, inbox: asyncio.Queue[str | bytes | None], outbox: asyncio.Queue[str | bytes | None]) -> None:
        self._inbox = inbox
        self._outbox = outbox
        self._closed = False

    @classmethod
    def pair(cls) -> tuple["MemoryLink", "MemoryLink"]:
        """Two connected ends."""
        there: asyncio.Queue[str | bytes | None] = asyncio.Queue(MEMORY_MESSAGES)
        back: asyncio.Queue[str | bytes | None] = asyncio.Queue(MEMORY_MESSAGES)
        return cls(there, back), cls(back, there)

    async def send(self, message: str | bytes) -> None:
        if self._closed:
            return
        try:
            async with asyncio.timeout(SEND_TIMEOUT_S):
                await self._outbox.put(message)
        except TimeoutError as error:
            raise CallFailed("stalled", f"the gateway has not read for {SEND_TIMEOUT_S:g} s") from error

    async def receive(self) -> str | bytes | None:
        if self._closed and self._inbox.empty():
            return None
        message = await self._inbox.get()
        self._closed = self._closed or message is None
        return message

    async def close(self) -> None:
        self.abort()

    def abort(self) -> None:
        if self._closed:
            return
        self._closed = True
        # The end must be seen even by a peer that has not read, and by our own reader that waits.
        for queue in (self._outbox, self._inbox):
            if queue.full():
                queue.get_nowait()
            queue.put_nowait(None)
