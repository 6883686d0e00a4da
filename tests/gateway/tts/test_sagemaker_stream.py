"""The stream's own rules, over an SDK stream of the test's making; sagemaker_live.py has the real one."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass, field
from typing import Any

import pytest

pytest.importorskip("aws_sdk_sagemaker_runtime_http2", reason="the AWS SDK needs Python 3.12 and the extra `aws`")

from aws_sdk_sagemaker_runtime_http2.models import (  # noqa: E402
    ModelStreamError,
    ResponsePayloadPart,
    ResponseStreamEventPayloadPart,
    ResponseStreamEventUnknown,
)

from gateway.errors import TtsError  # noqa: E402
from gateway.tts.sagemaker_stream import CLOSE_S, MAX_FRAMES, SageMakerStream  # noqa: E402
from tests.rig.clock import run_leaping  # noqa: E402

FOREVER_S = 3600.0


@dataclass
class Service:
    """The SDK's stream, its input, its output and its client in one: `events` come, then what `end` is."""

    events: list[Any] = field(default_factory=list)
    end: Exception | None = None
    stays_open: bool = False
    answers: bool = True
    takes: bool = True
    sent: list[Any] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    output_stream: Any = None
    gone: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def input_stream(self) -> "Input":
        return Input(self)

    async def await_output(self) -> tuple[None, "Service"]:
        if not self.answers:
            await asyncio.sleep(FOREVER_S)
        self.output_stream = self
        return None, self

    async def receive(self) -> Any:
        await asyncio.sleep(0)
        if self.events:
            return self.events.pop(0)
        if self.stays_open:
            await self.gone.wait()
        if self.end is not None:
            raise self.end
        return None

    async def close(self) -> None:
        self.ended.append("connection")
        self.gone.set()


@dataclass
class Input:
    service: Service

    async def send(self, event: Any) -> None:
        if not self.service.takes:
            raise OSError("Failed to write to stream.")
        self.service.sent.append(event)

    async def close(self) -> None:
        self.service.ended.append("input")
        if not self.service.takes:
            await asyncio.sleep(FOREVER_S)


def part(data: bytes | None, data_type: str = "BINARY", state: str = "COMPLETE") -> ResponseStreamEventPayloadPart:
    value = ResponsePayloadPart(bytes_=data, data_type=data_type, completion_state=state)
    return ResponseStreamEventPayloadPart(value=value)


async def bounded(ending: Awaitable[None], seconds: float) -> None:
    async with asyncio.timeout(seconds):
        await ending


def test_frames_come_in_order_and_the_end_is_a_loss_each_time_it_is_asked_for() -> None:
    async def call() -> None:
        events = [part(b"a", "UTF8"), ResponseStreamEventUnknown("Later"), part(b"b", state="PARTIAL"), part(None)]
        service = Service(events)
        stream = SageMakerStream(service, service)
        assert [await stream.recv(), await stream.recv()] == ["a", b"b"]
        for _ in range(2):
            with pytest.raises(TtsError, match="worker_lost") as caught:
                await stream.recv()
            assert caught.value.retryable
        with pytest.raises(TtsError, match="worker_lost"):
            await stream.send("{}")
        await stream.close()
        assert service.ended == ["connection"]

    run_leaping(call())


def test_a_raised_error_is_translated() -> None:
    async def call() -> None:
        service = Service(end=ModelStreamError("closed with 1012"))
        stream = SageMakerStream(service, service)
        with pytest.raises(TtsError, match="ModelStreamError"):
            await stream.recv()
        await stream.close()

    run_leaping(call())


def test_a_control_is_sent_as_text() -> None:
    async def call() -> None:
        service = Service(stays_open=True)
        stream = SageMakerStream(service, service)
        await stream.send('{"type":"cancel"}')
        assert service.sent[0].value.data_type == "UTF8"
        assert service.sent[0].value.bytes_ == b'{"type":"cancel"}'
        service.takes = False
        with pytest.raises(TtsError, match="worker_unreachable"):
            await stream.send("{}")
        await stream.close()

    run_leaping(call())


def test_a_reader_that_takes_nothing_leaves_the_rest_unread_and_can_be_closed() -> None:
    async def call() -> None:
        service = Service([part(b"x")] * (MAX_FRAMES + 50), stays_open=True)
        stream = SageMakerStream(service, service)
        await asyncio.sleep(1.0)
        assert len(service.events) == 49  # one is in the hand of the reader
        await bounded(stream.close(), CLOSE_S)
        assert service.ended == ["input", "connection"]

    run_leaping(call())


def test_closing_a_stream_that_never_answered_waits_for_nobody() -> None:
    async def call() -> None:
        service = Service(answers=False)
        stream = SageMakerStream(service, service)
        await asyncio.sleep(0.1)
        await bounded(stream.close(), CLOSE_S)
        assert service.ended == ["connection"]

    run_leaping(call())


def test_a_goodbye_that_nobody_takes_and_a_connection_that_will_not_end_are_left_in_time() -> None:
    async def call() -> None:
        service = Service(stays_open=True, takes=False)
        stream = SageMakerStream(_Stubborn(), service)
        await asyncio.sleep(0.1)
        await bounded(stream.close(), 3 * CLOSE_S + 0.1)
        assert service.ended == ["input"]
        await asyncio.sleep(0.1)

    run_leaping(call())


class _Stubborn:
    async def close(self) -> None:
        await asyncio.sleep(FOREVER_S)
