"""Streams that we open ourselves, at a platform that waits for us."""

import asyncio

import aiohttp
import structlog

from gateway.gateway import Gateway
from gateway.http.sockets import MAX_WIRE_MESSAGE_BYTES, RateLimit, WebSocket
from gateway.platforms.base import Document, Platform

log = structlog.get_logger(__name__)

# The caller hears it ring meanwhile; a platform in the same network answers in milliseconds.
CONNECT_TIMEOUT_S = 5.0


class Visits:
    """The streams that are being opened, or are on. `messages_per_s` is what one of them may send."""

    def __init__(self, gateway: Gateway, messages_per_s: float) -> None:
        self._gateway = gateway
        self._messages_per_s = messages_per_s
        self._running: dict[asyncio.Task[None], tuple[str, Document]] = {}

    def begin(self, platform: Platform, url: str, call_id: str, answer: Document) -> None:
        """Open the stream of a call that has been answered so, with its token; returns at once."""
        task = asyncio.create_task(self._visit(platform, url, call_id, answer.body), name=f"{call_id}: visit")
        self._running[task] = url, answer
        task.add_done_callback(self._running.pop)

    def answered(self, url: str) -> Document | None:
        """How the call was answered whose stream at `url` is ours already: the question is a repetition."""
        return next((answer for visited, answer in self._running.values() if visited == url), None)

    async def stop(self) -> None:
        """End those that are still on: their calls have been drained before."""
        for task in self._running:
            task.cancel()
        if self._running:
            await asyncio.wait(self._running)

    async def _visit(self, platform: Platform, url: str, call_id: str, token: str) -> None:
        async with aiohttp.ClientSession() as http:
            try:
                async with asyncio.timeout(CONNECT_TIMEOUT_S):
                    ws = await http.ws_connect(
                        url,
                        max_msg_size=MAX_WIRE_MESSAGE_BYTES,
                        autoping=False,
                        heartbeat=platform.capabilities.ping_interval_s,
                        protocols=platform.capabilities.subprotocols,
                    )
            except (aiohttp.ClientError, OSError) as error:  # a TimeoutError is one, too
                log.error("stream_not_opened", call=call_id, platform=platform.name, error=type(error).__name__)
                self._gateway.calls.release(call_id)
                return
            await self._gateway.conduct(platform, WebSocket(ws, RateLimit(self._messages_per_s)), token)
            self._gateway.calls.release(call_id)  # of a stream that never began
