"""What the tests of real clients share: a question, dummy credentials, a reader that keeps what came before errors."""

import asyncio
import functools
import time
from collections.abc import Callable

import boto3

from gateway.errors import LlmError
from gateway.llm.base import LanguageModel, LlmEvent, Message, TextDelta, Tool

QUESTION = [Message("user", "What time is it?")]
LOOK_UP = Tool("look_up", "Finds a customer.", {"type": "object", "properties": {}})


@functools.cache
def dummy_session() -> boto3.Session:
    """One for all: reading the service's description takes a tenth of a second."""
    return boto3.Session(aws_access_key_id="test", aws_secret_access_key="test", region_name="us-east-1")


async def asked(model: LanguageModel) -> tuple[list[LlmEvent], LlmError | None]:
    """Everything that the reply delivered, and the error that ended it."""
    events: list[LlmEvent] = []
    try:
        async for event in model.stream(QUESTION, "Be brief.", [LOOK_UP]):
            events.append(event)
    except LlmError as error:
        return events, error
    return events, None


async def refused(model: LanguageModel) -> LlmError:
    """The error of a reply that delivered nothing."""
    events, error = await asked(model)
    assert events == []
    assert error is not None
    return error


def text_of(events: list[LlmEvent]) -> str:
    return "".join(e.text for e in events if isinstance(e, TextDelta))


async def eventually(condition: Callable[[], bool], within_s: float = 1.0) -> float:
    """Wait for what another thread or a socket brings about; returns when it was seen (time.perf_counter)."""
    until_s = time.perf_counter() + within_s
    while not condition():
        assert time.perf_counter() < until_s, "it did not happen in time"
        await asyncio.sleep(0.002)
    return time.perf_counter()
