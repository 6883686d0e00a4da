"""Answer documents in Plivo's XML, which Vobiz reads too."""

import re
from collections.abc import Mapping
from xml.etree import ElementTree

from gateway.errors import Refused
from gateway.platforms.base import Document
from gateway.platforms.target import is_number
from gateway.platforms.xml import document, spoken

# Plivo's bound for the attribute as a whole.
MAX_EXTRA_HEADERS_BYTES = 512
# Added to the name of a parameter whose value holds more than letters and digits: those travel in hex.
_HEX = "_hex"

_PLAIN = re.compile(r"[A-Za-z0-9]+")
_NAME = re.compile(r"[A-Za-z0-9_]+")
_BETWEEN = re.compile(r"[;,]")


def stream(stream_url: str, content_type: str, extra_headers: str) -> Document:
    """Connect the call to a stream both ways; nothing follows, so closing the socket hangs up (F-11)."""
    response = ElementTree.Element("Response")
    attributes = {
        "bidirectional": "true",
        # Without it, the elements after the stream would run at once: none, so the call would end.
        "keepCallAlive": "true",
        "audioTrack": "inbound",
        "contentType": content_type,
        "extraHeaders": extra_headers,
    }
    ElementTree.SubElement(response, "Stream", attributes).text = stream_url
    return document(response)


def reject(reason: str) -> Document:
    """Turn the call away: the caller hears the busy tone for `busy`."""
    response = ElementTree.Element("Response")
    ElementTree.SubElement(response, "Hangup", reason="busy" if reason == "busy" else "rejected")
    return document(response)


def dial(target: str) -> Document:
    """Move the caller to a number or SIP address; Refused (400) when it is neither."""
    response = ElementTree.Element("Response")
    verb = ElementTree.SubElement(response, "Dial")
    ElementTree.SubElement(verb, "Number" if is_number(target) else "User").text = target
    return document(response)


def room(name: str, *, agent: bool, announcement: str = "", **attributes: str) -> Document:
    """Say the announcement, then enter the conference; see base.Rooms. Who waits there hears nothing.

    `attributes` are a platform's own.
    """
    response = ElementTree.Element("Response")
    if announcement:
        ElementTree.SubElement(response, "Speak").text = spoken(announcement)
    attributes |= {"startConferenceOnEnter": "true" if agent else "false", "endConferenceOnExit": "true"}
    ElementTree.SubElement(response, "Conference", attributes).text = name
    return document(response)


def packed(parameters: Mapping[str, str], separator: str) -> str:
    """Write parameters as extraHeaders; Refused (400) for a name that cannot be carried, and for too many bytes."""
    pairs = []
    for name, value in parameters.items():
        if not _NAME.fullmatch(name) or name.endswith(_HEX):
            raise Refused("bad_parameter", "a name has other characters than letters, digits and _", http_status=400)
        if _PLAIN.fullmatch(value):
            pairs.append(f"{name}={value}")
        else:
            pairs.append(f"{name}{_HEX}={value.encode('utf-8', 'replace').hex()}")
    written = separator.join(pairs)
    if len(written) > MAX_EXTRA_HEADERS_BYTES:
        limit = f"{len(written)} bytes of parameters, the limit is {MAX_EXTRA_HEADERS_BYTES}"
        raise Refused("bad_parameter", limit, http_status=400)
    return written


def unpacked(written: str) -> dict[str, str]:
    """Read pairs between `;` or `,`, as the start message gives them back; what is no pair is passed over."""
    pairs = (pair.strip().partition("=") for pair in _BETWEEN.split(written))
    return dict(read_pair(name, value) for name, equals, value in pairs if equals)


def read_pair(name: str, value: str) -> tuple[str, str]:
    """A parameter as it was before it was packed."""
    if name.endswith(_HEX):
        try:
            return name.removesuffix(_HEX), bytes.fromhex(value).decode()
        except ValueError:  # not ours, then
            return name, value
    return name, value
