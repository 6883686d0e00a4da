"""Exotel's side of the Voicebot applet, written from its documentation.

Strict where Exotel is: audio in messages below 3200 bytes, above 100 kB or of no whole multiple of 320 bytes gives
gaps or time-outs there; here it is a violation.
"""

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from gateway.simulator.basic import basic_headers
from gateway.simulator.dialect import BotAudio, BotClear, BotMark, BotMessage, BotViolation, Dialect, Traits
from gateway.simulator.failure import CallFailed
from gateway.simulator.ringing import CALLED, CALLER, Door, Reply, Webhook

# The caller's audio comes in messages of about 100 ms.
PACKET_FRAMES = 5
FRAME_MS = 20
MIN_PAYLOAD_BYTES, MAX_PAYLOAD_BYTES, PAYLOAD_STEP_BYTES = 3_200, 100_000, 320
RATES_HZ = (8_000, 16_000, 24_000)
# Bounds of the stream URL's query, beside sample-rate.
MAX_PARAMETERS, MAX_QUERY_CHARS = 3, 256


class ExotelDialect(Dialect):
    """The messages of one stream. Whether a clear returns marks is not documented: here they are dropped."""

    traits = Traits(clear_returns_marks=False)

    def __init__(self, seed: str, rate_hz: int, parameters: Mapping[str, str]) -> None:
        digits = hashlib.md5(seed.encode(), usedforsecurity=False).hexdigest()
        self.call_id = "CA" + digits[:22]
        self.stream_id = "MZ" + digits[:22]
        self._account_id = "AC" + digits[:22]
        self._rate_hz = rate_hz
        self._parameters = dict(parameters)
        self._sequence = 0
        self._chunk = 0
        self._packet = b""

    @property
    def rate_hz(self) -> int:
        return self._rate_hz

    def opening(self) -> list[str | bytes]:
        start = {
            "stream_sid": self.stream_id,
            "call_sid": self.call_id,
            "account_sid": self._account_id,
            "from": CALLER,
            "to": CALLED,
            "custom_parameters": self._parameters or "",
            "media_format": {"encoding": "audio/x-raw", "sample_rate": str(self._rate_hz), "bit_rate": "16"},
        }
        return [json.dumps({"event": "connected"}), self._message("start", start)]

    def audio(self, pcm: bytes) -> list[str | bytes]:
        self._packet += pcm
        if len(self._packet) < self._rate_hz * FRAME_MS // 1000 * 2 * PACKET_FRAMES:
            return []
        packet, self._packet = self._packet, b""
        self._chunk += 1
        timestamp = str(self._chunk * PACKET_FRAMES * FRAME_MS)
        payload = base64.b64encode(packet).decode("ascii")
        return [self._message("media", {"chunk": str(self._chunk), "timestamp": timestamp, "payload": payload})]

    def digit(self, digit: str) -> list[str | bytes]:
        return [self._message("dtmf", {"digit": digit, "duration": "100"})]

    def mark(self, name: str) -> list[str | bytes]:
        return [self._message("mark", {"name": name})]

    def stop(self) -> list[str | bytes]:
        over = {"call_sid": self.call_id, "account_sid": self._account_id, "reason": "callended"}
        return [self._message("stop", over)]

    def receive(self, message: str | bytes) -> BotMessage:
        try:
            body = json.loads(message) if isinstance(message, str) else None
        except ValueError:
            body = None
        event = body.get("event") if isinstance(body, dict) else None
        if not isinstance(body, dict) or event not in ("media", "mark", "clear"):
            return BotViolation(f"no JSON message of a known event: {event!r:.40}")
        if body.get("stream_sid") != self.stream_id:
            return BotViolation(f"{event} with a wrong stream_sid")
        if event == "clear":
            return BotClear()
        part = body.get(event)
        value = part.get("name" if event == "mark" else "payload") if isinstance(part, dict) else None
        if not isinstance(value, str) or not value:
            return BotViolation(f"{event} without its value")
        return BotMark(value) if event == "mark" else _decoded(value)

    def _message(self, event: str, body: Mapping[str, Any]) -> str:
        self._sequence += 1
        head = {"event": event, "sequence_number": str(self._sequence), "stream_sid": self.stream_id}
        return json.dumps({**head, event: body})


class ExotelRinging:
    """A call to a Voicebot applet whose https URL is ours: `secret` is the user:password written into that URL."""

    rate_hz = 8_000

    def __init__(self, seed: str, secret: str) -> None:
        self._seed = seed
        self._secret = secret
        self._ordered_hz = self.rate_hz
        self._parameters: Mapping[str, str] = {}

    @property
    def call_id(self) -> str:
        return ExotelDialect(self._seed, self.rate_hz, {}).call_id

    def ask(self, base: str) -> Webhook:
        fields = {"CallSid": self.call_id, "CallFrom": CALLER, "CallTo": CALLED, "Direction": "incoming"}
        return Webhook("GET", f"{base}/exotel/voice?{urlencode(fields)}", basic_headers(self._secret))

    def door(self, base: str, reply: Reply | None) -> Door:
        parts = urlsplit(read_answer(reply.text if reply else ""))
        query = dict(parse_qsl(parts.query))
        rate = query.pop("sample-rate", "8000")
        self._ordered_hz = int(rate) if rate.isdecimal() else 0
        self._parameters = query
        if self._ordered_hz not in RATES_HZ or len(query) > MAX_PARAMETERS or len(parts.query) > MAX_QUERY_CHARS:
            raise CallFailed("bad_answer", "the stream URL's query has a wrong sample-rate, or more than it may carry")
        credentials, _, host = parts.netloc.rpartition("@")
        return Door(urlunsplit(parts._replace(netloc=host)), basic_headers(unquote(credentials)))

    def dialect(self) -> Dialect:
        return ExotelDialect(self._seed, self._ordered_hz, self._parameters)


def read_answer(document: str) -> str:
    """The stream's URL in the answer; CallFailed when there is none."""
    try:
        body = json.loads(document)
    except ValueError as error:
        raise CallFailed("bad_answer", f"the webhook's answer is not JSON ({error})") from error
    if isinstance(body, dict) and "error" in body:
        raise CallFailed("rejected", f"the gateway turned the call away: {body['error']}")
    url = body.get("url") if isinstance(body, dict) else None
    if not isinstance(url, str) or not url.startswith(("ws://", "wss://")):
        raise CallFailed("bad_answer", "the webhook's answer has no socket's url")
    return url


def _decoded(payload: str) -> BotMessage:
    try:
        pcm = base64.b64decode(payload, validate=True)
    except (binascii.Error, ValueError):
        return BotViolation("media payload is not base64")
    if not MIN_PAYLOAD_BYTES <= len(pcm) <= MAX_PAYLOAD_BYTES or len(pcm) % PAYLOAD_STEP_BYTES:
        return BotViolation(f"a payload of {len(pcm)} bytes: 3200 to 100000 in steps of 320 are played without gaps")
    return BotAudio(pcm)
