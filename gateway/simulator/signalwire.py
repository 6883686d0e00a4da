"""SignalWire's side of its streams and of cXML, written from what it does otherwise than Twilio.

Ids are UUIDs and missing from most messages; audio is µ-law or L16, as the answer orders. The play queue and its
marks are as Twilio's.
"""

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode
from xml.etree import ElementTree

from gateway.simulator.dialect import BotClear, BotDigits, BotMark, BotMessage, BotViolation, Dialect
from gateway.simulator.failure import CallFailed
from gateway.simulator.ringing import CALLED, CALLER, Door, Reply, Webhook, numbered_uuid
from gateway.simulator.wire_audio import WireAudio

FRAME_MS = 20
_CODECS = {
    "PCMU@8000h": WireAudio("ulaw", 8000),
    "L16@16000h": WireAudio("l16", 16000),
    "L16@24000h": WireAudio("l16", 24000),
}
_ENCODINGS = {"ulaw": "audio/x-mulaw", "l16": "audio/x-L16"}


@dataclass(frozen=True, slots=True)
class SignalWireIds:
    """The ids of one call."""

    account: str
    call: str
    stream: str

    @classmethod
    def numbered(cls, seed: str) -> "SignalWireIds":
        """Equal seeds give equal ids, so a test can name its call."""
        return cls(*(numbered_uuid(seed, number) for number in range(3)))


@dataclass(frozen=True, slots=True)
class StreamOrder:
    """What the answer document told SignalWire to do."""

    url: str
    wire: WireAudio
    bearer: str = field(repr=False)
    parameters: Mapping[str, str] = field(repr=False)


class SignalWireDialect(Dialect):
    """The messages of one stream."""

    def __init__(self, ids: SignalWireIds, order: StreamOrder) -> None:
        self._ids = ids
        self._order = order
        self._sequence = 0
        self._chunk = 0

    @property
    def rate_hz(self) -> int:
        return self._order.wire.rate_hz

    def opening(self) -> list[str | bytes]:
        wire = self._order.wire
        start = {
            "streamSid": self._ids.stream,
            "accountSid": self._ids.account,
            "callSid": self._ids.call,
            "tracks": ["inbound"],
            # Only there when the answer has any.
            **({"customParameters": dict(self._order.parameters)} if self._order.parameters else {}),
            "mediaFormat": {"encoding": _ENCODINGS[wire.encoding], "sampleRate": wire.rate_hz, "channels": 1},
        }
        greeting = {"event": "connected", "protocol": "Call", "version": "0.2.0"}
        return [json.dumps(greeting), self._numbered("start", {"start": start})]

    def audio(self, pcm: bytes) -> list[str | bytes]:
        self._chunk += 1
        media = {
            "track": "inbound",
            "chunk": str(self._chunk),
            "timestamp": str((self._chunk - 1) * FRAME_MS),
            "payload": self._order.wire.written(pcm),
        }
        return [self._numbered("media", {"media": media})]

    def digit(self, digit: str) -> list[str | bytes]:
        body = {"streamSid": self._ids.stream, "dtmf": {"digit": digit, "duration": 2000}}
        return [self._numbered("dtmf", body)]

    def mark(self, name: str) -> list[str | bytes]:
        return [json.dumps({"event": "mark", "streamSid": self._ids.stream, "mark": {"name": name}})]

    def stop(self) -> list[str | bytes]:
        return [self._numbered("stop", {})]

    def receive(self, message: str | bytes) -> BotMessage:
        try:
            body = json.loads(message) if isinstance(message, str) else None
        except ValueError:
            body = None
        if not isinstance(body, dict) or body.get("streamSid") != self._ids.stream:
            return BotViolation("a message that is no JSON object of this stream")
        match body:
            case {"event": "clear"}:
                return BotClear()
            case {"event": "mark", "mark": {"name": str(name)}} if name:
                return BotMark(name)
            case {"event": "dtmf", "dtmf": {"digit": str(digit)}} if len(digit) == 1 and digit in "0123456789*#ABCD":
                return BotDigits(digit)
            case {"event": "media", "media": {"payload": payload}}:
                return self._order.wire.read(payload)
        return BotViolation(f"no such message, or one without its field: {body.get('event')!r:.40}")

    def _numbered(self, event: str, body: Mapping[str, Any]) -> str:
        self._sequence += 1
        return json.dumps({"event": event, "sequenceNumber": str(self._sequence), **body})


class SignalWireRinging:
    """A call to a number with a cXML webhook; `secret` is the project's signing key."""

    rate_hz = 8000

    def __init__(self, seed: str, secret: str) -> None:
        self._ids = SignalWireIds.numbered(seed)
        self._secret = secret
        self._order: StreamOrder | None = None

    @property
    def call_id(self) -> str:
        return self._ids.call

    def ask(self, base: str) -> Webhook:
        url = f"{base}/signalwire/voice"
        form = {
            "AccountSid": self._ids.account,
            "CallSid": self._ids.call,
            "CallStatus": "ringing",
            "Direction": "inbound",
            "From": CALLER,
            "To": CALLED,
        }
        headers = sign(self._secret, url, form)
        return Webhook("POST", url, headers, urlencode(form).encode(), "application/x-www-form-urlencoded")

    def door(self, base: str, reply: Reply | None) -> Door:
        self._order = read_answer(reply.text if reply else "")
        bearer = self._order.bearer
        return Door(self._order.url, {"Authorization": f"Bearer {bearer}"} if bearer else {})

    def dialect(self) -> Dialect:
        if self._order is None:
            raise CallFailed("bad_answer", "no answer has been followed")
        return SignalWireDialect(self._ids, self._order)


def sign(signing_key: str, url: str, form: Mapping[str, str]) -> dict[str, str]:
    """The header SignalWire signs a form with, by the scheme it shares with Twilio; none without a key."""
    if not signing_key:
        return {}
    text = url + "".join(name + form[name] for name in sorted(form))
    digest = hmac.new(signing_key.encode(), text.encode(), hashlib.sha1).digest()
    return {"X-SignalWire-Signature": base64.b64encode(digest).decode("ascii")}


def sign_body(signing_key: str, url: str, body: bytes) -> dict[str, str]:
    """The same header by its other scheme, over the body as it is sent."""
    if not signing_key:
        return {}
    return {"X-SignalWire-Signature": hmac.new(signing_key.encode(), url.encode() + body, hashlib.sha1).hexdigest()}


def read_answer(document: str) -> StreamOrder:
    """Follow the cXML; CallFailed when it does not connect the call to a stream."""
    try:
        response = ElementTree.fromstring(document)
    except ElementTree.ParseError as error:
        raise CallFailed("bad_answer", f"the webhook's answer is not XML ({error})") from error
    if (rejected := response.find("Reject")) is not None:
        raise CallFailed("rejected", f"the gateway turned the call away: {rejected.get('reason', 'rejected')}")
    stream = response.find("Connect/Stream")
    url = "" if stream is None else stream.get("url", "")
    if response.tag != "Response" or stream is None or not url.startswith(("ws://", "wss://")) or "?" in url:
        raise CallFailed("bad_answer", "the webhook's answer has no <Connect><Stream> with a socket's url, or a query")
    wire = _CODECS.get(stream.get("codec", "PCMU@8000h"))
    if wire is None or stream.get("realtime", "false") not in ("true", "false"):
        raise CallFailed("bad_answer", "no stream has this codec, or realtime is neither true nor false")
    parameters = {p.get("name", ""): p.get("value", "") for p in stream.findall("Parameter")}
    return StreamOrder(url, wire, stream.get("authBearerToken", ""), parameters)
