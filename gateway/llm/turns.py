"""The rules every provider shares, as functions of a list of messages: what Converse refuses is repaired here.

Rules (Bedrock user guide, Converse, and its ValidationException texts): the user begins; roles alternate; no text is
blank; every tool call of an assistant turn is answered in the very next user turn, each exactly once and in the same
order; no result stands without its call.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from gateway.llm.base import Message, ToolCall, ToolResult

# Said for the caller when the bot speaks first, or is to speak again without having been spoken to (F-62).
CALL_BEGINS = "(The call begins.)"
CALLER_SILENT = "(The caller says nothing.)"
# What stands for a tool's answer that never came or said nothing (F-61, F-64).
CANCELLED = "The call to this tool was cancelled before it finished; it may or may not have taken effect."
EMPTY_RESULT = "The tool returned nothing."
EMPTY_FAILURE = "The tool failed."


def conform(messages: Iterable[Message]) -> list[Message]:
    """The same conversation in a form that obeys the rules; one that already does comes back equal."""
    return _user_first(_alternating(_settled([_clean(m) for m in messages])))


def ask(messages: Iterable[Message]) -> list[Message]:
    """As conform, and the user has the last word, so that the model may be asked."""
    turns = conform(messages)
    if turns and turns[-1].role == "user":
        return turns
    return [*turns, Message("user", CALLER_SILENT if turns else CALL_BEGINS)]


def spoken(text: str) -> str:
    """The text without surrounding space; empty when nothing in it can be seen (F-60)."""
    # A lone surrogate cannot be sent: a server that refuses it would refuse every later turn as well.
    text = text.encode("utf-8", "replace").decode().strip()
    return text if any(c.isprintable() and not c.isspace() for c in text) else ""


def answered(result: ToolResult) -> ToolResult:
    """The result with a text that is never blank."""
    text = spoken(result.text) or (EMPTY_FAILURE if result.failed else EMPTY_RESULT)
    return replace(result, text=text)


def _clean(message: Message) -> Message:
    results = tuple(answered(r) for r in message.tool_results)
    return replace(message, text=spoken(message.text), tool_results=results)


def _settled(messages: Sequence[Message]) -> list[Message]:
    """Every call gets its one result right behind it; results without a call are dropped."""
    settled: list[Message] = []
    due: tuple[ToolCall, ...] = ()
    for message in messages:
        if message.role == "user":
            settled.append(replace(message, tool_calls=(), tool_results=_in_order(due, message.tool_results)))
            due = ()
            continue
        if due:
            settled.append(Message("user", tool_results=_in_order(due, ())))
        due = _distinct(message.tool_calls)
        settled.append(replace(message, tool_calls=due, tool_results=()))
    if due:
        settled.append(Message("user", tool_results=_in_order(due, ())))
    return settled


def _in_order(calls: Iterable[ToolCall], results: Iterable[ToolResult]) -> tuple[ToolResult, ...]:
    found = {r.call_id: r for r in reversed(list(results))}
    return tuple(found.get(c.call_id, ToolResult(c.call_id, CANCELLED, failed=True)) for c in calls)


def _distinct(calls: Iterable[ToolCall]) -> tuple[ToolCall, ...]:
    return tuple({c.call_id: c for c in reversed(list(calls))}[i] for i in dict.fromkeys(c.call_id for c in calls))


def _alternating(messages: Iterable[Message]) -> list[Message]:
    turns: list[Message] = []
    for message in messages:
        if not (message.text or message.tool_calls or message.tool_results):
            continue
        if turns and turns[-1].role == message.role:
            turns[-1] = _merged(turns[-1], message)
        else:
            turns.append(message)
    return turns


def _merged(first: Message, second: Message) -> Message:
    # Results never meet here: a user turn that carries them directly follows the assistant turn that called.
    return replace(
        first,
        text="\n".join(filter(None, (first.text, second.text))),
        tool_calls=first.tool_calls + second.tool_calls,
        tool_results=first.tool_results + second.tool_results,
    )


def _user_first(turns: list[Message]) -> list[Message]:
    return [Message("user", CALL_BEGINS), *turns] if turns and turns[0].role == "assistant" else turns
