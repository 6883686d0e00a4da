"""A TCP port for the platform that has no HTTP: each connection is one stream (AudioSocket).

It shows no credentials before its first frame, so only known networks may connect.
"""

import asyncio
from collections.abc import Sequence

import structlog

from gateway.errors import Refused
from gateway.gateway import Gateway
from gateway.http.platform_routes import SocketBounds, Sources
from gateway.http.requests import is_within, networks
from gateway.http.sockets import RateLimit, TcpSocket
from gateway.platforms.base import Platform

log = structlog.get_logger(__name__)


class TcpListener:
    """Serves `platform`; `allowed` are the networks that may connect."""

    def __init__(self, gateway: Gateway, platform: Platform, allowed: Sequence[str], bounds: SocketBounds) -> None:
        """ValueError when a network is none."""
        self._gateway = gateway
        self._platform = platform
        self._allowed = networks(allowed)
        self._bounds = bounds
        self._sources = Sources(bounds.per_source)
        self._server: asyncio.Server | None = None
        self._streams: set[asyncio.Task[None]] = set()

    async def start(self, host: str, port: int) -> int:
        """Listen and return the port; OSError when it is taken."""
        self._server = await asyncio.start_server(self._serve, host, port)
        bound: int = self._server.sockets[0].getsockname()[1]
        log.info("tcp_listening", platform=self._platform.name, host=host, port=bound)
        return bound

    async def stop(self) -> None:
        """Take no more connections and end those that are still open: the calls have been drained before."""
        if self._server is not None:
            self._server.close()
        for stream in self._streams:
            stream.cancel()
        if self._streams:
            await asyncio.wait(self._streams)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # start_server runs us as one
        self._streams.add(task)
        socket = TcpSocket(reader, writer, RateLimit(self._bounds.messages_per_s))
        try:
            await self._admit(socket, str(writer.get_extra_info("peername", ("",))[0]))
        except Refused as refused:
            self._gateway.telemetry.refused(self._platform.name, refused.code)
            log.warning("connection_refused", platform=self._platform.name, code=refused.code)
        finally:
            self._streams.discard(task)
            await socket.close()

    async def _admit(self, socket: TcpSocket, source: str) -> None:
        if not is_within(source, self._allowed):
            raise Refused("unknown_network", "the address is in none of the allowed networks")
        self._sources.enter(source)
        try:
            await self._gateway.conduct(self._platform, socket)
        finally:
            self._sources.leave(source)
