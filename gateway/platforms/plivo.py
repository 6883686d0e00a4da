"""Plivo: a call is answered with XML that orders its media stream; hang-up and transfer go by REST."""

from collections.abc import Mapping

from gateway.errors import Refused
from gateway.platforms import plivo_xml
from gateway.platforms.base import Answerer, Capabilities, Codec, Document, IncomingCall, WebhookRequest
from gateway.platforms.byte_order import ByteOrder
from gateway.platforms.plivo_signature import plivo_nonce, verify_plivo, verify_plivo_upgrade
from gateway.platforms.plivo_stream import CAPABILITIES, PlivoCodec, ordered_format
from gateway.platforms.webhook import sip_headers, webhook_fields, word

# CallStatus, and Event of a stream's status callback by both spellings, after which there is no stream.
_OVER = frozenset({"completed", "busy", "failed", "timeout", "no-answer", "cancel"})
_STREAM_OVER = frozenset({"StopStream", "DroppedStream", "stopped", "failed"})


class Plivo:
    """The platform. `auth_token` is the account's, `main_token` its main account's; blank ones verify nothing.

    `content_type` is what streams are ordered with. `separator` stands between the parameters of the answer (`,` or
    `;`: the vendor's pages differ). `socket_signed` False takes upgrades without signature, should none of the forms
    told of be the true one; the one-time token is asked for in any case.
    """

    name = "plivo"
    capabilities: Capabilities = CAPABILITIES
    rates_hz: tuple[int, ...] = (8000, 16000)

    def __init__(
        self,
        auth_token: str,
        *,
        main_token: str = "",
        content_type: str = "audio/x-mulaw;rate=8000",
        separator: str = ",",
        l16_byte_order: str = "little",
        socket_signed: bool = True,
    ) -> None:
        """ValueError for an unknown content type, separator or byte order."""
        wire = ordered_format(content_type)
        if wire is None or wire.rate_hz not in self.rates_hz:
            raise ValueError(
                f"content_type is {content_type!r}; write audio/x-mulaw;rate=8000 or audio/x-l16;rate=16000"
            )
        if separator not in (",", ";"):
            raise ValueError(f"separator is {separator!r}; known are , and ;")
        self._tokens = (auth_token, main_token)
        self._content_type = content_type
        self._separator = separator
        self._byte_order = ByteOrder(l16_byte_order)
        self._socket_signed = socket_signed

    def codec(self) -> Codec:
        return PlivoCodec(self._byte_order)

    def verify(self, request: WebhookRequest) -> bool:
        """Whether the webhook is signed, or the upgrade in one of the forms that are told of."""
        if not request.url.startswith(("ws:", "wss:")):
            return verify_plivo(request, self._tokens)
        return verify_plivo_upgrade(request, self._tokens) if self._socket_signed else any(self._tokens)

    def once(self, request: WebhookRequest) -> str:
        return plivo_nonce(request, self.name)

    def incoming(self, request: WebhookRequest) -> IncomingCall:
        """Read the answer webhook, form or query; Refused (400) without a CallUUID."""
        fields = webhook_fields(request)
        call_id = word(fields, "CallUUID")
        if not call_id:
            raise Refused("missing_call_id", "the webhook has no CallUUID", http_status=400)
        direction = "outbound" if word(fields, "Direction") == "outbound" else "inbound"
        caller, called = word(fields, "From"), word(fields, "To")
        return IncomingCall(call_id, word(fields, "ParentAuthID"), caller, called, direction, sip_headers(fields))

    def answer(self, stream_url: str, token: str, parameters: Mapping[str, str]) -> Document:
        """Connect the call to the stream; Refused (400) for parameters that would not be carried."""
        extra_headers = plivo_xml.packed({**parameters, "token": token}, self._separator)
        return plivo_xml.stream(stream_url, self._content_type, extra_headers)

    def reject(self, reason: str) -> Document:
        return plivo_xml.reject(reason)

    def room(self, name: str, *, agent: bool, announcement: str = "") -> Document:
        return plivo_xml.room(name, agent=agent, announcement=announcement)

    def hung_up(self, request: WebhookRequest) -> str:
        return "" if word(webhook_fields(request), "Event") in _STREAM_OVER else self.ended(request)

    def answered_by(self, request: WebhookRequest) -> Answerer | None:
        """Read the callback of machine detection."""
        fields = webhook_fields(request)
        call_id, machine = word(fields, "CallUUID"), word(fields, "Machine").lower()
        if not call_id or machine not in ("true", "false"):
            return None
        return Answerer(call_id, "machine" if machine == "true" else "human")

    def ended(self, request: WebhookRequest) -> str:
        """Read a call's hang-up callback or a stream's status callback."""
        fields = webhook_fields(request)
        over = word(fields, "Event") in {"Hangup", *_STREAM_OVER} or word(fields, "CallStatus") in _OVER
        return word(fields, "CallUUID") if over else ""
