"""Reading what a webhook tells, however the platform was configured to send it."""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

from gateway.platforms.base import WebhookRequest

# How platforms name the field of a SIP header: Twilio, SignalWire, TeXML and Vonage; Plivo and Vobiz; FreeSWITCH.
_HEADER_FIELDS = ("SipHeader_", "SIP-H-", "sip_h_")
# Plivo and Vobiz pass on headers of this name as they are.
_OWN_HEADERS = "X-PH-"
# A call has a handful.
_MAX_HEADERS = 64


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


def sip_headers(fields: Mapping[str, Any]) -> dict[str, str]:
    """The SIP headers that a webhook tells, by name in lower case.

    Each is a field, or they are in a list (Telnyx) or in `sip` (jambonz). They come from the caller's side, so they
    prove nothing.
    """
    pairs: list[tuple[str, object]] = []
    for name, value in fields.items():
        prefix = next((prefix for prefix in _HEADER_FIELDS if name.startswith(prefix)), "")
        if prefix or name.startswith(_OWN_HEADERS):
            pairs.append((name.removeprefix(prefix), value))
    listed = fields.get("custom_headers")
    if isinstance(listed, list):
        pairs += [(word(entry, "name"), entry.get("value")) for entry in listed if isinstance(entry, dict)]
    sip = fields.get("sip")
    if isinstance(sip, dict) and isinstance(sip.get("headers"), dict):
        pairs += sip["headers"].items()
    return {name.lower(): value for name, value in pairs[:_MAX_HEADERS] if name and isinstance(value, str)}
