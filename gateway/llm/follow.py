"""The life of one reply on the event loop: deadlines, one retry while nothing was delivered, closed in any case."""

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Protocol, TypeVar

import structlog

from gateway.errors import LlmError
from gateway.llm.base import Completed, Deadlines, LlmEvent
from gateway.llm.faults import FieldRefused, fault
from gateway.llm.reply import ReplyEvent, Stopped, ToolBegun

T = TypeVar("T")
_log = structlog.get_logger(__name__)

# Token counts follow the end of a reply within milliseconds; nobody waits longer for a number in a metric.
USAGE_WAIT_S = 0.5
# The shortest pause before the retry, as a part of the longest: a provider that throttles needs some of it to recover.
SHORTEST_PAUSE = 0.25


class ReplySource(Protocol):
    """One request to a provider."""

    async def open(self) -> None:
        """Send the request; LlmError."""
        ...

    async def next(self) -> ReplyEvent:
        """Return the next event; LlmError when the reply cannot go on. May be cancelled, which loses nothing."""
        ...

    def close(self) -> None:
        """Abandon the request unless it has ended; returns at once. Idempotent."""
        ...


async def follow(make_source: Callable[[], ReplySource], deadlines: Deadlines) -> AsyncGenerator[LlmEvent]:
    """Yield one reply, ending with exactly one Completed; LlmError, not retryable once anything was delivered."""
    clock = _ReplyClock(deadlines)
    retried = False
    while True:
        source = make_source()
        try:
            await clock.bound(source.open())
            while True:
                event = await _next_event(source, clock)
                clock.delivered = True
                yield event
                if isinstance(event, Completed):
                    return
        except LlmError as error:
            if clock.delivered:
                raise _final(error) from error
            again = isinstance(error, FieldRefused)
            if not again and (retried or not error.retryable or clock.expired):
                raise
            retried = retried or not again
            _log.warning("llm_retry", code=error.code)
        finally:
            source.close()
        if not again:
            await asyncio.sleep(deadlines.retry_pause_s * random.uniform(SHORTEST_PAUSE, 1.0))


async def _next_event(source: ReplySource, clock: "_ReplyClock") -> LlmEvent:
    while True:
        try:
            event = await clock.bound(source.next())
        except LlmError:
            if not clock.reason:
                raise
            return Completed(clock.reason)  # whole, but its counts never came
        match event:
            case Stopped():
                clock.reason = event.reason
            case ToolBegun():
                clock.tool_began()
            case _:
                return event


def _final(error: LlmError) -> LlmError:
    return LlmError(error.code, error.detail, retryable=False)


class _ReplyClock:
    """Which deadline rules the next wait."""

    def __init__(self, deadlines: Deadlines) -> None:
        self._loop = asyncio.get_running_loop()
        self._tool_call_s = deadlines.tool_call_s
        self._first_at_s = self._loop.time() + deadlines.first_token_s
        self._last_at_s = self._loop.time() + deadlines.reply_s
        self.delivered = False
        self.reason = ""
        self.expired = False

    def tool_began(self) -> None:
        """There is life: what counts now is when the tool call must be whole."""
        self._last_at_s = min(self._last_at_s, self._loop.time() + self._tool_call_s)
        self._first_at_s = self._last_at_s

    async def bound(self, step: Awaitable[T]) -> T:
        """Await `step` within the deadline that holds now; LlmError when it passes."""
        try:
            async with asyncio.timeout_at(self._until_s()):
                return await step
        except TimeoutError:
            self.expired = True
            raise fault("reply_timeout" if self.delivered else "first_token_timeout") from None

    def _until_s(self) -> float:
        if self.reason:
            return self._loop.time() + USAGE_WAIT_S
        return self._last_at_s if self.delivered else min(self._first_at_s, self._last_at_s)
