"""One bidirectional SageMaker stream as a Socket of the TTS session.

The SDK's habits this file answers (seen with 0.12): a pending `receive()` is never cancelled while the stream is
wanted, so one task reads for its whole life; a lost connection looks like a clean end, so any end is a loss; `send`
succeeds after it; `close` may wait for headers that never come. Whoever calls `send` and `recv` bounds them.
"""

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from typing import Any, Protocol

from aws_sdk_sagemaker_runtime_http2.models import RequestPayloadPart, RequestStreamEventPayloadPart

from gateway.errors import TtsError
from gateway.tts.sagemaker_faults import translate
from gateway.tts.sagemaker_frames import TEXT, FrameJoiner

# Frames read and not taken: 2 MB at 32 kB a frame. What waits beyond them waits in the SDK, which has no bound of its
# own; what the worker may owe at once (tts.outstanding sentences) bounds it.
MAX_FRAMES = 64
# The call is over or the stream is lost: nobody gains by a longer good-bye.
CLOSE_S = 1.0


class Client(Protocol):
    """What this file needs of the SDK's client, which carries this stream alone."""

    async def close(self) -> None: ...


class SageMakerStream:
    """A Socket. Made where the loop runs; `close` ends everything it has."""

    def __init__(self, client: Client, stream: Any) -> None:
        """`stream` is the SDK's DuplexEventStream, its headers perhaps not here yet."""
        self._client = client
        self._stream = stream
        self._frames: asyncio.Queue[str | bytes | TtsError] = asyncio.Queue(MAX_FRAMES)
        self._lost: TtsError | None = None
        self._closed = False
        self._reader = asyncio.create_task(self._read(), name="tts-sagemaker-read")

    async def send(self, message: str) -> None:
        """Send a control; TtsError when the stream has ended. Its arrival is known from the answer only."""
        if self._reader.done():
            raise TtsError("worker_lost", "the stream has ended", retryable=True)
        part = RequestPayloadPart(bytes_=message.encode(), data_type=TEXT)
        try:
            await self._stream.input_stream.send(RequestStreamEventPayloadPart(value=part))
        except Exception as error:
            raise translate(error) from error

    async def recv(self) -> str | bytes:
        """The next frame; TtsError, from then on each time, when the stream has ended."""
        if self._lost is None:
            frame = await self._frames.get()
            if not isinstance(frame, TtsError):
                return frame
            self._lost = frame
        raise self._lost

    async def close(self) -> None:
        """Say good-bye, close the connection and end the reader, within CLOSE_S each. Idempotent."""
        self._closed = True
        if self._stream.output_stream is None:
            # The headers may never come. A connection that is still being made is dropped as well; when it fails later
            # the SDK's thread complains on stderr that nobody waits for it, which is harmless.
            self._reader.cancel()
        elif not self._reader.done():  # else the good-bye would wait for somebody to send it
            await _within(CLOSE_S, self._stream.input_stream.close())
        await _within(CLOSE_S, self._client.close())
        while not self._frames.empty():
            self._frames.get_nowait()
        # The closed connection ends a pending `receive()`; cancelled, it would fail in the SDK's own thread.
        if not (await asyncio.wait([self._reader], timeout=CLOSE_S))[0]:
            self._reader.cancel()

    async def _read(self) -> None:
        """Put every frame and finally what ended the stream into the queue."""
        await self._frames.put(await self._ended())

    async def _ended(self) -> TtsError:
        joiner = FrameJoiner()
        try:
            _, output = await self._stream.await_output()
            while (event := await output.receive()) is not None and not self._closed:
                part = getattr(event, "value", None)
                if part is None:
                    continue  # an event of a kind this SDK does not know yet
                frame = joiner.feed(part.bytes_ or b"", part.data_type, part.completion_state)
                if frame is not None:
                    await self._frames.put(frame)
        except Exception as error:
            return translate(error)
        return TtsError("worker_lost", "the stream ended", retryable=True)


async def _within(bound_s: float, ending: Awaitable[None]) -> None:
    with suppress(Exception):  # given up whatever its end looks like
        async with asyncio.timeout(bound_s):
            await ending
