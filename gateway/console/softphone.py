"""The softphone as a platform: Twilio's stream from a browser, which can sign nothing.

A call is asked for with the admin token (routes.py) and answered with a one-time stream token, as a webhook is.
That token alone admits the stream.
"""

import json
from collections.abc import Mapping
from urllib.parse import urlsplit

from gateway.errors import Refused
from gateway.platforms.base import Capabilities, Codec, Document, IncomingCall, WebhookRequest
from gateway.platforms.twilio import TwilioCodec

NAME = "softphone"
# What Twilio can do; a call is ended by closing its stream, so there is no control for it.
CAPABILITIES = Capabilities()


class Softphone:
    """The platform behind `GET /softphone`."""

    name = NAME
    capabilities = CAPABILITIES

    def codec(self) -> Codec:
        return TwilioCodec()

    def verify(self, request: WebhookRequest) -> bool:
        """Let the socket's upgrade pass, whose first message proves the call; no webhook is anybody's to send."""
        return request.method.upper() == "GET" and urlsplit(request.url).path == f"/{NAME}/stream"

    def incoming(self, request: WebhookRequest) -> IncomingCall:
        """Read the id that our own route gave the call; Refused (400) without it."""
        call_id = dict(request.form).get("CallSid", "")
        if not call_id:
            raise Refused("missing_call_id", "the softphone's call has no id", http_status=400)
        return IncomingCall(call_id)

    def answer(self, stream_url: str, token: str, parameters: Mapping[str, str]) -> Document:
        """What the page needs to open its stream."""
        return Document("application/json", json.dumps({**parameters, "stream_url": stream_url, "token": token}))

    def reject(self, reason: str) -> Document:
        return Document("application/json", json.dumps({"error": reason}))

    def ended(self, request: WebhookRequest) -> str:
        """The page sends no status callbacks."""
        return ""
