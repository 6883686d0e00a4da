"""What Bedrock refuses in a Converse request, in its words where known; strict as the strictest model.

Written from the documentation of the service, not from the gateway's own repair of histories.
"""

from typing import Any

STARTS = "A conversation must start with a user message. Try again with a conversation that starts with a user message."
ALTERNATES = (
    "A conversation must alternate between user and assistant roles. "
    "Make sure the conversation alternates between user and assistant roles and try again."
)
ENDS = "This model does not support assistant message prefill. The conversation must end with a user message."
NO_TOOL_CONFIG = "The toolConfig field must be defined when using toolUse and toolResult content blocks."


def refusal(body: dict[str, Any]) -> str | None:
    """The message of the ValidationException this request earns, or None when it is acceptable."""
    messages = body.get("messages") or []
    if not messages or messages[0]["role"] != "user":
        return STARTS
    roles = [m["role"] for m in messages]
    if any(a == b for a, b in zip(roles, roles[1:], strict=False)):
        return ALTERNATES
    if roles[-1] != "user":
        return ENDS
    for block in body.get("system", []):
        if not block.get("text"):
            return "Invalid length for parameter system[0].text, value: 0, valid min length: 1"
    return _contents(messages) or _tools(body, messages)


def _contents(messages: list[dict[str, Any]]) -> str | None:
    for n, message in enumerate(messages):
        if not message["content"]:
            return f"The content field in the Message object at messages.{n} is empty. Add a ContentBlock object to the content field and try again."  # noqa: E501  (the service's own sentence)
        for m, block in enumerate(message["content"]):
            where = f"messages.{n}.content.{m}"
            if "text" in block and not block["text"].strip():
                return _blank(where)
            if "toolResult" in block and not _said(block["toolResult"]):
                return _blank(f"{where}.toolResult.content.0")
    return None


def _blank(where: str) -> str:
    return f"The text field in the ContentBlock object at {where} is blank. Add text to the text field, and try again."


def _said(result: dict[str, Any]) -> bool:
    return bool(result["content"]) and all(b["text"].strip() for b in result["content"] if "text" in b)


def _tools(body: dict[str, Any], messages: list[dict[str, Any]]) -> str | None:
    due: list[str] = []
    for n, message in enumerate(messages):
        uses = [b["toolUse"]["toolUseId"] for b in message["content"] if "toolUse" in b]
        results = [b["toolResult"]["toolUseId"] for b in message["content"] if "toolResult" in b]
        if (uses or results) and not body.get("toolConfig", {}).get("tools"):
            return NO_TOOL_CONFIG
        if len(results) > len(due):
            return f"The number of toolResult blocks at messages.{n}.content exceeds the number of toolUse blocks of previous turn."  # noqa: E501  (the service's own sentence)
        if results != due:
            missing = ", ".join(i for i in due if i not in results) or "out of order"
            return f"Expected toolResult blocks at messages.{n}.content for the following Ids: {missing}"
        if len(set(uses)) != len(uses) or (uses and message["role"] != "assistant"):
            return f"messages.{n}: `tool_use` ids must be unique"
        due = uses
    return None
