"""What a language model is: messages in, a stream of events out.

Messages are provider-neutral and already obey the Converse rules (history.py): they start and end with the user,
alternate, and have no blank text.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The model wants a tool run; `arguments` is whole, parsed JSON."""

    call_id: str
    name: str
    arguments: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool answered; `text` is never blank."""

    call_id: str
    text: str = field(repr=False)
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """One turn: text, and for tool loops the calls (assistant) or results (user) beside it."""

    role: Literal["user", "assistant"]
    text: str = field(default="", repr=False)
    tool_calls: tuple[ToolCall, ...] = ()
    tool_results: tuple[ToolResult, ...] = ()


@dataclass(frozen=True, slots=True)
class Tool:
    """A function the model may call; `schema` is a JSON schema object."""

    name: str
    description: str
    schema: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True, slots=True)
class TextDelta:
    """The next piece of the reply; never empty, cut anywhere."""

    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Completed:
    """The reply is whole. `reason` is the provider's, in Converse's words (end_turn, max_tokens, tool_use ...)."""

    reason: str
    input_tokens: int = 0
    output_tokens: int = 0


LlmEvent = TextDelta | ToolCall | Completed


class LanguageModel(Protocol):
    """Shared by all calls; each stream is independent."""

    def stream(self, messages: Sequence[Message], system: str, tools: Sequence[Tool] = ()) -> AsyncGenerator[LlmEvent]:
        """Yield the reply as it arrives, ending with exactly one Completed.

        Raises LlmError: `retryable` says whether the same request may succeed. Closing the generator, or
        cancelling the task that iterates it, abandons the request at once; nothing of it is delivered later.
        """
        ...

    async def ready(self) -> bool:
        """Whether the model can be asked now (cheap; used by /readyz)."""
        ...

    async def close(self) -> None:
        """Release connections and threads. Idempotent."""
        ...
