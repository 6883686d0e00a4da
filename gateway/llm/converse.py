"""Amazon Bedrock's Converse vocabulary: our messages in its JSON, its events in ours. No I/O.

Source: Bedrock API reference, ConverseStream.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from gateway.llm.base import Inference, Message, Tool
from gateway.llm.faults import fault
from gateway.llm.reply import ReplyBuilder, ReplyEvent
from gateway.llm.turns import conform

# Exception names as HTTP errors (UpperCamel) and as events in the stream (lowerCamel), compared in lower case.
_CODES = {
    "accessdeniedexception": "access_denied",
    "expiredtokenexception": "credentials",
    "incompletesignature": "credentials",
    "internalserverexception": "server_error",
    "invalidsignatureexception": "credentials",
    "missingauthenticationtokenexception": "credentials",
    "modelerrorexception": "server_error",
    "modelnotreadyexception": "unavailable",
    "modelstreamerrorexception": "server_error",
    "modeltimeoutexception": "model_timeout",
    "resourcenotfoundexception": "model_not_found",
    "servicequotaexceededexception": "throttled",
    "serviceunavailableexception": "unavailable",
    "throttlingexception": "throttled",
    "toomanyrequestsexception": "throttled",
    "unrecognizedclientexception": "credentials",
    "validationexception": "invalid_request",
}
# The optional inference fields and the names under which error texts speak of them. Where a text names two ("cannot
# both be specified") the first here is left out, and the other one stays.
_OPTIONAL_FIELDS = {
    "topP": ("topp", "top_p", "top p"),
    "temperature": ("temperature",),
    "stopSequences": ("stopsequences", "stop_sequences", "stop sequences"),
}


@dataclass(frozen=True, slots=True)
class Guardrail:
    """A Bedrock guardrail. `async` streaming is faster but lets some text out before it intervenes."""

    identifier: str
    version: str = "DRAFT"
    stream_mode: Literal["sync", "async"] = "sync"


@dataclass(frozen=True, slots=True)
class BedrockExtras:
    """Request fields that only some models take; None is not sent. `additional_fields` goes out verbatim."""

    additional_fields: Mapping[str, Any] | None = None
    guardrail: Guardrail | None = None
    latency: Literal["standard", "optimized"] | None = None
    service_tier: Literal["priority", "default", "flex", "reserved"] | None = None


def code_of_exception(name: str, status: int) -> str:
    """The stable code for an exception's name; an unknown name is judged by its HTTP status."""
    return _CODES.get(name.lower()) or ("server_error" if status >= 500 else "invalid_request")


def rejected_field(message: str, sent: Container[str]) -> str | None:
    """The optional inference field, of those sent, that a ValidationException's text names (F-70)."""
    text = message.lower()
    return next((f for f, names in _OPTIONAL_FIELDS.items() if f in sent and any(n in text for n in names)), None)


def converse_inference(inference: Inference, without: frozenset[str]) -> dict[str, Any]:
    """`inferenceConfig` with the fields that are set and not in `without`."""
    fields = {
        "maxTokens": inference.max_tokens,
        "temperature": inference.temperature,
        "topP": inference.top_p,
        "stopSequences": None if inference.stop_sequences is None else list(inference.stop_sequences),
    }
    return {name: value for name, value in fields.items() if value is not None and name not in without}


def converse_extras(extras: BedrockExtras) -> dict[str, Any]:
    """The optional top-level fields of the request."""
    fields: dict[str, Any] = {}
    if extras.additional_fields is not None:
        fields["additionalModelRequestFields"] = dict(extras.additional_fields)
    if extras.guardrail is not None:
        fields["guardrailConfig"] = {
            "guardrailIdentifier": extras.guardrail.identifier,
            "guardrailVersion": extras.guardrail.version,
            "streamProcessingMode": extras.guardrail.stream_mode,
        }
    if extras.latency is not None:
        fields["performanceConfig"] = {"latency": extras.latency}
    if extras.service_tier is not None:
        fields["serviceTier"] = {"type": extras.service_tier}
    return fields


def converse_conversation(messages: Sequence[Message], system: str, tools: Sequence[Tool]) -> dict[str, Any]:
    """`messages`, `system` and `toolConfig`; a blank system prompt and an empty tool list are left out."""
    turns = conform(messages)
    fields: dict[str, Any] = {"messages": [{"role": m.role, "content": _content(m)} for m in turns]}
    if system.strip():
        fields["system"] = [{"text": system}]
    specs = {t.name: _tool_spec(t) for t in tools}
    # Bedrock refuses tool blocks in the history unless tools are declared.
    for call in (c for m in turns for c in m.tool_calls):
        specs.setdefault(call.name, _tool_spec(Tool(call.name, "No longer offered.", {"type": "object"})))
    if specs:
        fields["toolConfig"] = {"tools": list(specs.values())}
    return fields


def _content(message: Message) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = [
        {
            "toolResult": {
                "toolUseId": r.call_id,
                "content": [{"text": r.text}],
                "status": "error" if r.failed else "success",
            }
        }
        for r in message.tool_results
    ]
    if message.text:
        blocks.append({"text": message.text})
    blocks += [
        {"toolUse": {"toolUseId": c.call_id, "name": c.name, "input": dict(c.arguments)}} for c in message.tool_calls
    ]
    return blocks


def _tool_spec(tool: Tool) -> dict[str, Any]:
    return {
        "toolSpec": {"name": tool.name, "description": tool.description, "inputSchema": {"json": dict(tool.schema)}}
    }


class ConverseParser:
    """Reads the events of one ConverseStream reply, as boto3 gives them."""

    def __init__(self) -> None:
        self._reply = ReplyBuilder()

    def feed(self, event: Mapping[str, Any]) -> list[ReplyEvent]:
        """Return what the event means, often nothing; LlmError when the reply cannot be used."""
        if "contentBlockDelta" in event:
            return self._delta(event["contentBlockDelta"])
        if "contentBlockStart" in event:
            block = event["contentBlockStart"]
            if use := block["start"].get("toolUse"):
                return self._reply.tool(block["contentBlockIndex"], use["toolUseId"], use["name"])
        elif "messageStop" in event:
            return self._reply.stop(event["messageStop"]["stopReason"])
        elif "metadata" in event:
            usage = event["metadata"].get("usage", {})
            return self._reply.usage(usage.get("inputTokens", 0), usage.get("outputTokens", 0))
        return []

    def end(self) -> list[ReplyEvent]:
        """The stream has ended: return Completed where no metadata came; LlmError without a messageStop."""
        if not self._reply.reason:
            raise fault("incomplete", "the stream ended without a messageStop event")
        return self._reply.usage(0, 0)

    def _delta(self, block: Mapping[str, Any]) -> list[ReplyEvent]:
        """Only text is spoken; reasoning, citations and images are not."""
        delta = block["delta"]
        if "toolUse" in delta:
            return self._reply.tool(block["contentBlockIndex"], piece=delta["toolUse"].get("input", ""))
        return self._reply.text(delta["text"]) if "text" in delta else []
