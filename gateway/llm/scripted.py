"""A model that says what it was told to: for load tests of the gateway alone and for whole-call tests."""

import asyncio
import re
from collections.abc import AsyncGenerator, Sequence

from gateway.llm.base import Completed, LlmEvent, Message, TextDelta, Tool

# A word with the space behind it: about what a model sends at a time.
_PIECE = re.compile(r"\S+\s*")


class ScriptedModel:
    """A LanguageModel that answers the n-th question of all calls together with the n-th reply, round and round.

    It waits `first_token_s`, then gives `tokens_per_s` words a second; 0 gives them all at once.
    """

    def __init__(self, replies: Sequence[str], first_token_s: float = 0.0, tokens_per_s: float = 0.0) -> None:
        if not replies:
            raise ValueError("a scripted model needs at least one reply")
        self._replies = tuple(replies)
        self._first_token_s = first_token_s
        self._gap_s = 1.0 / tokens_per_s if tokens_per_s > 0 else 0.0
        self._asked = 0

    async def stream(
        self, messages: Sequence[Message], system: str, tools: Sequence[Tool] = ()
    ) -> AsyncGenerator[LlmEvent]:
        """See LanguageModel; never fails. The counts in Completed are words."""
        reply = self._replies[self._asked % len(self._replies)]
        self._asked += 1
        loop = asyncio.get_running_loop()
        begun_s = loop.time() + self._first_token_s
        pieces = _PIECE.findall(reply)
        for number, piece in enumerate(pieces):
            # Each word has its own moment, so a slow reader does not slow the script.
            await asyncio.sleep(max(0.0, begun_s + number * self._gap_s - loop.time()))
            yield TextDelta(piece)
        yield Completed("end_turn", sum(len(m.text.split()) for m in messages), len(pieces))

    async def ready(self) -> bool:
        """Always."""
        return True

    async def close(self) -> None:
        """Nothing to release."""
