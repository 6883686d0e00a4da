"""Telnyx's side of media streaming and of TeXML, written from its documentation.

Media of the caller may come in another order than it was spoken; here every tenth packet changes places with the
next. The play queue and its marks are as Twilio's.
"""

import json
import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode
from xml.etree import ElementTree

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from gateway.simulator.dialect import BotAudio, BotClear, BotMark, BotMessage, BotViolation, Dialect
from gateway.simulator.failure import CallFailed
from gateway.simulator.ringing import CALLED, CALLER, Door, Reply, Webhook, numbered_uuid
from gateway.simulator.wire_audio import WireAudio

FRAME_MS = 20
SWAP_EVERY = 10
# What one media message may hold in RTP mode.
_SHORTEST_S, _LONGEST_S = 0.02, 30.0
_ENCODINGS = {"PCMU": "ulaw", "PCMA": "alaw", "L16": "l16"}
_RATES_HZ = {"PCMU": ("8000",), "PCMA": ("8000",), "L16": ("8000", "16000", "24000")}


@dataclass(frozen=True, slots=True)
class TelnyxIds:
    """The ids of one call."""

    control: str
    session: str
    stream: str
    user: str

    @classmethod
    def numbered(cls, seed: str) -> "TelnyxIds":
        """Equal seeds give equal ids, so a test can name its call."""
        control, session, stream, user = (numbered_uuid(seed, number) for number in range(4))
        return cls(f"v3:{control}", session, stream, user)


@dataclass(frozen=True, slots=True)
class StreamOrder:
    """What the answer document told Telnyx to do."""

    url: str
    codec_name: str
    rate_hz: int

    @property
    def wire(self) -> WireAudio:
        return WireAudio(_ENCODINGS[self.codec_name], self.rate_hz)


class TelnyxDialect(Dialect):
    """The messages of one stream. `swap_every` packets, one changes places with the next; 0 keeps the order."""

    def __init__(self, ids: TelnyxIds, order: StreamOrder, swap_every: int = 0) -> None:
        self._ids = ids
        self._order = order
        self._swap_every = swap_every
        self._sequence = 0
        self._chunk = 0
        self._overtaken: list[str | bytes] = []

    @property
    def rate_hz(self) -> int:
        return self._order.rate_hz

    def opening(self) -> list[str | bytes]:
        start = {
            "user_id": self._ids.user,
            "call_control_id": self._ids.control,
            "call_session_id": self._ids.session,
            "from": CALLER,
            "to": CALLED,
            "tags": [],
            "client_state": "",
            "custom_parameters": {},
            "media_format": {"encoding": self._order.codec_name, "sample_rate": self._order.rate_hz, "channels": 1},
        }
        return [json.dumps({"event": "connected", "version": "1.0.0"}), self._message("start", {"start": start})]

    def audio(self, pcm: bytes) -> list[str | bytes]:
        self._chunk += 1
        media = {
            "track": "inbound",
            "chunk": str(self._chunk),
            "timestamp": str(self._chunk * FRAME_MS),
            "payload": self._order.wire.written(pcm),
        }
        message = self._message("media", {"media": media})
        if self._swap_every and self._chunk % self._swap_every == 0:
            self._overtaken = [message]
            return []
        overtaken, self._overtaken = self._overtaken, []
        return [message, *overtaken]

    def digit(self, digit: str) -> list[str | bytes]:
        body = {"occurred_at": "2026-01-01T00:00:00.000000Z", "dtmf": {"digit": digit}}
        return [self._message("dtmf", body)]

    def mark(self, name: str) -> list[str | bytes]:
        return [self._message("mark", {"mark": {"name": name}})]

    def stop(self) -> list[str | bytes]:
        overtaken, self._overtaken = self._overtaken, []
        stop = {"user_id": self._ids.user, "call_control_id": self._ids.control}
        return [*overtaken, self._message("stop", {"stop": stop})]

    def receive(self, message: str | bytes) -> BotMessage:
        try:
            body = json.loads(message) if isinstance(message, str) else None
        except ValueError:
            body = None
        if not isinstance(body, dict):
            return BotViolation("100003: a message that is no JSON object")
        match body:
            case {"event": "clear"}:
                return BotClear()
            case {"event": "mark", "mark": {"name": str(name)}} if name:
                return BotMark(name)
            case {"event": "media", "media": {"payload": payload}}:
                return self._played(payload)
        return BotViolation(f"100003: no such message, or one without its field: {body.get('event')!r:.40}")

    def _played(self, payload: object) -> BotMessage:
        audio = self._order.wire.read(payload)
        if isinstance(audio, BotAudio) and not _SHORTEST_S <= len(audio.pcm) / 2 / self.rate_hz <= _LONGEST_S:
            return BotViolation("100004: a message holds 20 ms to 30 s of audio")
        return audio

    def _message(self, event: str, body: Mapping[str, Any]) -> str:
        self._sequence += 1
        head = {"event": event, "sequence_number": str(self._sequence), "stream_id": self._ids.stream}
        return json.dumps({**head, **body})


class TelnyxRinging:
    """A call to a number of a TeXML application; `secret` is the private key's seed, base64 of 32 bytes."""

    rate_hz = 8000

    def __init__(self, seed: str, secret: str, *, now: Callable[[], float] = time.time) -> None:
        self._ids = TelnyxIds.numbered(seed)
        self._secret = secret
        self._now = now
        self._order: StreamOrder | None = None

    @property
    def call_id(self) -> str:
        return self._ids.control

    def ask(self, base: str) -> Webhook:
        form = {
            "AccountSid": self._ids.user,
            "CallSid": self._ids.control,
            "CallStatus": "ringing",
            "Direction": "inbound",
            "From": CALLER,
            "To": CALLED,
        }
        body = urlencode(form).encode()
        headers = sign(self._secret, str(int(self._now())), body)
        return Webhook("POST", f"{base}/telnyx/voice", headers, body, "application/x-www-form-urlencoded")

    def door(self, base: str, reply: Reply | None) -> Door:
        self._order = read_answer(reply.text if reply else "")
        return Door(self._order.url)

    def dialect(self) -> Dialect:
        if self._order is None:
            raise CallFailed("bad_answer", "no answer has been followed")
        return TelnyxDialect(self._ids, self._order, SWAP_EVERY)


def sign(seed: str, timestamp: str, body: bytes) -> dict[str, str]:
    """The headers Telnyx signs a webhook with; none without a key."""
    if not seed:
        return {}
    signature = Ed25519PrivateKey.from_private_bytes(b64decode(seed)).sign(timestamp.encode() + b"|" + body)
    return {
        "telnyx-signature-ed25519": b64encode(signature).decode("ascii"),
        "telnyx-timestamp": timestamp,
    }


def read_answer(document: str) -> StreamOrder:
    """Follow the TeXML; CallFailed when it does not connect the call to a stream the bot can be heard on."""
    try:
        response = ElementTree.fromstring(document)
    except ElementTree.ParseError as error:
        raise CallFailed("bad_answer", f"the webhook's answer is not XML ({error})") from error
    if (rejected := response.find("Reject")) is not None:
        raise CallFailed("rejected", f"the gateway turned the call away: {rejected.get('reason', 'rejected')}")
    stream = response.find("Connect/Stream")
    if response.tag != "Response" or stream is None or not stream.get("url", "").startswith(("ws://", "wss://")):
        raise CallFailed("bad_answer", "the webhook's answer has no <Connect><Stream> with a socket's url")
    if stream.get("bidirectionalMode") != "rtp":
        raise CallFailed("bad_answer", "without bidirectionalMode rtp Telnyx plays MP3 files only")
    name, rate = stream.get("bidirectionalCodec", "PCMU"), stream.get("bidirectionalSamplingRate", "8000")
    if stream.get("track", "inbound_track") != "inbound_track" or rate not in _RATES_HZ.get(name, ()):
        raise CallFailed("bad_answer", f"no stream has the track, or {name} at {rate} Hz")
    if stream.get("codec", name) != name:
        raise CallFailed("bad_answer", "this simulator sends what it is sent")
    return StreamOrder(stream.get("url", ""), name, int(rate))
