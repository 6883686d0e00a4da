"""The pump between one media socket and its codec: no decisions, every wait bounded."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from typing import Protocol

import structlog

from gateway.errors import PeerFault
from gateway.events import CallEnded, CallStarted, Command, Event, PeerError
from gateway.platforms.base import Codec

log = structlog.get_logger(__name__)

# Distinct kinds of protocol faults remembered per call; a peer inventing new ones shares the last counter.
MAX_FAULT_KINDS = 32


class Socket(Protocol):
    """What carries the stream: a WebSocket, a TCP connection, or two queues in a test."""

    async def receive(self) -> str | bytes | None:
        """The next message, None once closed. Raises nothing."""
        ...

    async def send(self, message: str | bytes) -> None:
        """Write one message, waiting while the peer does not read; ConnectionError once closed."""
        ...

    async def close(self, code: int = 1000) -> None:
        """Close within a bound of its own. Idempotent."""
        ...


class Line:
    """Events in, commands out, over one socket. Protocol faults are counted and logged once per kind and call."""

    def __init__(self, socket: Socket, codec: Codec, send_timeout_s: float) -> None:
        self._socket = socket
        self.codec = codec
        self._send_timeout_s = send_timeout_s
        self.faults: Counter[str] = Counter()

    async def events(self) -> AsyncIterator[Event]:
        """Yield what the peer said, ending after CallEnded; a fatal PeerError ends the call too."""
        while True:
            message = await self._socket.receive()
            events = self.codec.receive_eof() if message is None else self.codec.receive(message)
            try:
                await self._write(self.codec.owed())
            except PeerFault as fault:
                events = [CallEnded(fault.code)]
            for event in events:
                if isinstance(event, PeerError):
                    self._count(event)
                    if not event.fatal:
                        continue
                    event = CallEnded(event.code)
                yield event
                if isinstance(event, CallEnded):
                    return
            if message is None:
                return

    async def started(self) -> CallStarted | None:
        """Read up to the start message; None when the stream ended before it. Bound the wait with a timeout."""
        async for event in self.events():
            if isinstance(event, CallStarted):
                return event
        return None

    async def send(self, command: Command) -> None:
        """Write a command; PeerFault `peer_stopped_reading` or `peer_gone` when it cannot be (F-09)."""
        await self._write(self.codec.encode(command))

    async def close(self, code: int = 1000) -> None:
        await self._socket.close(code)

    async def _write(self, messages: list[str | bytes]) -> None:
        for message in messages:
            try:
                async with asyncio.timeout(self._send_timeout_s):
                    await self._socket.send(message)
            except TimeoutError:
                raise PeerFault("peer_stopped_reading", f"no room for {self._send_timeout_s} s") from None
            except ConnectionError as error:
                raise PeerFault("peer_gone", str(error)) from error

    def _count(self, event: PeerError) -> None:
        kind = event.code if event.code in self.faults or len(self.faults) < MAX_FAULT_KINDS else "other"
        self.faults[kind] += 1
        if self.faults[kind] == 1:
            log.warning("peer_error", code=kind, detail=event.detail, fatal=event.fatal)
