"""jambonz: verbs in JSON for the webhook, `listen` for the stream.

Closing the stream, or `disconnect` on it, goes on in our document, where `hangup` is next; transfer and dial go by
REST. jambonz_stream.py is what passes over the socket.
"""

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from gateway.errors import Refused
from gateway.platforms.base import Codec, Document, IncomingCall, WebhookRequest
from gateway.platforms.basic import carries_basic
from gateway.platforms.jambonz_signature import signed_time, verify_jambonz
from gateway.platforms.jambonz_stream import CALL_INFO, CAPABILITIES, RATES_HZ, JambonzCodec
from gateway.platforms.signature import socket_secret
from gateway.platforms.target import is_number
from gateway.platforms.webhook import sip_headers, webhook_fields, word

# Who opens the stream with the credentials of our document.
_SOCKET_USER = "voicebot"
# `callStatus` after which the call is no more.
_OVER = frozenset(("completed", "failed", "busy", "no-answer"))


class Jambonz:
    """The platform: `webhook_secret` is the account's; from it the stream's credentials are made, too."""

    name = "jambonz"
    capabilities = CAPABILITIES

    def __init__(
        self,
        webhook_secret: str,
        *,
        rate_hz: int = 16000,
        max_age_s: float = 300.0,
        now: Callable[[], float] = time.time,
    ) -> None:
        """ValueError for a rate that jambonz does not have."""
        if rate_hz not in RATES_HZ:
            raise ValueError(f"rate_hz is {rate_hz}; jambonz has {', '.join(map(str, RATES_HZ))}")
        self._secret = webhook_secret
        self._rate_hz = rate_hz
        self._max_age_s = max_age_s
        self._now = now

    def codec(self) -> Codec:
        return JambonzCodec(self._rate_hz)

    def verify(self, request: WebhookRequest) -> bool:
        """Whether the webhook is signed, or the upgrade has the credentials of our document."""
        if not request.url.startswith(("ws:", "wss:")):
            return verify_jambonz(request, self._secret, self._now(), self._max_age_s)
        return bool(self._secret) and carries_basic(request, _SOCKET_USER, socket_secret(self._secret, request.url))

    def once(self, request: WebhookRequest) -> str:
        """What is signed, with the path, which it does not cover: two hooks may get one body."""
        if request.url.startswith(("ws:", "wss:")):
            return ""
        return f"{urlsplit(request.url).path} {signed_time(request)} {hashlib.sha256(request.body).hexdigest()}"

    def incoming(self, request: WebhookRequest) -> IncomingCall:
        """Read the call's webhook; Refused (400) without a callSid."""
        fields = webhook_fields(request)
        if not (call_id := word(fields, "callSid")):
            raise Refused("missing_call_id", "the webhook has no callSid", http_status=400)
        direction = "outbound" if word(fields, "direction") == "outbound" else "inbound"
        caller, called = word(fields, "from"), word(fields, "to")
        return IncomingCall(call_id, word(fields, "accountSid"), caller, called, direction, sip_headers(fields))

    def answer(self, stream_url: str, token: str, parameters: Mapping[str, str]) -> Document:
        """Answer, stream both ways, and hang up when the stream ends (F-11); Refused (400) for a taken name."""
        if taken := CALL_INFO & parameters.keys():
            raise Refused("bad_parameter", f"jambonz uses the name {sorted(taken)[0]} itself", http_status=400)
        listen: dict[str, object] = {
            "verb": "listen",
            "url": stream_url,
            "sampleRate": self._rate_hz,
            "mixType": "mono",
            "passDtmf": True,
            # Without `streaming` what we send would be ignored.
            "bidirectionalAudio": {"enabled": True, "streaming": True, "sampleRate": self._rate_hz},
            "metadata": {**parameters, "token": token},
            "wsAuth": {"username": _SOCKET_USER, "password": socket_secret(self._secret, stream_url)},
        }
        return _document([{"verb": "answer"}, listen, {"verb": "hangup"}])

    def reject(self, reason: str) -> Document:
        """Decline the call: 486 for `busy`, 603 for any other reason."""
        return _document([{"verb": "sip:decline", "status": 486 if reason == "busy" else 603}])

    def room(self, name: str, *, agent: bool, announcement: str = "") -> Document:
        conference: dict[str, object] = {
            "verb": "conference",
            "name": name,
            "beep": False,
            "startConferenceOnEnter": agent,
            "endConferenceOnExit": True,
        }
        say: list[dict[str, object]] = [{"verb": "say", "text": announcement}] if announcement else []
        return _document([*say, conference, {"verb": "hangup"}])

    def hung_up(self, request: WebhookRequest) -> str:
        return self.ended(request)

    def ended(self, request: WebhookRequest) -> str:
        """The call that a status callback says is over."""
        fields = webhook_fields(request)
        return word(fields, "callSid") if word(fields, "callStatus") in _OVER else ""


def dial(target: str) -> Document:
    """Move the caller to a number or SIP address; Refused (400) when it is neither."""
    return _document([{"verb": "dial", "target": [endpoint(target)]}])


def endpoint(target: str) -> dict[str, str]:
    """A number or SIP address as jambonz writes it; Refused (400) when it is neither."""
    return {"type": "phone", "number": target} if is_number(target) else {"type": "sip", "sipUri": target}


def _document(verbs: list[dict[str, object]]) -> Document:
    return Document("application/json", json.dumps(verbs))
