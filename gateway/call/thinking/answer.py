"""One reply of the model, from the question to its last sentence, with the tools that it runs in between.

The model's deltas become sentences, and each sentence is handed to the voice as soon as it is whole. While there is
none, pace.py says what the caller hears. When the model calls tools, what it has said is spoken while they run, and it
is asked again with their answers.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from typing import TypeVar

from gateway.call.exchange import Exchange
from gateway.call.script import Script, Timing
from gateway.call.speaker import Speaker
from gateway.call.thinking.pace import Due, Fillers, Pace, cut_loose
from gateway.call.thinking.tool_runs import ToolRuns
from gateway.errors import LlmError
from gateway.llm.base import LlmEvent, TextDelta, ToolCall
from gateway.llm.faults import fault
from gateway.text.chunker import RELEASE_AFTER_MS, SentenceChunker
from gateway.tools.base import CallTool

T = TypeVar("T")


class Answer:
    """Made when the question is asked. `give` once; cancelling it abandons model and tools."""

    def __init__(
        self,
        speaker: Speaker,
        exchange: Exchange,
        script: Script,
        timing: Timing,
        fillers: Fillers,
        tools: Mapping[str, CallTool],
    ) -> None:
        self._speaker = speaker
        self._exchange = exchange
        self._language = script.language
        self._fillers = fillers
        self._now = asyncio.get_running_loop().time
        self._pace = Pace(timing.filler_s, timing.dribble_s, self._now())
        self._runs = ToolRuns(tools, exchange)

    @property
    def parted(self) -> bool:
        """Whether a tool has ended the call: what was said is its last."""
        return self._runs.parted

    async def give(self, ask: Callable[[], AsyncGenerator[LlmEvent]]) -> None:
        """Return when the last sentence has been handed to the voice, and every tool has run.

        Raises LlmError, also for a reply that leaves the caller in silence: blank, filtered away, or an emoji.
        """
        while not self.parted and (calls := await self._speak(ask())):
            await self._runs.round(calls, self._fill_the_wait)
        if not (self._speaker.written() or self._speaker.failure or self._runs.rounds):
            raise fault("empty_reply")

    async def _speak(self, events: AsyncGenerator[LlmEvent]) -> list[ToolCall]:
        """Say what the model says, and return the tools that it calls."""
        exchange, spaced, calls = self._exchange, False, list[ToolCall]()
        chunker = SentenceChunker(self._language, first_clause=True)
        gap = " " if exchange.turn.bot_text else ""
        try:
            async with aclosing(with_pauses(events, RELEASE_AFTER_MS / 1000)) as paced:
                async for event in paced:
                    sentences = []
                    if event is None:
                        sentences = chunker.release() or self._fill(chunker, spaced)
                    elif isinstance(event, TextDelta):
                        exchange.reach("first_token")
                        exchange.turn.bot_text += gap + event.text
                        gap = ""
                        exchange.history.say(event.text)
                        spaced = event.text[-1:].isspace()
                        self._pace.wrote(self._now())
                        sentences = chunker.feed(event.text) or self._fill(chunker, spaced)
                    elif isinstance(event, ToolCall):
                        calls.append(event)
                    self._hand_over(sentences)
        except LlmError:
            self._hand_over(chunker.release())  # a whole sentence need not be lost with what would have followed
            raise
        self._hand_over(chunker.flush())
        self._pace.said_all()
        return calls

    def _fill(self, chunker: SentenceChunker, spaced: bool) -> list[str]:
        """While no sentence is whole: the words there are, when that has lasted too long, or a filler."""
        if self._due() is not Due.WORDS:
            return []
        self._pace.put_off(self._now())
        return cut_loose(chunker, spaced=spaced)

    def _fill_the_wait(self) -> None:
        self._due()

    def _due(self) -> Due:
        """What pace.py says; its filler is spoken here."""
        due = self._pace.due(self._now(), self._speaker.busy)
        if due is Due.FILLER:
            self._speaker.aside(self._fillers.next())
        return due

    def _hand_over(self, sentences: list[str]) -> None:
        for sentence in sentences:
            self._exchange.reach("first_sentence")
            self._speaker.say(sentence)
        if sentences:
            self._pace.spoke(self._now())


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
            if upcoming is not None:
                upcoming.cancel()
                await asyncio.wait({upcoming})
                if not upcoming.cancelled():
                    upcoming.exception()  # it was over in the same moment; nobody asks how any more
