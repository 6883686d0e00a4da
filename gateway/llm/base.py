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


@dataclass(frozen=True, slots=True)
class Inference:
    """How the model samples. A field that is None is not sent: newer models refuse some of them (F-70)."""

    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    stop_sequences: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Deadlines:
    """How long a caller may be kept waiting for each step of a reply."""

    # A server that is there answers a handshake well within this; one that is not must not cost the caller more.
    connect_s: float = 3.0
    # Longest gap between two pieces of a reply; building a large tool call is the slowest honest one (F-72).
    read_s: float = 10.0
    # From the question to the first word, retries included; beyond it the caller thinks the line is dead.
    first_token_s: float = 5.0
    # To write a tool call, during which the model says nothing: 10 to 20 s are seen for long arguments (F-72).
    tool_call_s: float = 30.0
    # Longest pause before the one retry; a random part of it, so that throttled calls do not come back together.
    retry_pause_s: float = 0.4
    # The whole reply: nobody listens to a longer one, and a dribbling model would never end by itself.
    reply_s: float = 120.0


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
