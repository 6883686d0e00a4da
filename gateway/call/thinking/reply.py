"""The bot's side of the conversation: one reply or prompt at a time, from the question to its last word.

How the model's words and deeds become a reply is in answer.py.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from typing import Any

import structlog

from gateway.call.exchange import Exchange
from gateway.call.script import Script, Timing
from gateway.call.speaker import Speaker
from gateway.call.thinking.answer import Answer
from gateway.call.thinking.pace import Fillers
from gateway.call.thinking.speculation import Speculation
from gateway.call.turn import Happening
from gateway.errors import LlmError
from gateway.llm.base import LanguageModel, LlmEvent, Message, Tool
from gateway.llm.turns import ask
from gateway.tools.base import CallTool

log = structlog.get_logger(__name__)

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
        self.tools: Mapping[str, CallTool] = {}  # what the model may do, by name

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
            self._ahead = Speculation(self._model, messages, self._script.system_prompt, self._spawn, self._offered())

    def speak_as(self, script: Script) -> None:
        """Go on in the language of this script; what was asked in advance is not in it."""
        self.drop()
        self._script = script
        self._fillers = Fillers(script.fillers)

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
        answer = Answer(self._speaker, self._exchange, self._script, self._timing, self._fillers, self.tools)
        failure = ""
        try:
            await answer.give(self._asked)
        except LlmError as error:
            log.warning("llm_failed", code=error.code, error=str(error))
            failure = error.code
        await self._speaker.spoken()  # the fallback comes behind whatever was said before
        turn.failure = failure or self._speaker.failure
        self._failures = self._failures + 1 if turn.failure else 0
        if self._failures >= MAX_FAILURES and not answer.parted:
            self._happen(Happening.FAREWELL)
            return
        if turn.failure:
            instead = self._script.goodbye if answer.parted else self._script.fallback
            turn.bot_text = f"{turn.bot_text} {instead}".strip()
            self._speaker.prompt(instead)
        await self._finish()

    def _asked(self) -> AsyncGenerator[LlmEvent]:
        """The model's stream: the one asked for in advance where that was the question."""
        messages = self._exchange.history.request()
        ahead, self._ahead = self._ahead, None
        if ahead is not None and ahead.fits(messages):
            return ahead.events()
        if ahead is not None:
            ahead.drop()
        return self._model.stream(messages, self._script.system_prompt, self._offered())

    def _offered(self) -> list[Tool]:
        return [tool.spec for tool in self.tools.values()]

    async def _finish(self) -> None:
        await self._speaker.played()
        self._task = None
        self.protected = False
        self._exchange.replied(self._speaker.heard())
        self._happen(Happening.REPLY_OVER)
