"""The bot's side of the conversation: one reply or prompt at a time, from the question to its last word.

The model's deltas become sentences, and each sentence is handed to the voice as soon as it is whole. While there is
none, pace.py says what the caller hears.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import aclosing
from typing import Any, TypeVar

import structlog

from gateway.call.exchange import Exchange
from gateway.call.pace import Due, Fillers, Pace, cut_loose
from gateway.call.script import Script, Timing
from gateway.call.speaker import Speaker
from gateway.call.speculation import Speculation
from gateway.call.turn import Happening
from gateway.errors import LlmError
from gateway.llm.base import LanguageModel, LlmEvent, Message, TextDelta
from gateway.llm.turns import ask
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
        timing: Timing,
        spawn: Callable[[Coroutine[Any, Any, None], str], asyncio.Task[None]],
        happen: Callable[[Happening], None],
    ) -> None:
        self._model = model
        self._speaker = speaker
        self._exchange = exchange
        self._script = script
        self._timing = timing
        self._spawn = spawn
        self._happen = happen
        self._fillers = Fillers(script.fillers)
        self._task: asyncio.Task[None] | None = None
        self._ahead: Speculation | None = None
        self._failures = 0
        self.protected = False  # the prompt under way is not to be interrupted

    def answer(self) -> None:
        """Ask the model about everything unanswered, in place of any reply under way."""
        self._run(self._think(), "think")

    def prompt(self, text: str, *, protected: bool = False) -> None:
        """Say a fixed sentence, in place of any reply under way."""
        self._run(self._recite(text), "prompt")
        self.protected = protected

    def speculate(self, words: str) -> None:
        """Ask the model in advance, as if the turn were over with these words; once, until `drop` or an answer."""
        if self._ahead is None and not self._exchange.history.replying:
            messages = ask([*self._exchange.history.messages(), Message("user", words)])
            self._ahead = Speculation(self._model, messages, self._script.system_prompt, self._spawn)

    def drop(self) -> None:
        """Forget what was asked in advance."""
        if self._ahead is not None:
            self._ahead.drop()
            self._ahead = None

    def interrupt(self) -> None:
        """Stop model, voice, playout and platform queue; the history keeps what was heard."""
        self.protected = False
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
        exchange, spaced = self._exchange, False
        now = asyncio.get_running_loop().time
        chunker = SentenceChunker(self._script.language, first_clause=True)
        pace = Pace(self._timing.filler_s, self._timing.dribble_s, now())
        async with aclosing(with_pauses(self._asked(), RELEASE_AFTER_MS / 1000)) as events:
            async for event in events:
                sentences = []
                if event is None:
                    sentences = chunker.release() or self._fill(pace, chunker, spaced)
                elif isinstance(event, TextDelta):
                    exchange.reach("first_token")
                    exchange.turn.bot_text += event.text
                    exchange.history.say(event.text)
                    spaced = event.text[-1:].isspace()
                    pace.wrote(now())
                    sentences = chunker.feed(event.text) or self._fill(pace, chunker, spaced)
                if self._hand_over(sentences):
                    pace.spoke(now())
        self._hand_over(chunker.flush())

    def _asked(self) -> AsyncGenerator[LlmEvent]:
        """The model's stream: the one asked for in advance where that was the question."""
        messages = self._exchange.history.request()
        ahead, self._ahead = self._ahead, None
        if ahead is not None and ahead.fits(messages):
            return ahead.events()
        if ahead is not None:
            ahead.drop()
        return self._model.stream(messages, self._script.system_prompt)

    def _fill(self, pace: Pace, chunker: SentenceChunker, spaced: bool) -> list[str]:
        """While no sentence is whole: the words there are, when that has lasted too long, or a filler."""
        now_s = asyncio.get_running_loop().time()
        due = pace.due(now_s, self._speaker.busy)
        if due is Due.FILLER:
            self._speaker.aside(self._fillers.next())
        if due is not Due.WORDS:
            return []
        pace.put_off(now_s)
        return cut_loose(chunker, spaced=spaced)

    def _hand_over(self, sentences: list[str]) -> bool:
        for sentence in sentences:
            self._exchange.reach("first_sentence")
            self._speaker.say(sentence)
        return bool(sentences)

    async def _finish(self) -> None:
        await self._speaker.played()
        self._task = None
        self.protected = False
        self._exchange.replied(self._speaker.heard())
        self._happen(Happening.REPLY_OVER)


async def with_pauses(stream: AsyncGenerator[T], pause_s: float) -> AsyncGenerator[T | None]:
    """Yield what the stream yields, and None after each `pause_s` in which nothing came."""
    async with aclosing(stream):
        upcoming: asyncio.Future[T] | None = None
        try:
            while True:
                upcoming = upcoming or asyncio.ensure_future(anext(stream))
                await asyncio.wait({upcoming}, timeout=pause_s)
                if upcoming.done():
                    item, upcoming = upcoming.result(), None
                    yield item
                else:
                    yield None
        except StopAsyncIteration:
            pass
        finally:
            if upcoming is not None and not upcoming.done():
                upcoming.cancel()
                await asyncio.wait({upcoming})
