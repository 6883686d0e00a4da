"""A reply asked for in advance: at a pause that may be the end of the turn, before it is known to be."""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import aclosing
from typing import Any

from gateway.errors import LlmError
from gateway.llm.base import LanguageModel, LlmEvent, Message, Tool

# What a model writes before the turn is over: pauses last a second. A faster one waits.
MAX_AHEAD_EVENTS = 512
_MARKS = re.compile(r"[^\w]+")


class Speculation:
    """Runs from its making. Whatever comes is held back until `events` is read; `drop` abandons it.

    A tool that the model calls is such an event: it cannot run before the turn is over.
    """

    def __init__(
        self,
        model: LanguageModel,
        messages: Sequence[Message],
        system: str,
        spawn: Callable[[Coroutine[Any, Any, None], str], asyncio.Task[None]],
        tools: Sequence[Tool] = (),
    ) -> None:
        self._asked = messages
        self._stream = model.stream(messages, system, tools)
        self._ahead: asyncio.Queue[LlmEvent | None] = asyncio.Queue(MAX_AHEAD_EVENTS)
        self._failed = False
        self._task = spawn(self._pump(), "speculate")

    def fits(self, messages: Sequence[Message]) -> bool:
        """Whether this is what is to be asked now: the same conversation, and the same words but for their marks."""
        if self._failed or not messages or not self._asked or len(messages) != len(self._asked):
            return False
        same_words = _plain(messages[-1].text) == _plain(self._asked[-1].text)
        return same_words and list(messages[:-1]) == list(self._asked[:-1])

    async def events(self) -> AsyncGenerator[LlmEvent]:
        """What the model gave and gives; raises LlmError as its stream would. Closing it abandons the request."""
        try:
            while (event := await self._ahead.get()) is not None:
                yield event
            if self._failed:
                raise LlmError("speculation_failed", retryable=True)
        finally:
            self.drop()

    def drop(self) -> None:
        """Idempotent."""
        self._task.cancel()

    async def _pump(self) -> None:
        try:
            async with aclosing(self._stream) as events:
                async for event in events:
                    await self._ahead.put(event)
        except LlmError:
            self._failed = True
        await self._ahead.put(None)


def _plain(text: str) -> str:
    return _MARKS.sub(" ", text).strip().casefold()
