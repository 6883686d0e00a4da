"""An HTTP/2 server over TLS for emulators: streams that are read and written as they come, with flow control."""

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import (
    DataReceived,
    Event,
    RemoteSettingsChanged,
    RequestReceived,
    StreamEnded,
    StreamReset,
    WindowUpdated,
)
from h2.exceptions import ProtocolError

from tests.rig.certificates import CERTIFICATE, KEY


class Exchange:
    """One request and its answer."""

    def __init__(self, connection: "_Connection", stream_id: int, headers: dict[str, str]) -> None:
        self.headers = headers
        self._connection = connection
        self._id = stream_id
        self._body: asyncio.Queue[bytes | None] = asyncio.Queue()

    async def read(self) -> bytes | None:
        """The next bytes of the request's body; None at its end."""
        return await self._body.get()

    def answer(self, status: int, headers: dict[str, str]) -> None:
        fields = [(":status", str(status)), *headers.items()]
        self._connection.h2.send_headers(self._id, fields)
        self._connection.flush()

    async def write(self, data: bytes) -> None:
        """Send `data` as fast as the peer's windows allow; OSError when the connection or stream is gone."""
        h2 = self._connection.h2
        while data:
            if self._connection.is_lost:
                raise ConnectionResetError
            room = self._window()
            if not room:
                await self._connection.wait_for_window()
                continue
            h2.send_data(self._id, data[:room])
            data = data[room:]
            self._connection.flush()

    def end(self) -> None:
        """End the answer; nothing happens when the peer has left."""
        with suppress(ProtocolError):
            self._connection.h2.end_stream(self._id)
            self._connection.flush()

    def feed(self, data: bytes | None) -> None:
        self._body.put_nowait(data)

    def _window(self) -> int:
        h2 = self._connection.h2
        try:
            return min(h2.local_flow_control_window(self._id), h2.max_outbound_frame_size)
        except ProtocolError as error:
            raise ConnectionResetError from error


Handler = Callable[[Exchange], Awaitable[None]]


class _Connection(asyncio.Protocol):
    def __init__(self, server: "Http2Server") -> None:
        self.h2 = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
        self.is_lost = False
        self._server = server
        self._exchanges: dict[int, Exchange] = {}
        self._handlers: set[asyncio.Task[None]] = set()
        self._window = asyncio.Event()
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._server.connections.add(self)
        self.h2.initiate_connection()
        self.flush()

    def data_received(self, data: bytes) -> None:
        try:
            events = self.h2.receive_data(data)
        except ProtocolError:
            events = []
        for event in events:
            self._take(event)
        self.flush()

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_lost = True
        self._server.connections.discard(self)
        self._window.set()
        for exchange in self._exchanges.values():
            exchange.feed(None)
        for handler in self._handlers:
            handler.cancel()

    def flush(self) -> None:
        if self.transport is not None and not self.is_lost:
            self.transport.write(self.h2.data_to_send())

    async def wait_for_window(self) -> None:
        self._window.clear()
        await self._window.wait()

    async def handled(self) -> None:
        """Return when every handler has ended."""
        await asyncio.gather(*self._handlers, return_exceptions=True)

    def _take(self, event: Event) -> None:
        match event:
            case RequestReceived(stream_id=int(stream_id)):
                headers = {str(name): str(value) for name, value in event.headers or []}
                self._exchanges[stream_id] = Exchange(self, stream_id, headers)
                task = asyncio.get_running_loop().create_task(self._handle(self._exchanges[stream_id]))
                self._handlers.add(task)
                task.add_done_callback(self._handlers.discard)
            case DataReceived(stream_id=int(stream_id)):
                if event.data:
                    self._exchanges[stream_id].feed(event.data)
                with suppress(ProtocolError):
                    self.h2.acknowledge_received_data(event.flow_controlled_length or 0, stream_id)
            case StreamEnded(stream_id=int(stream_id)) | StreamReset(stream_id=int(stream_id)):
                self._exchanges[stream_id].feed(None)
                self._window.set()
            case WindowUpdated() | RemoteSettingsChanged():
                self._window.set()

    async def _handle(self, exchange: Exchange) -> None:
        with suppress(ConnectionError):
            await self._server.handler(exchange)


class Http2Server:
    """Serves `handler` on localhost; after `abort` it can be started again on the same port."""

    def __init__(self, handler: Handler, certificates: Path, protocols: tuple[str, ...] = ("h2",)) -> None:
        self.handler = handler
        self.port = 0
        self.connections: set[_Connection] = set()
        self._server: asyncio.Server | None = None
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._tls.load_cert_chain(certificates / CERTIFICATE, certificates / KEY)
        self._tls.set_alpn_protocols(list(protocols))

    @property
    def url(self) -> str:
        return f"https://localhost:{self.port}"

    async def start(self) -> None:
        loop = asyncio.get_running_loop()
        # IPv4 and IPv6 have the same name; one is enough, the client tries both.
        self._server = await loop.create_server(
            lambda: _Connection(self), "127.0.0.1", self.port, ssl=self._tls, reuse_address=True
        )
        self.port = self._server.sockets[0].getsockname()[1]

    async def abort(self) -> None:
        """Die: no good-bye on any connection, nobody listens."""
        assert self._server is not None
        self._server.close()
        for connection in list(self.connections):
            assert connection.transport is not None
            connection.transport.abort()
            await connection.handled()
