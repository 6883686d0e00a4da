"""The SDK's HTTP/2 transport, kept from leaving things behind."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from smithy_http.aio.crt import AWSCRTHTTPClient

# A cancelled writer ends at its next step.
_WRITER_END_S = 1.0


class StreamTransport:
    """The transport of one client with one stream. `close` ends its connection and the task that writes to it."""

    SUPPORTS_DUPLEX_STREAMING = True

    def __init__(self, transport: AWSCRTHTTPClient) -> None:
        self._transport = transport
        self._writer: asyncio.Task[Any] | None = None
        self.TIMEOUT_EXCEPTIONS = transport.TIMEOUT_EXCEPTIONS

    async def send(self, request: Any, *, request_config: Any = None) -> Any:
        watched = replace(request, body=self._watched(request.body))
        return await self._transport.send(watched, request_config=request_config)

    async def close(self) -> None:
        await self._transport.close()
        if self._writer is not None:
            self._writer.cancel()
            await asyncio.wait([self._writer], timeout=_WRITER_END_S)

    async def _watched(self, body: Any) -> AsyncIterator[bytes]:
        """Pass the body on. Whoever asks for it is the transport's writer: nobody else has a hold of that task.

        Its failure is read and dropped: a stream that the service has ended cannot be ended by us, which it takes for
        an error.
        """
        self._writer = asyncio.current_task()
        if self._writer is not None:
            self._writer.add_done_callback(lambda writer: writer.cancelled() or writer.exception())
        async for chunk in body:
            yield chunk

    def __deepcopy__(self, memo: dict[int, Any]) -> "StreamTransport":
        """The SDK copies it with its configuration, on the loop; reading the trust store again takes 20 to 30 ms."""
        return self
