"""What one call has said so far, kept so that any model can be asked at any time.

A reply is opened, filled while it is being spoken, and closed with the words that the caller heard. The session asks
for `request()` before each call of the model. Late words and late tool results of a closed reply are dropped.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from gateway.llm.base import Message, ToolCall, ToolResult
from gateway.llm.turns import ask, conform


@dataclass(frozen=True, slots=True)
class HistoryBounds:
    """How much is remembered: more costs first-token time and money in every later turn, less forgets what was said."""

    # Messages: 25 exchanges of question and answer.
    turns: int = 50
    # About 6000 tokens of English.
    chars: int = 24_000
    # One text: a minute and a half of speech is 1500 characters; tools may answer with whole documents.
    text_chars: int = 8_000


class History:
    """One call's conversation. Any order of calls leaves it obeying the rules of turns.py."""

    def __init__(self, bounds: HistoryBounds | None = None) -> None:
        self._bounds = bounds or HistoryBounds()
        self._turns: list[Message] = []
        self._reply: list[Message] | None = None
        self._meanwhile: list[Message] = []

    @property
    def replying(self) -> bool:
        """Whether a reply is open: its end has not been told by heard()."""
        return self._reply is not None

    def caller_said(self, text: str) -> None:
        """Take the caller's words; those said during an open reply follow it."""
        message = Message("user", text[: self._bounds.text_chars])
        if self._reply is None:
            self._keep([message])
        else:
            self._meanwhile = self._clipped([*self._meanwhile, message])

    def begin_reply(self) -> None:
        """Open a reply (also a greeting). One still open ends as not heard at all."""
        self.heard("")
        self._reply = []

    def say(self, text: str) -> None:
        """Take the next piece of the open reply, as the model wrote it."""
        if self._reply is None:
            return
        if not self._reply or self._reply[-1].role == "user":
            self._reply.append(Message("assistant"))
        last = self._reply[-1]
        self._reply[-1] = replace(last, text=(last.text + text)[: self._bounds.text_chars])

    def call_tools(self, calls: Iterable[ToolCall]) -> None:
        """Note the tools that the model wants run now, in its order."""
        if self._reply is None:
            return
        self.say("")
        last = self._reply[-1]
        self._reply[-1] = replace(last, tool_calls=last.tool_calls + tuple(calls))

    def answer_tool(self, result: ToolResult) -> None:
        """Note what a tool of the open reply answered; one that never does counts as cancelled (F-64)."""
        if not self._reply:
            return
        if self._reply[-1].role == "assistant":
            self._reply.append(Message("user"))
        last = self._reply[-1]
        result = replace(result, text=result.text[: self._bounds.text_chars])
        self._reply[-1] = replace(last, tool_results=(*last.tool_results, result))

    def heard(self, text: str) -> None:
        """Close the open reply with the words that reached the caller, "" for none; tools that ran stay known."""
        if self._reply is None:
            return
        reply, self._reply = self._reply, None
        meanwhile, self._meanwhile = self._meanwhile, []
        self._keep([*_cut(reply, text[: self._bounds.text_chars]), *meanwhile])

    def messages(self) -> list[Message]:
        """The conversation so far, valid, the open reply as planned."""
        return self._bounded([*self._turns, *(self._reply or ()), *self._meanwhile])

    def request(self) -> list[Message]:
        """As messages(), and ending with the user: what to send to the model."""
        return ask(self.messages())

    def _keep(self, messages: Iterable[Message]) -> None:
        self._turns = self._bounded([*self._turns, *messages])

    def _bounded(self, messages: Iterable[Message]) -> list[Message]:
        turns = self._clipped(messages)
        while len(turns) > self._bounds.turns or _size_chars(turns) > self._bounds.chars:
            shorter = _without_oldest(turns)
            if shorter == turns:  # the newest exchange is kept whatever its size; each of its texts is bounded
                break
            turns = shorter
        return turns

    def _clipped(self, messages: Iterable[Message]) -> list[Message]:
        """Merging may have made long texts: their newest words count."""
        return conform(replace(m, text=m.text[-self._bounds.text_chars :]) for m in conform(messages))


def _without_oldest(turns: list[Message]) -> list[Message]:
    """The conversation without its first exchange; in the last one, without its first round of tools."""
    for index in range(1, len(turns)):
        if turns[index].role == "user" and turns[index].text:
            # The results belong to calls that go with the exchange.
            return [replace(turns[index], tool_results=()), *turns[index + 1 :]]
    return [turns[0], *turns[3:]] if len(turns) > 3 else turns


def _size_chars(turns: Iterable[Message]) -> int:
    return sum(
        len(m.text) + sum(len(r.text) for r in m.tool_results) + sum(len(str(c.arguments)) for c in m.tool_calls)
        for m in turns
    )


def _cut(reply: list[Message], heard: str) -> list[Message]:
    """The reply with its texts cut to what was heard.

    A reply with tool rounds has several texts and was heard as one. Each takes words up to its own length in letters,
    the last one the rest, so the cut holds although the spoken form differs from the written in spaces.
    """
    texts = [i for i, m in enumerate(reply) if m.role == "assistant"]
    if not texts:
        return [Message("assistant", heard), *reply]
    words = heard.split()
    cut = list(reply)
    for index in texts[:-1]:
        room = len("".join(reply[index].text.split()))
        taken: list[str] = []
        while words and room > 0:
            room -= len(words[0])
            taken.append(words.pop(0))
        cut[index] = replace(reply[index], text=" ".join(taken))
    rest = heard if len(texts) == 1 else " ".join(words)
    cut[texts[-1]] = replace(reply[texts[-1]], text=rest)
    return cut
