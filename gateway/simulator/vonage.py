"""Vonage's side of its WebSocket and of the answer webhook, written from its documentation.

Strict where Vonage is: a binary message that is not exactly 20 ms, or a text that is no known action, closes the
socket there; here it is a violation.
"""

import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Callable, Mapping
from typing import Any

from gateway.simulator.dialect import BotAudio, BotClear, BotMark, BotMessage, BotViolation, Dialect, Traits
from gateway.simulator.failure import CallFailed
from gateway.simulator.ringing import CALLED, CALLER, Door, Reply, Webhook, numbered_uuid

FRAME_MS = 20
# The play queue holds 3072 messages.
QUEUE_MESSAGES = 3072
_RATES_HZ = (8000, 16000, 24000)
_CONTENT_TYPE = re.compile(r"audio/l16;rate=([0-9]+)")
_MAX_HEADERS_BYTES = 512


class VonageDialect(Dialect):
    """The messages of one stream. What happens to waiting notifies on a clear is not documented: they are dropped."""

    traits = Traits(clear_returns_marks=False, queue_s=QUEUE_MESSAGES * FRAME_MS / 1000)

    def __init__(self, rate_hz: int, headers: Mapping[str, Any]) -> None:
        self._rate_hz = rate_hz
        self._headers = dict(headers)
        self._frame_bytes = rate_hz * FRAME_MS // 1000 * 2

    @property
    def rate_hz(self) -> int:
        return self._rate_hz

    def opening(self) -> list[str | bytes]:
        greeting = {"event": "websocket:connected", "content-type": f"audio/l16;rate={self._rate_hz}"}
        return [json.dumps({**greeting, **self._headers})]

    def audio(self, pcm: bytes) -> list[str | bytes]:
        return [pcm]

    def digit(self, digit: str) -> list[str | bytes]:
        return [json.dumps({"event": "websocket:dtmf", "digit": digit, "duration": 260})]

    def mark(self, name: str) -> list[str | bytes]:
        return [json.dumps({"event": "websocket:notify", "payload": {"name": name}})]

    def cleared(self, dropped: list[str]) -> list[str | bytes]:
        return [json.dumps({"event": "websocket:cleared"})]

    def stop(self) -> list[str | bytes]:
        """Vonage says nothing; the socket closes."""
        return []

    def receive(self, message: str | bytes) -> BotMessage:
        if isinstance(message, bytes):
            if len(message) != self._frame_bytes:
                return BotViolation(f"1006: {len(message)} bytes where {self._frame_bytes} are due")
            return BotAudio(message)
        try:
            body = json.loads(message)
        except ValueError:
            return BotViolation("text that is not JSON")
        action = body.get("action") if isinstance(body, dict) else None
        if action == "clear":
            return BotClear()
        payload = body.get("payload") if action == "notify" else None
        if not isinstance(payload, dict):
            return BotViolation(f"no such action, or one without payload: {action!r:.40}")
        # The payload comes back as it was; this gateway puts a name in it.
        name = payload.get("name")
        return BotMark(name) if isinstance(name, str) and name else BotViolation("a notify whose payload has no name")


class VonageRinging:
    """A call to a number of ours; `secret` is the account's signature secret. The webhook is a POST with JSON."""

    rate_hz = 16000

    def __init__(self, seed: str, secret: str, now: Callable[[], float] = time.time) -> None:
        self._seed = seed
        self._secret = secret
        self._now = now
        self._headers: Mapping[str, Any] = {}
        self._ordered_hz = self.rate_hz

    @property
    def call_id(self) -> str:
        return numbered_uuid(self._seed)

    def ask(self, base: str) -> Webhook:
        call = {
            "from": CALLER.lstrip("+"),
            "to": CALLED.lstrip("+"),
            "uuid": self.call_id,
            "conversation_uuid": f"CON-{numbered_uuid(self._seed, 1)}",
            "endpoint_type": "phone",
            "region_url": "https://api-us-3.vonage.example.test",
        }
        body = json.dumps(call, separators=(",", ":")).encode()
        headers = sign(self._secret, body, int(self._now()), numbered_uuid(self._seed, 2))
        return Webhook("POST", f"{base}/vonage/voice", headers, body, "application/json")

    def door(self, base: str, reply: Reply | None) -> Door:
        endpoint = read_answer(reply.text if reply else "")
        match = _CONTENT_TYPE.fullmatch(str(endpoint.get("content-type", "")))
        self._ordered_hz = int(match[1]) if match else 0
        if self._ordered_hz not in _RATES_HZ:
            raise CallFailed("bad_answer", "the endpoint's content-type is not audio/l16 at 8, 16 or 24 kHz")
        self._headers = endpoint.get("headers", {})
        if len(json.dumps(self._headers)) > _MAX_HEADERS_BYTES:
            raise CallFailed("bad_answer", f"the endpoint's headers are longer than {_MAX_HEADERS_BYTES} bytes")
        authorization = endpoint.get("authorization", {})
        custom = authorization.get("type") == "custom"
        return Door(str(endpoint["uri"]), {"Authorization": str(authorization.get("value", ""))} if custom else {})

    def dialect(self) -> Dialect:
        return VonageDialect(self._ordered_hz, self._headers)


def sign(secret: str, body: bytes, issued_s: int, jti: str) -> dict[str, str]:
    """The header Vonage signs a POST with; none without a secret."""
    if not secret:
        return {}
    claims = {
        "iat": issued_s,
        "jti": jti,
        "iss": "Vonage",
        "payload_hash": hashlib.sha256(body).hexdigest(),
        "api_key": "abcd1234",
        "application_id": numbered_uuid("application"),
    }
    signed = f"{_part({'alg': 'HS256', 'typ': 'JWT'})}.{_part(claims)}"
    signature = base64.urlsafe_b64encode(hmac.new(secret.encode(), signed.encode(), hashlib.sha256).digest())
    return {"Authorization": f"Bearer {signed}.{signature.rstrip(b'=').decode()}"}


def read_answer(document: str) -> Mapping[str, Any]:
    """Follow the NCCO to its WebSocket endpoint; CallFailed when there is none."""
    try:
        actions = json.loads(document)
    except ValueError as error:
        raise CallFailed("bad_answer", f"the webhook's answer is not JSON ({error})") from error
    if actions == []:
        raise CallFailed("rejected", "the gateway turned the call away: it answered with no action")
    try:
        (endpoint,) = actions[0]["endpoint"]
        good = actions[0]["action"] == "connect" and endpoint["type"] == "websocket"
        good = good and endpoint["uri"].startswith(("ws://", "wss://"))
        good = good and isinstance(endpoint.get("headers", {}), dict)
        good = good and isinstance(endpoint.get("authorization", {}), dict)
    except (LookupError, TypeError, ValueError, AttributeError):
        good = False
    if not good:
        raise CallFailed("bad_answer", "the answer's first action does not connect to one WebSocket endpoint")
    found: Mapping[str, Any] = endpoint
    return found


def _part(value: Mapping[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(value, separators=(",", ":")).encode()).rstrip(b"=").decode()
