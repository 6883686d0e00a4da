"""Vonage Voice API: an NCCO for the webhook, a WebSocket as participant of the conversation.

Nothing follows the socket in our document, so closing it ends the call; hang-up, transfer and DTMF of the caller's leg
go by REST. vonage_stream.py is what passes over the socket.
"""

import hmac
import json
import time
from collections.abc import Callable, Mapping

from gateway.errors import Refused
from gateway.platforms.base import Answerer, Codec, Document, IncomingCall, WebhookRequest
from gateway.platforms.signature import socket_secret
from gateway.platforms.vonage_signature import VonageIdentity, verified_claims, verify_webhook
from gateway.platforms.vonage_stream import CAPABILITIES, OWN_KEYS, RATES_HZ, VonageCodec
from gateway.platforms.webhook import sip_headers, webhook_fields, word

# The older of two documented limits for `headers`; the newer one is 2,000 bytes.
MAX_HEADERS_BYTES = 512

# `status` of an event after which the leg is no more.
_OVER = frozenset(("completed", "disconnected", "busy", "cancelled", "failed", "rejected", "timeout", "unanswered"))


class Vonage:
    """The platform. `api_key` and `application_id` are asked of signed webhooks where they are not blank.

    `authorization` is what Vonage shows at the socket: `custom` (a value made from the secret, in the answer document),
    `vonage` (a token of its own, signed as its webhooks by all we know) or `none`. The one-time token among the headers
    is asked for in any case.
    """

    name = "vonage"
    capabilities = CAPABILITIES

    def __init__(
        self,
        signature_secret: str,
        *,
        api_key: str = "",
        application_id: str = "",
        rate_hz: int = 16000,
        authorization: str = "custom",
        max_age_s: float = 300.0,
        now: Callable[[], float] = time.time,
    ) -> None:
        """ValueError for a rate that Vonage does not have or an unknown `authorization`."""
        if rate_hz not in RATES_HZ:
            raise ValueError(f"rate_hz is {rate_hz}; Vonage has {', '.join(map(str, RATES_HZ))}")
        if authorization not in ("custom", "vonage", "none"):
            raise ValueError(f"authorization is {authorization!r}; known are custom, vonage, none")
        self._identity = VonageIdentity(signature_secret, api_key, application_id, max_age_s)
        self._rate_hz = rate_hz
        self._authorization = authorization
        self._now = now

    def codec(self) -> Codec:
        return VonageCodec()

    def verify(self, request: WebhookRequest) -> bool:
        """Whether the webhook is signed, or the upgrade carries what `authorization` says."""
        if not request.url.startswith(("ws:", "wss:")):
            return verify_webhook(request, self._identity, self._now())
        given = request.headers.get("authorization", "")
        if self._authorization == "vonage":
            return verified_claims(given, self._identity, self._now()) is not None
        fits = hmac.compare_digest(self._bearer(request.url).encode(), given.encode("utf-8", "replace"))
        return bool(self._identity.signature_secret) and (fits or self._authorization == "none")

    def once(self, request: WebhookRequest) -> str:
        """The token without its signature: it has an id of its own."""
        is_token = self._authorization == "vonage" or not request.url.startswith(("ws:", "wss:"))
        return request.headers.get("authorization", "").partition(" ")[2].strip().rpartition(".")[0] if is_token else ""

    def incoming(self, request: WebhookRequest) -> IncomingCall:
        """Read the answer webhook, query or JSON; Refused (400) without the leg's uuid."""
        fields = webhook_fields(request)
        call_id = word(fields, "uuid")
        if not call_id:
            raise Refused("missing_call_id", "the webhook has no uuid", http_status=400)
        direction = "outbound" if word(fields, "direction") == "outbound" else "inbound"
        caller, called = word(fields, "from"), word(fields, "to")
        return IncomingCall(call_id, "", caller, called, direction, sip_headers(fields))

    def answer(self, stream_url: str, token: str, parameters: Mapping[str, str]) -> Document:
        """Connect the call to the socket; Refused (400) when the parameters are more than Vonage carries."""
        headers = {**parameters, "token": token}
        size = len(json.dumps(headers).encode())
        if size > MAX_HEADERS_BYTES or OWN_KEYS & headers.keys():
            detail = f"parameters of {size} bytes where {MAX_HEADERS_BYTES} is the limit, or a name that Vonage uses"
            raise Refused("bad_parameter", detail, http_status=400)
        endpoint: dict[str, object] = {
            "type": "websocket",
            "uri": stream_url,
            "content-type": f"audio/l16;rate={self._rate_hz}",
            "headers": headers,
        }
        if self._authorization == "custom":
            endpoint["authorization"] = {"type": "custom", "value": self._bearer(stream_url)}
        elif self._authorization == "vonage":
            endpoint["authorization"] = {"type": "vonage"}
        return Document("application/json", json.dumps([{"action": "connect", "endpoint": [endpoint]}]))

    def reject(self, reason: str) -> Document:
        """An empty list of actions: the call ends. Vonage has no action for a busy tone."""
        return Document("application/json", "[]")

    def room(self, name: str, *, agent: bool, announcement: str = "") -> Document:
        talk = [{"action": "talk", "text": announcement}] if announcement else []
        conversation = {"action": "conversation", "name": name, "startOnEnter": agent, "endOnExit": True}
        return Document("application/json", json.dumps([*talk, conversation]))

    def hung_up(self, request: WebhookRequest) -> str:
        return self.ended(request)

    def answered_by(self, request: WebhookRequest) -> Answerer | None:
        """Read an event of machine detection."""
        fields = webhook_fields(request)
        call_id, status = word(fields, "uuid"), word(fields, "status")
        if not call_id or status not in ("human", "machine"):
            return None
        return Answerer(call_id, "human" if status == "human" else "machine")

    def ended(self, request: WebhookRequest) -> str:
        """The leg that an event says is over. The media socket has a leg of its own, whose end no call is known by."""
        fields = webhook_fields(request)
        return word(fields, "uuid") if word(fields, "status") in _OVER else ""

    def _bearer(self, stream_url: str) -> str:
        return f"Bearer {socket_secret(self._identity.signature_secret, stream_url)}"
