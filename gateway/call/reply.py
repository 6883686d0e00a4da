"""The bot's side of the conversation: one reply or prompt at a time, from the question to its last word.

The model's deltas become sentences, and each sentence is handed to the voice as soon as it is whole.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import aclosing
from typing import Any, TypeVar

import structlog

from gateway.call.exchange import Exchange
from gateway.call.script import Script
from gateway.call.speaker import Speaker
from gateway.call.turn import Happening
from gateway.errors import LlmError
from gateway.llm.base import LanguageModel, TextDelta
from gateway.text.chunker import RELEASE_AFTER_MS, SentenceChunker

log = structlog.get_logger(__name__)
T = TypeVar("T")

# Replies in a row that fail before the call is given up with the goodbye.
MAX_FAILURES = 3


class Replies:
    """Runs replies as tasks of the call. Each ends with REPLY_OVER, or is interrupted."""

    def __init__(
        self,
        model: LanguageModel,
        speaker: Speaker,
        exchange: Exchange,
        script: Script,
        spawn: Callable[[Coroutine[Any, Any, None], str], asyncio.Task[None]],
        happen: Callable[[Happening], None],
    ) -> None:
        self._model = model
        self._speaker = speaker
        self._exchange = exchange
        self._script = script
        self._spawn = spawn
        self._happen = happen
        self._task: asyncio.Task[None] | None = None
        self._failures = 0

    def answer(self) -> None:
        """Ask the model about everything unanswered, in place of any reply under way."""
        self._run(self._think(), "think")

    def prompt(self, text: str) -> None:
        """Say a fixed sentence, in place of any reply under way."""
        self._run(self._recite(text), "prompt")

    def interrupt(self) -> None:
        """Stop model, voice, playout and platform queue; the history keeps what was heard."""
        if self._task is None:
            return
        self._task.cancel()
        self._task = None
        self._exchange.replied(self._speaker.cut(), interrupted=True)

    def ended(self, audible: bool) -> None:
        """The call is over: keep what was heard of a reply under way. `audible`: it was cut off in mid-word."""
        if self._task is not None:
            self._task = None
            self._exchange.replied(self._speaker.heard(), interrupted=audible)

    def _run(self, reply: Coroutine[Any, Any, None], name: str) -> None:
        self.interrupt()
        self._speaker.begin()
        self._exchange.begin_reply()
        self._task = self._spawn(reply, name)

    async def _recite(self, text: str) -> None:
        self._exchange.turn.bot_text = text
        self._speaker.prompt(text)
        await self._finish()

    async def _think(self) -> None:
        turn = self._exchange.turn
        failure = ""
        try:
            await self._stream()
        except LlmError as error:
            log.warning("llm_failed", code=error.code, error=str(error))
            failure = error.code
        await self._speaker.spoken()  # the fallback comes behind whatever was said before
        turn.failure = failure or self._speaker.failure
        self._failures = self._failures + 1 if turn.failure else 0
        if self._failures >= MAX_FAILURES:
            self._happen(Happening.FAREWELL)
            return
        if turn.failure:
            turn.bot_text = f"{turn.bot_text} {self._script.fallback}".strip()
            self._speaker.prompt(self._script.fallback)
        await self._finish()

    async def _stream(self) -> None:
        """Return when the reply's last sentence has been handed to the voice. Raises LlmError."""
        exchange = self._exchange
        chunker = SentenceChunker(self._script.language, first_clause=True)
        stream = self._model.stream(exchange.history.request(), self._script.system_prompt)
        async with aclosing(with_pauses(stream, RELEASE_AFTER_MS / 1000)) as events:
            async for event in events:
                if event is None:
                    self._hand_over(chunker.release())
                elif isinstance(event, TextDelta):
                    exchange.reach("first_token")
                    exchange.turn.bot_text += event.text
                    exchange.history.say(event.text)
                    self._hand_over(chunker.feed(event.text))
        self._hand_over(chunker.flush())

    def _hand_over(self, sentences: list[str]) -> None:
        for sentence in sentences:
            self._exchange.reach("first_sentence")
            self._speaker.say(sentence)

    async def _finish(self) -> None:
        await self._speaker.played()
        self._task = None
        self._exchange.replied(self._speaker.heard())
        self._happen(Happening.REPLY_OVER)


async def with_pauses(stream: AsyncGenerator[T], pause_s: float) -> AsyncGenerator[T | None]:
    """Yield what the stream yields, and one None whenever it is silent for `pause_s` after an item."""
    async with aclosing(stream):
        upcoming: asyncio.Future[T] | None = None
        paused = True  # before the first item there is nothing to release
        try:
            while True:
                upcoming = upcoming or asyncio.ensure_future(anext(stream))
                await asyncio.wait({upcoming}, timeout=None if paused else pause_s)
                if upcoming.done():
                    item, upcoming, paused = upcoming.result(), None, False
                    yield item
                else:
                    paused = True
                    yield None
        except StopAsyncIteration:
            pass
        finally:
            if upcoming is not None and not upcoming.done():
                upcoming.cancel()
                await asyncio.wait({upcoming})
