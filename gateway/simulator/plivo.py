"""Plivo's side of audio streaming and of its answer webhook, written from its documentation.

The play queue holds a minute. A clear drops the waiting checkpoints without a word and is confirmed by clearedAudio.
There is no greeting and no stop message.
"""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode
from xml.etree import ElementTree

from gateway.simulator.dialect import (
    BotClear,
    BotDigits,
    BotMark,
    BotMessage,
    BotViolation,
    Dialect,
    Traits,
)
from gateway.simulator.failure import CallFailed
from gateway.simulator.ringing import CALLED, CALLER, Door, Reply, Webhook, numbered_uuid
from gateway.simulator.wire_audio import WireAudio

FRAME_MS = 20
QUEUE_S = 60.0
_MAX_EXTRA_HEADERS_BYTES = 512
CONTENT_TYPES = {
    "audio/x-mulaw;rate=8000": WireAudio("ulaw", 8000),
    "audio/x-l16;rate=8000": WireAudio("l16", 8000),
    "audio/x-l16;rate=16000": WireAudio("l16", 16000),
}
_ENCODINGS = {"ulaw": "audio/x-mulaw", "l16": "audio/x-l16"}


@dataclass(frozen=True, slots=True)
class PlivoIds:
    """The ids of one call."""

    account: str
    call: str
    stream: str

    @classmethod
    def numbered(cls, seed: str) -> "PlivoIds":
        """Equal seeds give equal ids, so a test can name its call."""
        return cls("500000", numbered_uuid(seed, 0), numbered_uuid(seed, 1))


@dataclass(frozen=True, slots=True)
class StreamOrder:
    """What the answer document told Plivo to do."""

    url: str
    wire: WireAudio
    extra_headers: str = field(repr=False)


class PlivoDialect(Dialect):
    """The messages of one stream."""

    traits = Traits(clear_returns_marks=False, queue_s=QUEUE_S)

    def __init__(self, ids: PlivoIds, order: StreamOrder) -> None:
        self._ids = ids
        self._order = order
        self._sequence = -1
        self._chunk = 0

    @property
    def rate_hz(self) -> int:
        return self._order.wire.rate_hz

    def opening(self) -> list[str | bytes]:
        wire = self._order.wire
        start = {
            "callId": self._ids.call,
            "streamId": self._ids.stream,
            "accountId": self._ids.account,
            "tracks": ["inbound"],
            "mediaFormat": {"encoding": _ENCODINGS[wire.encoding], "sampleRate": wire.rate_hz},
        }
        return [self._message("start", start=start, extra_headers=self._order.extra_headers.replace(",", ";"))]

    def audio(self, pcm: bytes) -> list[str | bytes]:
        self._chunk += 1
        media = {
            "track": "inbound",
            "timestamp": str(1767225600000 + self._chunk * FRAME_MS),
            "chunk": self._chunk,
            "payload": self._order.wire.written(pcm),
        }
        return [self._message("media", streamId=self._ids.stream, media=media, extra_headers="{}")]

    def digit(self, digit: str) -> list[str | bytes]:
        dtmf = {"track": "inbound", "digit": digit, "timestamp": str(1767225600000 + self._chunk * FRAME_MS)}
        return [self._message("dtmf", streamId=self._ids.stream, dtmf=dtmf, extra_headers="{}")]

    def mark(self, name: str) -> list[str | bytes]:
        return [self._message("playedStream", streamId=self._ids.stream, name=name)]

    def cleared(self, dropped: list[str]) -> list[str | bytes]:
        return [self._message("clearedAudio", streamId=self._ids.stream)]

    def stop(self) -> list[str | bytes]:
        """Plivo says nothing; the socket closes."""
        return []

    def receive(self, message: str | bytes) -> BotMessage:
        try:
            body = json.loads(message) if isinstance(message, str) else None
        except ValueError:
            body = None
        if not isinstance(body, dict) or body.get("streamId", self._ids.stream) != self._ids.stream:
            return BotViolation("a message that is no JSON object, or another stream's")
        return self.obeyed(body)

    def obeyed(self, body: Mapping[str, Any]) -> BotMessage:
        """What a message of this stream makes the platform do."""
        wire = self._order.wire
        match body:
            case {"event": "clearAudio", "streamId": _}:
                return BotClear()
            case {"event": "checkpoint", "streamId": _, "name": str(name)} if name:
                return BotMark(name)
            case {"event": "sendDTMF", "dtmf": str(digits)} if digits:
                return BotDigits(digits)
            case {
                "event": "playAudio",
                "media": {"contentType": named, "sampleRate": int(rate_hz), "payload": payload},
            }:
                if (named, rate_hz) != (_ENCODINGS[wire.encoding], wire.rate_hz):
                    return BotViolation(f"incorrectPayload: {named!r:.40} at {rate_hz} Hz is not this stream's")
                return wire.read(payload)
        return BotViolation(f"no such message, or one without its fields: {body.get('event')!r:.40}")

    def _message(self, event: str, **body: Any) -> str:
        self._sequence += 1
        return json.dumps({"sequenceNumber": self._sequence, "event": event, **body})


class PlivoRinging:
    """A call to a number of ours; `secret` is the account's auth token."""

    rate_hz = 8000
    name = "plivo"
    content_types: Mapping[str, WireAudio] = CONTENT_TYPES
    speaks = PlivoDialect

    def __init__(self, seed: str, secret: str) -> None:
        self._ids = PlivoIds.numbered(seed)
        self._secret = secret
        self._order: StreamOrder | None = None

    @property
    def call_id(self) -> str:
        return self._ids.call

    def ask(self, base: str) -> Webhook:
        url = f"{base}/{self.name}/voice"
        form = {
            "CallUUID": self._ids.call,
            "CallStatus": "ringing",
            "Direction": "inbound",
            "Event": "StartApp",
            "From": CALLER.lstrip("+"),
            "To": CALLED.lstrip("+"),
        }
        body = urlencode(form).encode()
        return Webhook("POST", url, self.signed(url, form), body, "application/x-www-form-urlencoded")

    def door(self, base: str, reply: Reply | None) -> Door:
        self._order = read_answer(reply.text if reply else "", self.content_types)
        return Door(self._order.url, self.signed(self._order.url, {}))

    def dialect(self) -> Dialect:
        if self._order is None:
            raise CallFailed("bad_answer", "no answer has been followed")
        return self.speaks(self._ids, self._order)

    def signed(self, url: str, form: Mapping[str, str]) -> Mapping[str, str]:
        """The headers of a webhook with this form, or of an upgrade without."""
        return sign(self._secret, url, form)


def sign(auth_token: str, url: str, form: Mapping[str, str], nonce: str = "") -> dict[str, str]:
    """The headers Plivo signs with: a POST's form (V3), or an upgrade's address without one; none without a token.

    An address that has a query is written with a dot before the form.
    """
    stop = "." if "?" in url else "?"
    text = url + stop + "".join(name + form[name] for name in sorted(form)) if form else url
    return headers_of("Plivo", auth_token, text, nonce)


def headers_of(vendor: str, auth_token: str, text: str, nonce: str) -> dict[str, str]:
    """What a vendor shows for a signed text; a blank nonce makes a new one. Nothing without a token."""
    if not auth_token:
        return {}
    nonce = nonce or f"{secrets.randbelow(10**20):020}"
    digest = hmac.new(auth_token.encode(), f"{text}.{nonce}".encode(), hashlib.sha256).digest()
    return {
        f"X-{vendor}-Signature-V3": base64.b64encode(digest).decode("ascii"),
        f"X-{vendor}-Signature-V3-Nonce": nonce,
    }


def read_answer(document: str, content_types: Mapping[str, WireAudio] = CONTENT_TYPES) -> StreamOrder:
    """Follow the answer document; CallFailed when it does not connect the call to a stream."""
    try:
        response = ElementTree.fromstring(document)
    except ElementTree.ParseError as error:
        raise CallFailed("bad_answer", f"the webhook's answer is not XML ({error})") from error
    if (rejected := response.find("Hangup")) is not None:
        raise CallFailed("rejected", f"the gateway turned the call away: {rejected.get('reason', 'rejected')}")
    stream = response.find("Stream")
    url = "" if stream is None else stream.text or ""
    if response.tag != "Response" or stream is None or not url.startswith(("ws://", "wss://")):
        raise CallFailed("bad_answer", "the webhook's answer has no <Stream> whose text is a socket's address")
    if stream.get("bidirectional") != "true" or stream.get("audioTrack", "inbound") != "inbound":
        raise CallFailed("bad_answer", "the bot cannot be heard: bidirectional is not true, or the track not inbound")
    if stream.get("keepCallAlive") != "true":
        raise CallFailed("bad_answer", "without keepCallAlive the call ends at once")
    wire = content_types.get(stream.get("contentType", ""))
    extra_headers = stream.get("extraHeaders", "")
    pairs = [pair.partition("=")[2] for pair in extra_headers.replace(";", ",").split(",") if pair]
    if (
        wire is None
        or len(extra_headers) > _MAX_EXTRA_HEADERS_BYTES
        or not all(v.isascii() and v.isalnum() for v in pairs)
    ):
        raise CallFailed("bad_answer", "no stream has this contentType, or extraHeaders are too long or not plain")
    return StreamOrder(url, wire, extra_headers)
