"""The transport's copy and its writer, over a transport of the test's making; sagemaker_live.py has the real one."""

import asyncio
import copy
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest

pytest.importorskip("smithy_http", reason="the AWS SDK needs Python 3.12 and the extra `aws`")

from gateway.tts.sagemaker_transport import StreamTransport  # noqa: E402
from tests.rig.clock import run_leaping  # noqa: E402


@dataclass
class Request:
    body: Any


@dataclass
class Wire:
    """Writes a request's body in a task of its own, as the SDK's transport does, and answers at once."""

    TIMEOUT_EXCEPTIONS = (TimeoutError,)
    written: list[bytes] = field(default_factory=list)
    closed: bool = False
    writer: asyncio.Task[None] | None = None

    async def send(self, request: Request, *, request_config: Any = None) -> str:
        self.writer = asyncio.get_running_loop().create_task(self._write(request.body))
        await asyncio.sleep(0)
        return "answer"

    async def _write(self, body: AsyncIterator[bytes]) -> None:
        try:
            async for chunk in body:
                self.written.append(chunk)
        finally:
            if self.closed:
                raise RuntimeError("the stream has completed")

    async def close(self) -> None:
        self.closed = True


async def endless() -> AsyncIterator[bytes]:
    yield b"one"
    yield b"two"
    await asyncio.sleep(3600.0)


def test_a_body_passes_and_its_writer_ends_with_the_transport_whatever_it_says() -> None:
    async def call() -> None:
        complaints: list[dict[str, Any]] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
        wire = Wire()
        transport = StreamTransport(wire)
        assert await transport.send(Request(endless())) == "answer"
        await asyncio.sleep(0.1)
        assert wire.written == [b"one", b"two"]
        await transport.close()
        assert wire.writer is not None
        assert wire.writer.done()
        wire.writer = None
        del transport
        assert complaints == []

    run_leaping(call())


def test_one_that_sent_nothing_just_closes() -> None:
    async def call() -> None:
        wire = Wire()
        await StreamTransport(wire).close()
        assert wire.closed

    run_leaping(call())


def test_it_is_not_copied_with_a_configuration() -> None:
    transport = StreamTransport(Wire())
    assert copy.deepcopy({"transport": transport})["transport"] is transport
    assert (TimeoutError,) == transport.TIMEOUT_EXCEPTIONS
    assert transport.SUPPORTS_DUPLEX_STREAMING is True
