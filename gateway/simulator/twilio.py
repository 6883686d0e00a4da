"""Twilio's side of Media Streams and of the voice webhook, written from its documentation.

Strict where Twilio is: anything but a well-formed media, mark or clear message of this stream is what Twilio
reports as error 31924.
"""

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode
from xml.etree import ElementTree

from gateway.simulator.dialect import BotAudio, BotClear, BotMark, BotMessage, BotViolation, Dialect
from gateway.simulator.failure import CallFailed
from gateway.simulator.ringing import CALLED, CALLER, Door, Reply, Webhook
from media.g711 import pcm_to_ulaw, ulaw_to_pcm

RATE_HZ = 8000
FRAME_MS = 20
# What each message of the gateway may hold, beside "event" and "streamSid".
_BODIES = {"media": "payload", "mark": "name", "clear": ""}


@dataclass(frozen=True, slots=True)
class TwilioIds:
    """The ids of one call, each a letter pair and 32 hex digits."""

    account: str
    call: str
    stream: str

    @classmethod
    def numbered(cls, seed: str) -> "TwilioIds":
        """Ids made from `seed`: equal seeds give equal ids, so a test can name its call."""
        digits = hashlib.md5(seed.encode(), usedforsecurity=False).hexdigest()
        return cls("AC" + digits, "CA" + digits, "MZ" + digits)


@dataclass(frozen=True, slots=True)
class StreamOrder:
    """What the answer document told Twilio to do: open this socket and hand over these parameters."""

    url: str
    parameters: Mapping[str, str] = field(repr=False)


class TwilioDialect(Dialect):
    """The messages of one stream."""

    rate_hz = RATE_HZ

    def __init__(self, ids: TwilioIds, parameters: Mapping[str, str]) -> None:
        self._ids = ids
        self._parameters = dict(parameters)
        self._sequence = 0
        self._chunk = 0

    def opening(self) -> list[str | bytes]:
        start = {
            "accountSid": self._ids.account,
            "streamSid": self._ids.stream,
            "callSid": self._ids.call,
            "tracks": ["inbound"],
            "mediaFormat": {"encoding": "audio/x-mulaw", "sampleRate": RATE_HZ, "channels": 1},
            "customParameters": self._parameters,
        }
        greeting = json.dumps({"event": "connected", "protocol": "Call", "version": "1.0.0"})
        return [greeting, self._message("start", start)]

    def audio(self, pcm: bytes) -> list[str | bytes]:
        self._chunk += 1
        media = {
            "track": "inbound",
            "chunk": str(self._chunk),
            "timestamp": str(self._chunk * FRAME_MS),
            "payload": base64.b64encode(pcm_to_ulaw(pcm)).decode("ascii"),
        }
        return [self._message("media", media)]

    def digit(self, digit: str) -> list[str | bytes]:
        return [self._message("dtmf", {"track": "inbound_track", "digit": digit})]

    def mark(self, name: str) -> list[str | bytes]:
        return [self._message("mark", {"name": name})]

    def stop(self) -> list[str | bytes]:
        return [self._message("stop", {"accountSid": self._ids.account, "callSid": self._ids.call})]

    def receive(self, message: str | bytes) -> BotMessage:
        if isinstance(message, bytes):
            return BotViolation("31924: a binary message")
        try:
            body = json.loads(message)
        except ValueError:
            return BotViolation("31924: malformed JSON")
        event = body.get("event") if isinstance(body, dict) else None
        if not isinstance(event, str) or event not in _BODIES:
            return BotViolation(f"31924: unsupported message {event!r:.40}")
        if body.get("streamSid") != self._ids.stream:
            return BotViolation(f"31924: {event} with a wrong streamSid")
        if event == "clear":
            return BotClear()
        part = body.get(event)
        value = part.get(_BODIES[event]) if isinstance(part, dict) else None
        if not isinstance(value, str) or not value:
            return BotViolation(f"31924: {event} without {_BODIES[event]}")
        return BotMark(value) if event == "mark" else _decoded(value)

    def _message(self, event: str, body: Mapping[str, Any]) -> str:
        self._sequence += 1
        return json.dumps(
            {"event": event, "sequenceNumber": str(self._sequence), "streamSid": self._ids.stream, event: body}
        )


def _decoded(payload: str) -> BotMessage:
    try:
        return BotAudio(ulaw_to_pcm(base64.b64decode(payload, validate=True)))
    except (binascii.Error, ValueError):
        return BotViolation("31924: media payload is not base64")


class TwilioRinging:
    """A call to a number of ours; `secret` is the account's auth token."""

    rate_hz = RATE_HZ

    def __init__(self, seed: str, secret: str) -> None:
        self._ids = TwilioIds.numbered(seed)
        self._secret = secret
        self._parameters: Mapping[str, str] = {}

    @property
    def call_id(self) -> str:
        return self._ids.call

    def ask(self, base: str) -> Webhook:
        url = f"{base}/twilio/voice"
        form = voice_form(self._ids, CALLER, CALLED)
        headers = sign(self._secret, url, form)
        return Webhook("POST", url, headers, urlencode(form).encode(), "application/x-www-form-urlencoded")

    def door(self, base: str, reply: Reply | None) -> Door:
        order = read_answer(reply.text if reply else "")
        self._parameters = order.parameters
        return Door(order.url, sign(self._secret, order.url))

    def dialect(self) -> Dialect:
        return TwilioDialect(self._ids, self._parameters)


def voice_form(ids: TwilioIds, caller: str, called: str) -> dict[str, str]:
    """The form of the voice webhook for an inbound call."""
    return {
        "AccountSid": ids.account,
        "ApiVersion": "2010-04-01",
        "CallSid": ids.call,
        "CallStatus": "ringing",
        "Called": called,
        "Caller": caller,
        "Direction": "inbound",
        "From": caller,
        "To": called,
    }


def sign(auth_token: str, url: str, form: Mapping[str, str] | None = None) -> dict[str, str]:
    """The headers Twilio signs a request with; none without a token. `form` is a POST's, absent for an upgrade."""
    if not auth_token:
        return {}
    text = url
    for name in sorted(form or {}):
        text += name + (form or {})[name]
    digest = hmac.new(auth_token.encode(), text.encode(), hashlib.sha1).digest()
    return {"X-Twilio-Signature": base64.b64encode(digest).decode("ascii")}


def read_answer(document: str) -> StreamOrder:
    """Follow the answer document; CallFailed when it does not connect the call to a stream."""
    try:
        response = ElementTree.fromstring(document)
    except ElementTree.ParseError as error:
        raise CallFailed("bad_answer", f"the webhook's answer is not XML ({error})") from error
    rejected = response.find("Reject")
    if rejected is not None:
        raise CallFailed("rejected", f"the gateway turned the call away: {rejected.get('reason', 'rejected')}")
    stream = response.find("Connect/Stream")
    if response.tag != "Response" or stream is None or not stream.get("url", "").startswith(("ws://", "wss://")):
        raise CallFailed("bad_answer", "the webhook's answer has no <Connect><Stream> with a socket's url")
    if "?" in stream.get("url", ""):
        raise CallFailed("bad_answer", "31920: the stream url has a query, which Twilio drops")
    parameters = {p.get("name", ""): p.get("value", "") for p in stream.findall("Parameter")}
    if any(len(name) + len(value) >= 500 for name, value in parameters.items()):
        raise CallFailed("bad_answer", "a <Parameter> has 500 characters or more")
    return StreamOrder(stream.get("url", ""), parameters)
