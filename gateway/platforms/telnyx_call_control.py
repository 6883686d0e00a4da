"""Telnyx by Call Control: an application that sends events as JSON and is told by REST to answer and to stream."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from gateway.platforms.base import Document, WebhookRequest
from gateway.platforms.telnyx import Telnyx
from gateway.platforms.telnyx_rooms import INTRODUCED
from gateway.platforms.webhook import webhook_fields, word

# Telnyx repeats an event for minutes at most until it is acknowledged; a call has about ten.
MAX_REMEMBERED_EVENTS = 10_000
# When a call wants its stream: one that comes in when it is told of, one that we placed when it is answered.
_RINGING = frozenset({("call.initiated", "incoming"), ("call.answered", "outgoing")})


class TelnyxCallControl(Telnyx):
    """The platform; the constructor is Telnyx's."""

    def __init__(self, public_key_base64: str, **values: Any) -> None:
        super().__init__(public_key_base64, **values)
        self._seen: dict[str, None] = {}  # ids of events that rang, oldest first

    def rings(self, request: WebhookRequest) -> bool:
        """Whether the event asks for a stream or a room, for the first time: one is sent until it is acknowledged."""
        event = webhook_fields(request).get("data")
        if not isinstance(event, dict) or not isinstance(event.get("payload"), dict):
            return False
        kind, payload = word(event, "event_type"), event["payload"]
        introduced = kind == "call.speak.ended" and payload.get("client_state") == INTRODUCED
        if not introduced and (kind, word(payload, "direction")) not in _RINGING:
            return False
        event_id = word(event, "id")
        is_new = event_id not in self._seen
        if event_id:
            self._seen[event_id] = None
        if len(self._seen) > MAX_REMEMBERED_EVENTS:
            del self._seen[next(iter(self._seen))]
        return is_new

    def answer(self, stream_url: str, token: str, parameters: Mapping[str, str]) -> Document:
        """The order of the stream, whose path holds the token."""
        return Document("application/json", json.dumps(self.stream_order(stream_url, parameters)))

    def room(self, name: str, *, agent: bool, announcement: str = "") -> Document:
        """The order to enter a room. Who waits there hears nothing."""
        return Document("application/json", json.dumps({"room": name, "announcement": announcement}))

    def reject(self, reason: str) -> Document:
        cause = "USER_BUSY" if reason == "busy" else "CALL_REJECTED"
        return Document("application/json", json.dumps({"cause": cause}))


_KINDS: Mapping[str, Callable[..., Telnyx]] = {"texml": Telnyx, "call_control": TelnyxCallControl}


def telnyx(public_key_base64: str, *, application: str = "texml", **values: Any) -> Telnyx:
    """The platform for an application of this kind, texml or call_control.

    ValueError for another one, and for a stream secret with TeXML, which cannot carry it.
    """
    make = _KINDS.get(application)
    if make is None:
        raise ValueError(f"application is {application!r}; known are {', '.join(_KINDS)}")
    if make is Telnyx and values.get("stream_secret"):
        raise ValueError("stream_secret is for call_control: streams ordered by TeXML cannot show it")
    return make(public_key_base64, **values)
