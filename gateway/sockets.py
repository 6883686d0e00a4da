"""Sockets as the call's line wants them: plain messages, closed is None, every wait bounded."""

import asyncio

from aiohttp import WSMsgType, web

# Twilio's messages are below 2 kB; the codec refuses what is above its own, lower limit and the call goes on. This one
# only keeps a hostile peer from filling memory: beyond it the socket is closed.
MAX_WIRE_MESSAGE_BYTES = 2 * 1024 * 1024
# A close handshake that the peer does not answer.
CLOSE_TIMEOUT_S = 1.0


class WebSocket:
    """A server-side aiohttp WebSocket as gateway.call.line.Socket."""

    def __init__(self, ws: web.WebSocketResponse) -> None:
        self._ws = ws

    async def receive(self) -> str | bytes | None:
        message = await self._ws.receive()
        if message.type is WSMsgType.TEXT or message.type is WSMsgType.BINARY:
            data: str | bytes = message.data
            return data
        return None

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
