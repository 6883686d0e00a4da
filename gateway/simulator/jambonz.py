"""jambonz' side of its webhook and of `listen`, written from its documentation."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable, Mapping
from typing import Any

from gateway.simulator.dialect import (
    BotAudio,
    BotClear,
    BotControl,
    BotHangUp,
    BotMark,
    BotMessage,
    BotViolation,
    Dialect,
    Traits,
)
from gateway.simulator.failure import CallFailed
from gateway.simulator.ringing import CALLED, CALLER, Door, Reply, Webhook, numbered_uuid

_RATES_HZ = (8000, 16000, 24000, 48000, 64000)
SUBPROTOCOL = "audio.jambonz.org"


class JambonzDialect(Dialect):
    """The messages of one stream. A clear tells each mark it dropped."""

    traits = Traits(clear_returns_marks=False)

    def __init__(self, rate_hz: int, call: Mapping[str, Any], metadata: Mapping[str, Any]) -> None:
        self._rate_hz = rate_hz
        self._call = dict(call)
        self._metadata = dict(metadata)

    @property
    def rate_hz(self) -> int:
        return self._rate_hz

    def opening(self) -> list[str | bytes]:
        return [json.dumps({"sampleRate": self._rate_hz, "mixType": "mono", **self._call, **self._metadata})]

    def audio(self, pcm: bytes) -> list[str | bytes]:
        return [pcm]

    def digit(self, digit: str) -> list[str | bytes]:
        return [json.dumps({"event": "dtmf", "dtmf": digit, "duration": "1600"})]

    def mark(self, name: str) -> list[str | bytes]:
        return [_mark(name, "playout")]

    def cleared(self, dropped: list[str]) -> list[str | bytes]:
        return [_mark(name, "cleared") for name in dropped]

    def stop(self) -> list[str | bytes]:
        """jambonz says nothing; the socket closes."""
        return []

    def receive(self, message: str | bytes) -> BotMessage:
        if isinstance(message, bytes):
            good = len(message) > 0 and len(message) % 2 == 0
            return BotAudio(message) if good else BotViolation(f"{len(message)} bytes are no L16")
        try:
            body = json.loads(message)
        except ValueError:
            return BotViolation("text that is not JSON")
        match body:
            case {"type": "mark", "data": {"name": str(name)}} if name:
                return BotMark(name)
            case {"type": "killAudio"}:
                return BotClear()
            case {"type": "clearMarks"}:
                return BotControl()
            case {"type": "disconnect"}:
                return BotHangUp()
            case _:
                return BotViolation("a message that is none of a bidirectional stream's")


class JambonzRinging:
    """A call to a number of ours; `secret` is the account's webhook secret."""

    rate_hz = 16000

    def __init__(self, seed: str, secret: str, now: Callable[[], float] = time.time) -> None:
        self._secret = secret
        self._now = now
        self._call = {
            "callSid": numbered_uuid(seed),
            "direction": "inbound",
            "from": CALLER.lstrip("+"),
            "to": CALLED.lstrip("+"),
            "callId": f"{numbered_uuid(seed, 1)}@sbc.example.test",
            "sipStatus": 100,
            "sipReason": "Trying",
            "callStatus": "trying",
            "accountSid": numbered_uuid(seed, 2),
            "applicationSid": numbered_uuid(seed, 3),
        }
        self._listen: Mapping[str, Any] = {}

    @property
    def call_id(self) -> str:
        return str(self._call["callSid"])

    def ask(self, base: str) -> Webhook:
        body = json.dumps(self._call, separators=(",", ":")).encode()
        headers = sign(self._secret, body, int(self._now()))
        return Webhook("POST", f"{base}/jambonz/voice", headers, body, "application/json")

    def door(self, base: str, reply: Reply | None) -> Door:
        self._listen = read_answer(reply.text if reply else "")
        auth = self._listen.get("wsAuth")
        headers = {}
        if auth:
            credentials = base64.b64encode(f"{auth['username']}:{auth['password']}".encode()).decode()
            headers["Authorization"] = f"Basic {credentials}"
        return Door(str(self._listen["url"]), headers, (SUBPROTOCOL,))

    def dialect(self) -> Dialect:
        answered = {**self._call, "sipStatus": 200, "sipReason": "OK", "callStatus": "in-progress"}
        return JambonzDialect(self._listen["sampleRate"], answered, self._listen.get("metadata", {}))


def sign(secret: str, body: bytes, at_s: int) -> dict[str, str]:
    """The header jambonz signs a webhook with; none without a secret."""
    if not secret:
        return {}
    digest = hmac.new(secret.encode(), f"{at_s}.".encode() + body, hashlib.sha256).hexdigest()
    return {"Jambonz-Signature": f"t={at_s},v1={digest}"}


def read_answer(document: str) -> Mapping[str, Any]:
    """Follow the verbs to `listen`; CallFailed when there is none that streams both ways."""
    try:
        verbs = json.loads(document)
    except ValueError as error:
        raise CallFailed("bad_answer", f"the webhook's answer is not JSON ({error})") from error
    for verb in verbs if isinstance(verbs, list) else []:
        match verb:
            case {"verb": "sip:decline", "status": status}:
                raise CallFailed("rejected", f"the gateway turned the call away: {status}")
            case {"verb": "listen" | "stream", "url": str(url)} if url.startswith(("ws://", "wss://")):
                return _checked(verb)
    raise CallFailed("bad_answer", "the webhook's answer has no listen with a socket's url")


def _checked(listen: Mapping[str, Any]) -> Mapping[str, Any]:
    match listen:
        case {
            "sampleRate": int(rate_hz),
            "mixType": "mono",
            "bidirectionalAudio": {"enabled": True, "streaming": True, "sampleRate": int(out_hz)},
        } if rate_hz == out_hz and rate_hz in _RATES_HZ:
            pass
        case _:
            raise CallFailed("bad_answer", "the listen verb does not stream mono audio both ways at one known rate")
    auth, metadata = listen.get("wsAuth", {}), listen.get("metadata", {})
    if (
        not isinstance(metadata, dict)
        or not isinstance(auth, dict)
        or (auth and {"username", "password"} != auth.keys())
    ):
        raise CallFailed("bad_answer", "the listen verb's metadata or credentials are not as jambonz wants them")
    return listen


def _mark(name: str, event: str) -> str:
    return json.dumps({"type": "mark", "data": {"name": name, "event": event}})
