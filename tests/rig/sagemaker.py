"""What SageMaker does between a client's bidirectional stream and a container's WebSocket.

HTTP/2 over TLS in front, a WebSocket to a real worker behind. It checks the shape of signed requests and the checksums
of their frames; it verifies no signature. Throttling, rights and timing of the real service cannot be seen here.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

from tests.rig.event_stream import encode_exception, encode_message
from tests.rig.http2 import Exchange, Http2Server
from tests.rig.signed_events import Fragment, SignedReader

MISSED_PONGS = 5
# What the real service allows a container for the upgrade is not documented.
_UPGRADE_S = 2.0
_STREAM_TYPE = "application/vnd.amazon.eventstream"


@dataclass(slots=True)
class Refusal:
    """An answer in place of a stream."""

    status: int
    kind: str
    body: dict[str, object]


@dataclass(slots=True)
class Sidecar:
    """The emulated service. `worker_url` is ws://host:port; 60 s and 30 minutes are the real ping and session."""

    worker_url: str
    endpoint: str = "voice"
    ping_s: float = 60.0
    session_s: float = 1800.0
    is_mute: bool = False  # takes requests and answers nothing
    refusals: list[Refusal] = field(default_factory=list)
    requests: list[dict[str, str]] = field(default_factory=list)
    received: list[Fragment] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)

    async def handle(self, exchange: Exchange) -> None:
        """Be one InvokeEndpointWithBidirectionalStream."""
        self.requests.append(exchange.headers)
        if self.is_mute:
            await asyncio.sleep(3600.0)
        refusal = self.refusals.pop(0) if self.refusals else self._fault_of(exchange.headers)
        if refusal is None:
            try:
                container = await self._upgrade(exchange.headers)
            except InvalidStatus as error:
                refusal = _model_error(error.response.status_code)
            except (OSError, TimeoutError, WebSocketException):
                refusal = _model_error(500)
            else:
                try:
                    await self._join(exchange, container)
                finally:
                    container.transport.abort()
                return
        exchange.answer(refusal.status, {"content-type": "application/json", "x-amzn-errortype": refusal.kind})
        await exchange.write(json.dumps(refusal.body).encode())
        exchange.end()

    def _fault_of(self, headers: dict[str, str]) -> Refusal | None:
        if headers[":path"].rstrip("?") != f"/endpoints/{self.endpoint}/invocations-bidirectional-stream":
            return Refusal(400, "InputValidationError", {"Message": f"Endpoint not found: {headers[':path']}"})
        signed = "/sagemaker/aws4_request" in headers.get("authorization", "")
        streamed = headers.get("x-amz-content-sha256") == "STREAMING-AWS4-HMAC-SHA256-EVENTS"
        if not (signed and streamed and headers.get("content-type") == _STREAM_TYPE):
            return Refusal(403, "AccessDeniedException", {"Message": "not a signed event stream"})
        return None

    async def _upgrade(self, headers: dict[str, str]) -> ClientConnection:
        path = headers.get("x-amzn-sagemaker-model-invocation-path", "/invocations-bidirectional-stream")
        return await connect(
            f"{self.worker_url}{path}", compression=None, open_timeout=_UPGRADE_S, ping_interval=None, proxy=None,
            max_size=None, close_timeout=_UPGRADE_S,
        )  # fmt: skip

    async def _join(self, exchange: Exchange, container: ClientConnection) -> None:
        """Carry both ways until one side ends, the pongs stay away or the time is over."""
        exchange.answer(
            200,
            {
                "content-type": _STREAM_TYPE,
                "x-amzn-invoked-production-variant": exchange.headers.get(
                    "x-amzn-sagemaker-target-variant", "AllTraffic"
                ),
            },
        )
        ways = [
            asyncio.create_task(self._ping(container)),
            asyncio.create_task(_down(container, exchange)),
            asyncio.create_task(self._up(exchange, container)),
            asyncio.create_task(asyncio.sleep(self.session_s, "session over")),
        ]
        try:
            done, _ = await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
        end = next(way.result() for way in ways if way in done)
        self.ends.append(end)
        if end.startswith("closed"):
            fault = {"ErrorCode": "ModelStreamError", "Message": end}
            await exchange.write(encode_exception("ModelStreamError", fault))
        exchange.end()

    async def _up(self, exchange: Exchange, container: ClientConnection) -> str:
        reader = SignedReader()
        parts: list[Fragment] = []
        while (data := await exchange.read()) is not None:
            for fragment in reader.feed(data):
                if fragment is None:
                    await container.close()
                    return "client ended"
                self.received.append(fragment)
                parts.append(fragment)
                if not fragment.is_partial:
                    message, parts = [part.content() for part in parts], []
                    # A list becomes one WebSocket message of several frames.
                    with suppress(ConnectionClosed):
                        await container.send(message if len(message) > 1 else message[0])
        return "client lost"

    async def _ping(self, container: ClientConnection) -> str:
        missed = 0
        while missed < MISSED_PONGS:
            try:
                pong = await container.ping()
                await asyncio.wait_for(asyncio.shield(pong), self.ping_s)
                missed = 0
                await asyncio.sleep(self.ping_s)
            except TimeoutError:
                missed += 1
            except ConnectionClosed:
                await asyncio.sleep(3600.0)  # `_down` tells it
        return f"closed: {MISSED_PONGS} pings without a pong"


async def _down(container: ClientConnection, exchange: Exchange) -> str:
    try:
        while True:
            held: str | bytes | None = None
            async for fragment in container.recv_streaming():
                if held is not None:
                    await exchange.write(_payload_part(held, is_partial=True))
                held = fragment
            if held is not None:
                await exchange.write(_payload_part(held, is_partial=False))
    except ConnectionClosed as error:
        close = error.rcvd
        return f"closed by the container with {close.code} {close.reason}" if close else "closed without a word"


def _payload_part(data: str | bytes, *, is_partial: bool) -> bytes:
    headers = {
        ":event-type": "PayloadPart",
        ":content-type": "application/octet-stream",
        ":message-type": "event",
        "DataType": "UTF8" if isinstance(data, str) else "BINARY",
        "CompletionState": "PARTIAL" if is_partial else "COMPLETE",
    }
    return encode_message(headers, data.encode() if isinstance(data, str) else data)


def _model_error(status: int) -> Refusal:
    body = {"Message": "Received an error from the container", "OriginalStatusCode": status, "OriginalMessage": ""}
    return Refusal(424, "ModelError", body)


@asynccontextmanager
async def serving(sidecar: Sidecar, certificates: Path) -> AsyncIterator[Http2Server]:
    """The service on localhost, for the time of a test."""
    server = Http2Server(sidecar.handle, certificates)
    await server.start()
    try:
        yield server
    finally:
        await server.abort()
