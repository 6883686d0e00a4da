"""The OpenAI-compatible chat vocabulary: our messages in its JSON, its chunks in our events. No I/O.

Servers differ, so the reader takes what they send: no [DONE], null contents, whole messages in place of deltas, tool
calls without index or id, usage in any chunk or none.
"""

import json
from collections.abc import Container, Mapping, Sequence
from typing import Any

from gateway.errors import LlmError
from gateway.llm.base import Inference, Message, Tool
from gateway.llm.faults import code_of_status, fault, guarded_detail
from gateway.llm.reply import ReplyBuilder, ReplyEvent
from gateway.llm.turns import conform

_REASONS = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "function_call": "tool_use",
    "content_filter": "content_filtered",
}
# Fields that some servers do not take, and the names under which their errors speak of them; as in converse.py.
_OPTIONAL_FIELDS = {
    "stream_options": ("stream_options",),
    "top_p": ("top_p",),
    "temperature": ("temperature",),
    "stop": ("'stop'", '"stop"', "`stop`", "stop sequence"),
}
# What servers write into an error's `type` or `code`, for errors that come inside a stream and have no status.
_CODES = {
    "rate_limit_exceeded": "throttled",
    "rate_limit_error": "throttled",
    "insufficient_quota": "throttled",
    "invalid_request_error": "invalid_request",
    "context_length_exceeded": "invalid_request",
    "exceed_context_size_error": "invalid_request",
    "authentication_error": "access_denied",
    "invalid_api_key": "access_denied",
    "permission_error": "access_denied",
    "not_found_error": "model_not_found",
    "model_not_found": "model_not_found",
    "overloaded_error": "unavailable",
    "unavailable_error": "unavailable",
}


def chat_rejected_field(message: str, sent: Container[str]) -> str | None:
    """The optional field, of those sent, that an error's text names (F-70)."""
    text = message.lower()
    return next((f for f, names in _OPTIONAL_FIELDS.items() if f in sent and any(n in text for n in names)), None)


def chat_settings(inference: Inference, extra: Mapping[str, Any]) -> dict[str, Any]:
    """Everything beside the conversation. `extra` goes out verbatim, over the rest; a None in it removes a field."""
    fields = {
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": inference.max_tokens,
        "temperature": inference.temperature,
        "top_p": inference.top_p,
        "stop": None if inference.stop_sequences is None else list(inference.stop_sequences),
        **extra,
    }
    return {name: value for name, value in fields.items() if value is not None}


def chat_conversation(messages: Sequence[Message], system: str, tools: Sequence[Tool]) -> dict[str, Any]:
    """`messages` and `tools`; a blank system prompt and an empty tool list are left out."""
    turns: list[dict[str, Any]] = [{"role": "system", "content": system}] if system.strip() else []
    for message in conform(messages):
        turns += _assistant(message) if message.role == "assistant" else _user(message)
    fields: dict[str, Any] = {"messages": turns}
    if tools:
        fields["tools"] = [_function(t) for t in tools]
    return fields


def _assistant(message: Message) -> list[dict[str, Any]]:
    calls = [
        {"id": c.call_id, "type": "function", "function": {"name": c.name, "arguments": json.dumps(dict(c.arguments))}}
        for c in message.tool_calls
    ]
    # Chat templates of open models fail on a null content.
    return [{"role": "assistant", "content": message.text, **({"tool_calls": calls} if calls else {})}]


def _user(message: Message) -> list[dict[str, Any]]:
    turns = [{"role": "tool", "tool_call_id": r.call_id, "content": r.text} for r in message.tool_results]
    return [*turns, *([{"role": "user", "content": message.text}] if message.text else [])]


def _function(tool: Tool) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.schema)}
    return {"type": "function", "function": function}


def chat_fault(error: object, status: int, conversation: Sequence[Message]) -> LlmError:
    """The LlmError for an error object, from the stream (status 0) or an HTTP answer."""
    fields = error if isinstance(error, dict) else {"message": error}
    named = next((_CODES[str(fields[k])] for k in ("code", "type") if str(fields.get(k)) in _CODES), "")
    number = fields.get("code")
    if status < 400:
        status = number if isinstance(number, int) and 400 <= number < 600 else 500
    return fault(named or code_of_status(status), guarded_detail(str(fields.get("message", "")), conversation))


class ChatParser:
    """Reads the chunks of one reply."""

    def __init__(self, conversation: Sequence[Message] = ()) -> None:
        self._conversation = conversation
        self._reply = ReplyBuilder()
        self._tokens = (0, 0)
        self._blocks = _Blocks()

    def feed(self, data: str) -> list[ReplyEvent]:
        """Return what one event's data means, often nothing; LlmError when the reply cannot be used."""
        if data.strip() == "[DONE]":
            return [*self._reply.stop("end_turn"), *self.end()]
        try:
            chunk = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise fault("corrupt_stream", "a chunk is not JSON") from error
        if not isinstance(chunk, dict):
            raise fault("corrupt_stream", "a chunk is not a JSON object")
        if chunk.get("error"):
            raise chat_fault(chunk["error"], 0, self._conversation)
        try:
            return self._chunk(chunk)
        except (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError) as error:
            raise fault("corrupt_stream", "a chunk has an unknown shape") from error

    def end(self) -> list[ReplyEvent]:
        """The stream has ended: return Completed unless it was given; LlmError when the reply had not stopped."""
        if not self._reply.reason:
            raise fault("incomplete", "the stream ended without a finish reason")
        return self._reply.usage(*self._tokens)

    def _chunk(self, chunk: dict[str, Any]) -> list[ReplyEvent]:
        events: list[ReplyEvent] = []
        for choice in (chunk.get("choices") or [])[:1]:
            events += self._choice(choice)
        if usage := chunk.get("usage"):
            self._tokens = (int(usage.get("prompt_tokens") or 0), int(usage.get("completion_tokens") or 0))
            events += self._reply.usage(*self._tokens)
        return events

    def _choice(self, choice: dict[str, Any]) -> list[ReplyEvent]:
        """`content` is spoken; what servers put beside it (reasoning_content, refusal, audio) is not."""
        delta = choice.get("delta") or choice.get("message") or {}
        events = self._reply.text(_plain(delta.get("content")))
        for call in delta.get("tool_calls") or []:
            events += self._tool(call)
        reason = choice.get("finish_reason")
        if reason == "error":
            raise fault("server_error", "the server finished with an error")
        if reason:
            called = self._reply.calls_tools
            events += self._reply.stop("tool_use" if called and reason == "stop" else _REASONS.get(reason, str(reason)))
        return events

    def _tool(self, call: dict[str, Any]) -> list[ReplyEvent]:
        function = call.get("function") or {}
        call_id, name = str(call.get("id") or ""), str(function.get("name") or "")
        arguments = function.get("arguments") or ""
        if not isinstance(arguments, str):
            arguments = json.dumps(arguments)
        block = self._blocks.of(call.get("index"), call_id, bool(name))
        return self._reply.tool(block, call_id, name, arguments)


class _Blocks:
    """Which call a piece belongs to: some servers give no index, the same one to every call, or no id (F-65)."""

    def __init__(self) -> None:
        self._count = 0
        self._by_id: dict[str, int] = {}
        self._by_index: dict[int, int] = {}

    def of(self, index: int | None, call_id: str, named: bool) -> int:
        """The call's number, counted in the order in which calls began."""
        if call_id:
            block = self._by_id.get(call_id)
        elif index is not None:
            block = self._by_index.get(index)
        else:
            block = None if named or not self._count else self._count - 1
        if block is None:
            block = self._count
            self._count += 1
        if call_id:
            self._by_id[call_id] = block
        if index is not None:
            self._by_index[index] = block
        return block


def _plain(content: Any) -> str:
    """The text of a content, which may be null or a list of parts."""
    if isinstance(content, list):
        return "".join(p.get("text") or "" for p in content if p.get("type") == "text")
    return str(content or "")
