"""Telnyx: a call is answered with TeXML that orders its media stream; telnyx_call_control does it by command.

The codec of either direction is chosen in that order. A TeXML stream carries no parameters for certain, so its token
stands in the path. Hang-up, transfer and DTMF go by Call Control's REST API, which takes TeXML's CallSid too.
"""

import hashlib
import hmac
import time
from collections.abc import Callable, Mapping
from typing import Any, Literal

from gateway.errors import Refused
from gateway.platforms import twiml
from gateway.platforms.base import Answerer, Codec, Document, IncomingCall, WebhookRequest
from gateway.platforms.byte_order import ByteOrder
from gateway.platforms.telnyx_signature import public_key, signed_message, verify_telnyx
from gateway.platforms.telnyx_stream import CAPABILITIES, TelnyxCodec, wire_format
from gateway.platforms.webhook import sip_headers, webhook_fields, word

_ANSWERERS: Mapping[str, Literal["human", "machine", "fax"]] = {
    "human": "human",
    "human_residence": "human",
    "human_business": "human",
    "machine": "machine",
    "fax_detected": "fax",
}


class Telnyx:
    """The platform. `public_key_base64` is the portal's; blank verifies nothing.

    `codec_name` (PCMU, PCMA or L16) and `rate_hz` are what streams are ordered with. `stream_secret` is asked of every
    socket; only streams ordered by Call Control carry it, so leave it blank with TeXML.
    """

    name = "telnyx"
    capabilities = CAPABILITIES

    def __init__(
        self,
        public_key_base64: str,
        *,
        codec_name: str = "PCMU",
        rate_hz: int = 8000,
        l16_byte_order: str = "little",
        stream_secret: str = "",
        now: Callable[[], float] = time.time,
    ) -> None:
        """ValueError for a malformed key, an unknown byte order, and what no stream can be ordered with."""
        wire = wire_format(codec_name, rate_hz)
        if wire is None:
            known = "PCMU and PCMA at 8000 Hz, L16 at 8000, 16000 and 24000 Hz"
            raise ValueError(f"codec_name is {codec_name} at {rate_hz} Hz; known are {known}")
        self._key = public_key(public_key_base64)
        self._codec_name = codec_name
        self._format = wire
        self._byte_order = ByteOrder(l16_byte_order)
        self._stream_secret = stream_secret
        self._now = now

    def codec(self) -> Codec:
        return TelnyxCodec(self._format, self._byte_order)

    def verify(self, request: WebhookRequest) -> bool:
        """Whether the webhook is signed. Sockets are not: they show the stream secret, where there is one."""
        if not request.url.startswith(("ws:", "wss:")):
            return verify_telnyx(request, self._key, self._now())
        given = request.headers.get("x-telnyx-streaming-auth-token", "")
        same = hmac.compare_digest(given.encode("utf-8", "replace"), self._stream_secret.encode())
        return same or not self._stream_secret

    def once(self, request: WebhookRequest) -> str:
        """What is signed; the signature itself can be written in several ways."""
        if request.url.startswith(("ws:", "wss:")):
            return ""
        return hashlib.sha256(signed_message(request)).hexdigest()

    def incoming(self, request: WebhookRequest) -> IncomingCall:
        """Read TeXML's webhook (form or query) or Call Control's (JSON); Refused (400) without the call's id."""
        fields = webhook_fields(request)
        payload = _payload(fields)
        call_id = word(fields, "CallSid") or word(payload, "call_control_id")
        if not call_id:
            raise Refused("missing_call_id", "the webhook has no CallSid or call_control_id", http_status=400)
        direction = word(fields, "Direction") or word(payload, "direction")
        return IncomingCall(
            call_id,
            word(fields, "AccountSid") or word(payload, "connection_id"),
            word(fields, "From") or word(payload, "from"),
            word(fields, "To") or word(payload, "to"),
            "outbound" if direction.startswith(("outbound", "outgoing")) else "inbound",
            sip_headers({**fields, **payload}),
        )

    def answer(self, stream_url: str, token: str, parameters: Mapping[str, str]) -> Document:
        """TeXML that connects the call to the stream, whose path holds the token; Refused (400) for a bad parameter."""
        attributes = {
            "track": "inbound_track",
            "codec": self._codec_name,
            # Without it, Telnyx takes what it is sent for MP3 files.
            "bidirectionalMode": "rtp",
            "bidirectionalCodec": self._codec_name,
            "bidirectionalSamplingRate": str(self._format.rate_hz),
        }
        return twiml.connect(stream_url, parameters, attributes)

    def stream_order(self, stream_url: str, parameters: Mapping[str, str]) -> dict[str, Any]:
        """The same as fields of a Call Control command."""
        order: dict[str, Any] = {
            "stream_url": stream_url,
            "stream_track": "inbound_track",
            "stream_codec": self._codec_name,
            "stream_bidirectional_mode": "rtp",
            "stream_bidirectional_codec": self._codec_name,
            "stream_bidirectional_sampling_rate": self._format.rate_hz,
            # The bot is alone on its leg; by default nobody may hear it.
            "stream_bidirectional_target_legs": "self",
            "custom_parameters": [{"name": name, "value": value} for name, value in parameters.items()],
        }
        if self._stream_secret:
            order["stream_auth_token"] = self._stream_secret
        return order

    def reject(self, reason: str) -> Document:
        return twiml.reject(reason)

    def room(self, name: str, *, agent: bool, announcement: str = "") -> Document:
        return twiml.room(name, agent=agent, announcement=announcement)

    def hung_up(self, request: WebhookRequest) -> str:
        return "" if "StreamEvent" in webhook_fields(request) else self.ended(request)

    def answered_by(self, request: WebhookRequest) -> Answerer | None:
        """Read TeXML's callback of asynchronous detection, or Call Control's events of it."""
        payload, data = _payload(webhook_fields(request)), webhook_fields(request).get("data")
        call_id, event = word(payload, "call_control_id"), word(data, "event_type") if isinstance(data, dict) else ""
        if event == "call.machine.greeting.ended" and call_id:
            return Answerer(call_id, "machine", announced=True)
        known = _ANSWERERS.get(word(payload, "result")) if event == "call.machine.detection.ended" else None
        return Answerer(call_id, known) if known is not None and call_id else twiml.answered_by(request)

    def ended(self, request: WebhookRequest) -> str:
        """Read TeXML's status callback or Call Control's call.hangup."""
        data = webhook_fields(request).get("data")
        if isinstance(data, dict) and data.get("event_type") == "call.hangup":
            return word(_payload({"data": data}), "call_control_id")
        return twiml.ended(request)


def _payload(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """data.payload of a Call Control webhook; empty in any other."""
    data = fields.get("data")
    payload = data.get("payload") if isinstance(data, dict) else None
    return payload if isinstance(payload, dict) else {}
