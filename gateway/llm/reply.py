"""How one reply is built from what a provider streams, whatever its wire format, and what it is allowed to take.

A provider's parser feeds a ReplyBuilder and hands on what it returns. Tool calls are held until the provider says why
it stopped: a call of a reply that breaks off must never run.
"""

from dataclasses import dataclass

from gateway.llm.base import Completed, TextDelta, ToolCall
from gateway.llm.faults import fault
from gateway.llm.thoughts import ThoughtFilter
from gateway.llm.tool_arguments import ToolCallParts

# Stop reasons that say that the model's output cannot be used.
_MALFORMED = frozenset({"malformed_model_output", "malformed_tool_use"})
# That its last words are missing; arguments that look whole, or none at all, may be half of what was meant.
_CUT_OFF = frozenset({"max_tokens", "model_context_window_exceeded"})
# That somebody stopped the model: what it was about to do must not be done.
_STOPPED = frozenset({"content_filtered", "guardrail_intervened"})


@dataclass(frozen=True, slots=True)
class Stopped:
    """The reply is whole; only its token counts may follow."""

    reason: str


@dataclass(frozen=True, slots=True)
class ToolBegun:
    """The model has begun to write a tool call; nothing is heard of it until it is whole."""


ReplyEvent = TextDelta | ToolBegun | ToolCall | Stopped | Completed


class ReplyBuilder:
    """The state of one reply: tool calls being gathered, the reason once it stopped."""

    def __init__(self) -> None:
        self._tools = ToolCallParts()
        self.reason = ""
        self._counted = False
        self._thoughts = ThoughtFilter()

    def text(self, piece: str) -> list[ReplyEvent]:
        """Return the delta to speak, or nothing."""
        spoken = self._thoughts.feed(piece)
        return [TextDelta(spoken)] if spoken else []

    @property
    def calls_tools(self) -> bool:
        """Whether any tool call has begun."""
        return bool(self._tools)

    def tool(self, index: int, call_id: str = "", name: str = "", piece: str = "") -> list[ReplyEvent]:
        """Take a piece of the tool call in block `index`; LlmError when it grows beyond the bounds."""
        first = not self._tools
        self._tools.add(index, call_id, name, piece)
        return [ToolBegun()] if first else []

    def stop(self, reason: str) -> list[ReplyEvent]:
        """The provider's end of the reply, in Converse's words: rest of the text, tool calls, Stopped.

        LlmError when the output is malformed, or a tool call is not whole.
        """
        if self.reason:
            return []
        if reason in _MALFORMED:
            raise fault("malformed_output", reason)
        if reason in _CUT_OFF and self._tools:
            raise fault("tool_arguments_invalid", reason)
        calls = [] if reason in _STOPPED else self._tools.whole()
        self.reason = reason
        rest = self._thoughts.flush()
        texts: list[ReplyEvent] = [TextDelta(rest)] if rest else []
        return [*texts, *calls, Stopped(reason)]

    def usage(self, input_tokens: int, output_tokens: int) -> list[ReplyEvent]:
        """The token counts, which end the reply; nothing when it has not stopped yet or they are known."""
        if self._counted or not self.reason:
            return []
        self._counted = True
        return [Completed(self.reason, input_tokens, output_tokens)]
