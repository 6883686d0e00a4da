"""The pump between one media socket and its codec: no decisions, every wait bounded."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncGenerator
from contextlib import aclosing
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
        # Some platforms number our messages, so one is encoded when the one before has been written. A wait for it is
        # as bounded as that write.
        self._writing = asyncio.Lock()
        self._over = ""  # why, when it was learnt elsewhere
        self._unread: deque[Event] = deque()  # of the message read last
        self.faults: Counter[str] = Counter()

    async def events(self) -> AsyncGenerator[Event]:
        """Yield what the peer said, ending after CallEnded; a fatal PeerError ends the call too."""
        ended = False
        while not ended:
            if not self._unread:
                self._unread.extend(await self._read())
            while self._unread and not ended:
                event = self._unread.popleft()
                ended = isinstance(event, CallEnded)
                yield event

    async def started(self) -> CallStarted | None:
        """Read up to the start message; None when the stream ended before it. Bound the wait with a timeout."""
        async with aclosing(self.events()) as events:
            async for event in events:
                if isinstance(event, CallStarted):
                    return event
        return None

    async def _read(self) -> list[Event]:
        """Take the next message and answer what the protocol owes for it; a socket that has closed ends the call."""
        message = await self._socket.receive()
        events = self.codec.receive_eof() if message is None else self.codec.receive(message)
        try:
            await self._write(self.codec.owed())
        except PeerFault as fault:
            return [CallEnded(fault.code)]
        read = [self._ending(event) for event in events if not self._is_passing_fault(event)]
        return read if message is not None or read else [CallEnded(self._over or "closed")]

    def _is_passing_fault(self, event: Event) -> bool:
        """Count a fault of the peer; whether the call goes on after it."""
        if not isinstance(event, PeerError):
            return False
        self._count(event)
        return not event.fatal

    def _ending(self, event: Event) -> Event:
        """A fatal fault as the end that it is; an end that was learnt elsewhere with its reason."""
        if isinstance(event, PeerError):
            return CallEnded(event.code)
        return CallEnded(self._over) if self._over and isinstance(event, CallEnded) else event

    async def send(self, command: Command) -> None:
        """Write a command; PeerFault `peer_stopped_reading` or `peer_gone` when it cannot be (F-09)."""
        async with self._writing:
            await self._write(self.codec.encode(command))

    async def over(self, reason: str) -> None:
        """The call has ended, as was learnt elsewhere: close the socket, so that `events` says so. Idempotent."""
        self._over = self._over or reason
        await self.close()

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
