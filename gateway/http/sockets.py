"""Sockets as the call's line wants them: plain messages, closed is None, every wait bounded."""

import asyncio
from collections.abc import Sequence

import structlog
from aiohttp import ClientWebSocketResponse, WSMsgType, web
from aiohttp.abc import AbstractStreamWriter

log = structlog.get_logger(__name__)

# Twilio's messages are below 2 kB; the codec refuses what is above its own, lower limit and the call goes on. This one
# only keeps a hostile peer from filling memory: beyond it the socket is closed.
MAX_WIRE_MESSAGE_BYTES = 2 * 1024 * 1024
# A close handshake that the peer does not answer.
CLOSE_TIMEOUT_S = 1.0
# Room for an answer to a ping; a peer that reads nothing for so long is gone.
PONG_TIMEOUT_S = 5.0
# What a network stall held back arrives at once: so many seconds of the allowed rate may.
BURST_S = 10.0
# WebSocket close codes for a peer that breaks our rules, and for one that may come back (RFC 6455, 7.4.1).
POLICY_VIOLATION, TRY_AGAIN_LATER = 1008, 1013
# Read from a connection at once; a second of 16 kHz L16. asyncio would take 256 kB, which may be 43,000 WebSocket
# frames, and all calls would wait for a tenth of a second while they are parsed.
READ_BYTES = 32 * 1024

_MESSAGES = frozenset({WSMsgType.TEXT, WSMsgType.BINARY})
_OPEN = _MESSAGES | {WSMsgType.PING, WSMsgType.PONG}


class RateLimit:
    """A bucket of BURST_S seconds that refills at `per_s` messages a second."""

    def __init__(self, per_s: float) -> None:
        self._per_s = per_s
        self._now = asyncio.get_running_loop().time
        self._room = per_s * BURST_S
        self._at_s = self._now()

    def admits(self) -> bool:
        """Take note of one message; False when it is one too many."""
        now_s = self._now()
        self._room = min(self._per_s * BURST_S, self._room + (now_s - self._at_s) * self._per_s) - 1.0
        self._at_s = now_s
        return self._room >= 0.0


class MediaWebSocket(web.WebSocketResponse):
    """The server's end of a media stream; it reads READ_BYTES at once, as soon as it is open."""

    def __init__(self, heartbeat: float | None = None, protocols: Sequence[str] = ()) -> None:
        super().__init__(
            max_msg_size=MAX_WIRE_MESSAGE_BYTES,
            heartbeat=heartbeat,
            protocols=protocols,
            autoping=False,
            compress=False,  # µ-law does not compress, and a context per call costs memory
        )

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter:
        # An attribute of asyncio's own transports that is not documented; others have none, or read less.
        if (transport := request.transport) is not None and hasattr(transport, "max_size"):
            transport.max_size = READ_BYTES
        return await super().prepare(request)


class WebSocket:
    """An aiohttp WebSocket, whoever opened it, as gateway.call.line.Socket; a peer beyond `limit` is closed.

    It is opened with autoping=False: pings are messages too, and are answered here.
    """

    def __init__(self, ws: web.WebSocketResponse | ClientWebSocketResponse, limit: RateLimit) -> None:
        self._ws = ws
        self._limit = limit

    async def receive(self) -> str | bytes | None:
        while True:
            message = await self._ws.receive()
            if message.type not in _OPEN:
                return None
            if not self._limit.admits():
                log.warning("too_many_messages")
                await self.close(POLICY_VIOLATION)
                return None
            if message.type is WSMsgType.PING and not await self._pong(message.data):
                return None
            if message.type in _MESSAGES:
                data: str | bytes = message.data
                return data

    async def _pong(self, payload: bytes) -> bool:
        """Whether the peer took its answer."""
        try:
            async with asyncio.timeout(PONG_TIMEOUT_S):
                await self._ws.pong(payload)
        except (TimeoutError, ConnectionError):
            return False
        return True

    async def send(self, message: str | bytes) -> None:
        if self._ws.closed:
            raise ConnectionResetError("the socket is closed")
        if isinstance(message, str):
            await self._ws.send_str(message)
        else:
            await self._ws.send_bytes(message)

    async def close(self, code: int = 1000) -> None:
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await self._ws.close(code=code)
        except (TimeoutError, ConnectionError):  # the peer is gone; the transport is closed with the request
            return


class TcpSocket:
    """A TCP connection as gateway.call.line.Socket: its messages are whatever bytes came, in order."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, limit: RateLimit) -> None:
        self._reader = reader
        self._writer = writer
        self._limit = limit
        self._closed = False

    async def receive(self) -> str | bytes | None:
        try:
            data = await self._reader.read(READ_BYTES)
        except ConnectionError:
            return None
        if data and not self._limit.admits():
            log.warning("too_many_messages")
            await self.close()
            return None
        return data or None

    async def send(self, message: str | bytes) -> None:
        self._writer.write(message if isinstance(message, bytes) else message.encode())
        await self._writer.drain()

    async def close(self, code: int = 1000) -> None:
        if self._closed:  # waiting for the end a second time fails when the first wait was given up
            return
        self._closed = True
        self._writer.close()
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await self._writer.wait_closed()
        except (TimeoutError, ConnectionError):  # what it did not read is not waited for
            self._writer.transport.abort()
