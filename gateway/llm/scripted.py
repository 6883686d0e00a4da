"""A model that says what it was told to: for load tests of the gateway alone and for whole-call tests."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from gateway.llm.base import Completed, LlmEvent, Message, TextDelta, Tool, ToolCall

# A word with the space behind it: about what a model sends at a time.
_PIECE = re.compile(r"\S+\s*")
# A line of a reply that is a tool call: @find_order {"number": "123456"}
_CALL = re.compile(r"(?:\A|\n)@([A-Za-z0-9_-]+)[ \t]*([^\n]*)")


class ScriptedModel:
    """A LanguageModel that answers the n-th question of all calls together with the n-th reply, round and round.

    A line such as `@hang_up` or `@find_order {"number": "123456"}` is a tool call; what the model says to the tool's
    answer is the next reply. ValueError when its arguments are no JSON object. The model waits `first_token_s`, then
    gives `tokens_per_s` words a second; 0 gives them all at once.
    """

    def __init__(self, replies: Sequence[str], first_token_s: float = 0.0, tokens_per_s: float = 0.0) -> None:
        if not any(replies):
            raise ValueError("a scripted model needs at least one reply")
        self._replies = tuple((_CALL.sub("", reply), _calls(reply)) for reply in replies)
        self._first_token_s = first_token_s
        self._gap_s = 1.0 / tokens_per_s if tokens_per_s > 0 else 0.0
        self._asked = 0

    async def stream(
        self, messages: Sequence[Message], system: str, tools: Sequence[Tool] = ()
    ) -> AsyncGenerator[LlmEvent]:
        """See LanguageModel; never fails. The counts in Completed are words."""
        reply, calls = self._replies[self._asked % len(self._replies)]
        self._asked += 1
        asked = self._asked
        loop = asyncio.get_running_loop()
        begun_s = loop.time() + self._first_token_s
        pieces = _PIECE.findall(reply)
        for number, piece in enumerate(pieces):
            # Each word has its own moment, so a slow reader does not slow the script.
            await asyncio.sleep(max(0.0, begun_s + number * self._gap_s - loop.time()))
            yield TextDelta(piece)
        if not pieces:
            await asyncio.sleep(self._first_token_s)
        for number, (name, arguments) in enumerate(calls, start=1):
            yield ToolCall(f"call-{asked}-{number}", name, arguments)
        yield Completed("tool_use" if calls else "end_turn", sum(len(m.text.split()) for m in messages), len(pieces))

    async def ready(self) -> bool:
        """Always."""
        return True

    async def close(self) -> None:
        """Nothing to release."""


def _calls(reply: str) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    """Name and arguments of the calls in a reply; ValueError when arguments are not a JSON object."""
    calls = []
    for name, written in _CALL.findall(reply):
        arguments = json.loads(written or "{}")
        if not isinstance(arguments, dict):
            raise ValueError(f"the arguments of @{name} are not a JSON object")
        calls.append((name, arguments))
    return tuple(calls)
