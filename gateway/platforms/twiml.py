"""Answer documents in TwiML, the XML that Twilio, SignalWire, Telnyx and others read."""

from collections.abc import Mapping
from typing import Literal
from urllib.parse import parse_qsl
from xml.etree import ElementTree

from gateway.errors import Refused
from gateway.platforms.base import Answerer, Document, WebhookRequest
from gateway.platforms.target import is_number
from gateway.platforms.xml import NOT_XML, document, spoken

# Twilio's bound for a <Parameter>: its name and value together stay under 500 characters.
MAX_PARAMETER_CHARS = 499

# Values of CallStatus, and of StreamEvent, after which there is no stream.
_OVER = frozenset({"completed", "busy", "failed", "no-answer", "canceled", "stream-stopped", "stream-error"})
_ANSWERERS: Mapping[str, tuple[Literal["human", "machine", "fax"], bool]] = {
    "human": ("human", False),
    "fax": ("fax", False),
    "machine_start": ("machine", False),
    "machine_end_beep": ("machine", True),
    "machine_end_silence": ("machine", True),
    "machine_end_other": ("machine", True),
}


def connect(stream_url: str, parameters: Mapping[str, str], attributes: Mapping[str, str] | None = None) -> Document:
    """Connect the call to a stream both ways; nothing follows, so closing the socket hangs up (F-11).

    `attributes` are a platform's own, beside the URL. Refused (400) when a parameter is too long or not XML text. The
    query of a stream URL is dropped on the way (F-29), so a URL with one is a ValueError.
    """
    if "?" in stream_url:
        raise ValueError("the stream URL has a query, which the platform drops: use parameters")
    response = ElementTree.Element("Response")
    stream = ElementTree.SubElement(
        ElementTree.SubElement(response, "Connect"), "Stream", {"url": stream_url, **(attributes or {})}
    )
    for name, value in parameters.items():
        _check_parameter(name, value)
        ElementTree.SubElement(stream, "Parameter", name=name, value=value)
    return document(response)


def reject(reason: str) -> Document:
    """Turn the call away: the caller hears the busy tone for `busy`, "not in service" for any other reason."""
    response = ElementTree.Element("Response")
    ElementTree.SubElement(response, "Reject", reason="busy" if reason == "busy" else "rejected")
    return document(response)


def dial(target: str) -> Document:
    """Move the caller to a number or SIP address; Refused (400) when it is neither."""
    response = ElementTree.Element("Response")
    verb = ElementTree.SubElement(response, "Dial")
    (verb if is_number(target) else ElementTree.SubElement(verb, "Sip")).text = target
    return document(response)


def room(name: str, *, agent: bool, announcement: str = "") -> Document:
    """Say the announcement, then enter the conference; see base.Rooms."""
    response = ElementTree.Element("Response")
    if announcement:
        ElementTree.SubElement(response, "Say").text = spoken(announcement)
    attributes = {
        "beep": "false",
        "startConferenceOnEnter": "true" if agent else "false",
        "endConferenceOnExit": "true",
    }
    ElementTree.SubElement(ElementTree.SubElement(response, "Dial"), "Conference", attributes).text = name
    return document(response)


def _check_parameter(name: str, value: str) -> None:
    length = len(name) + len(value)
    if not name or length > MAX_PARAMETER_CHARS:
        limit = f"name and value have {length} characters together, the limit is {MAX_PARAMETER_CHARS}"
        raise Refused("bad_parameter", limit, http_status=400)
    if NOT_XML.search(name + value):
        raise Refused("bad_parameter", "a control character cannot be written in XML", http_status=400)


def asking_who(status_url: str) -> dict[str, str]:
    """Fields of a call to be placed: tell who answers while it goes on, and when a machine has finished announcing."""
    return {"MachineDetection": "DetectMessageEnd", "AsyncAmd": "true", "AsyncAmdStatusCallback": status_url}


def answered_by(request: WebhookRequest) -> Answerer | None:
    """Who has answered, as a callback of asynchronous detection says; None when it does not."""
    fields = _fields(request)
    known = _ANSWERERS.get(fields.get("AnsweredBy", ""))
    call_id = fields.get("CallSid", "")
    return Answerer(call_id, *known) if known is not None and call_id else None


def _fields(request: WebhookRequest) -> dict[str, str]:
    is_get = request.method.upper() == "GET"
    return dict(parse_qsl(request.url.partition("?")[2]) if is_get else request.form)


def hung_up(request: WebhookRequest) -> str:
    """The CallSid of a status callback that says the call is over; blank when it is a stream's."""
    return "" if "StreamEvent" in _fields(request) else ended(request)


def ended(request: WebhookRequest) -> str:
    """The CallSid of a status callback, form or query, that says the call or its stream is over; else blank."""
    fields = _fields(request)
    over = fields.get("StreamEvent") or fields.get("CallStatus", "")
    return fields.get("CallSid", "") if over in _OVER else ""
