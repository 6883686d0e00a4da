"""Reading what a webhook tells, however the platform was configured to send it."""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

from gateway.platforms.base import WebhookRequest


def webhook_fields(request: WebhookRequest) -> Mapping[str, Any]:
    """The query of a GET, else the form, else the JSON object of the body; nothing when there is none of them."""
    if request.method.upper() == "GET":
        return dict(parse_qsl(request.url.partition("?")[2]))
    if request.form:
        return dict(request.form)
    try:
        body = json.loads(request.body)
    except (ValueError, RecursionError):
        return {}
    return body if isinstance(body, dict) else {}


def word(fields: Mapping[str, Any], name: str) -> str:
    """The text at `name`, blank when it is missing or something else."""
    value = fields.get(name)
    return value if isinstance(value, str) else ""
