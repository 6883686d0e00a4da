"""What strict OpenAI-compatible servers refuse in a list of chat messages; written from their documentation."""

import json
from collections.abc import Sequence
from typing import Any


def chat_refusal(messages: Sequence[dict[str, Any]]) -> str | None:
    """Why these messages are refused, or None when they are acceptable."""
    due: list[str] = []
    previous = ""
    for number, message in enumerate(messages):
        role = message["role"]
        if role == "tool":
            if message["tool_call_id"] not in due:
                return f"messages.{number}: a tool message must answer one of the calls before it"
            due.remove(message["tool_call_id"])
        elif due:
            return f"messages.{number}: the calls {due} have no tool message"
        elif role == previous:
            return f"messages.{number}: roles must alternate"
        if not message.get("tool_calls") and not str(message.get("content") or "").strip():
            return f"messages.{number}: blank"
        due += [call["id"] for call in message.get("tool_calls", ())]
        for call in message.get("tool_calls", ()):
            json.loads(call["function"]["arguments"])
        previous = role
    return "a tool message is missing" if due else None if previous in ("user", "tool") else "the assistant speaks last"
