"""Bandwidth's side of a bidirectional <StartStream>, written from its documentation.

Strict where it says what it takes: playAudio with a content type it names, clear, and nothing else.
"""

import base64
import binascii
import json
import re
from collections.abc import Mapping
from xml.etree import ElementTree

from gateway.simulator.basic import basic_headers
from gateway.simulator.dialect import BotAudio, BotClear, BotMessage, BotViolation, Dialect, Traits
from gateway.simulator.failure import CallFailed
from gateway.simulator.ringing import CALLED, CALLER, Door, Reply, Webhook, numbered_uuid
from media.g711 import pcm_to_ulaw, ulaw_to_pcm
from media.resample import StreamResampler

RATE_HZ = 8_000
ACCOUNT_ID = "5000000"
_PCM = re.compile(r"audio/pcm;rate=(8000|16000|24000);channels=1;bit-depth=16;endian=little;encoding=signed")
# Bounds of <StreamParam>.
MAX_PARAMETERS, MAX_NAME_CHARS, MAX_VALUE_CHARS = 12, 256, 2048


class BandwidthDialect(Dialect):
    """The messages of one stream: no marks, no digits. Linear audio of any rate is played at 8 kHz."""

    traits = Traits(clear_returns_marks=False, marks=False, reports_keys=False)
    rate_hz = RATE_HZ

    def __init__(self, call_id: str, stream_id: str, parameters: Mapping[str, str]) -> None:
        self._about = {"accountId": ACCOUNT_ID, "callId": call_id, "streamId": stream_id, "streamName": "voicebot"}
        self._parameters = dict(parameters)
        self._sequence = 0
        self._resamplers = {rate_hz: StreamResampler(rate_hz, RATE_HZ) for rate_hz in (16_000, 24_000)}

    def opening(self) -> list[str | bytes]:
        tracks = [{"name": "inbound", "mediaFormat": {"encoding": "PCMU", "sampleRate": RATE_HZ}}]
        start = {"eventType": "start", "metadata": {**self._about, "tracks": tracks}, "streamParams": self._parameters}
        return [json.dumps(start)]

    def audio(self, pcm: bytes) -> list[str | bytes]:
        self._sequence += 1
        payload = base64.b64encode(pcm_to_ulaw(pcm)).decode("ascii")
        media = {"eventType": "media", "track": "inbound", "sequenceNumber": self._sequence, "payload": payload}
        return [json.dumps(media)]

    def digit(self, digit: str) -> list[str | bytes]:
        """Keys are not told on the stream."""
        return []

    def mark(self, name: str) -> list[str | bytes]:
        """There are none."""
        return []

    def stop(self) -> list[str | bytes]:
        return [json.dumps({"eventType": "stop", "metadata": self._about})]

    def receive(self, message: str | bytes) -> BotMessage:
        try:
            body = json.loads(message) if isinstance(message, str) else None
        except ValueError:
            body = None
        if not isinstance(body, dict):
            return BotViolation("a message that is no JSON object")
        if body.get("eventType") == "clear":
            return BotClear()
        media = body.get("media")
        if body.get("eventType") != "playAudio" or not isinstance(media, dict):
            return BotViolation(f"no message of this kind, or one without media: {body.get('eventType')!r:.40}")
        return self._played(media.get("contentType"), media.get("payload"))

    def _played(self, content_type: object, payload: object) -> BotMessage:
        try:
            audio = base64.b64decode(payload if isinstance(payload, str) else "?", validate=True)
        except (binascii.Error, ValueError):
            audio = b""
        if not audio:
            return BotViolation("playAudio whose payload is not base64")
        if content_type == "audio/pcmu":
            return BotAudio(ulaw_to_pcm(audio))
        linear = _PCM.fullmatch(content_type) if isinstance(content_type, str) else None
        if linear is None or len(audio) % 2:
            return BotViolation(f"playAudio of a content type that is not taken: {content_type!r:.60}")
        rate_hz = int(linear[1])
        return BotAudio(audio if rate_hz == RATE_HZ else self._resamplers[rate_hz].feed(audio))


class BandwidthRinging:
    """A call to a number of ours; `secret` is the callback's user:password. The webhook is a POST with JSON."""

    rate_hz = RATE_HZ

    def __init__(self, seed: str, secret: str) -> None:
        self._seed = seed
        self._secret = secret
        self._parameters: Mapping[str, str] = {}

    @property
    def call_id(self) -> str:
        return f"c-{numbered_uuid(self._seed)}"

    def ask(self, base: str) -> Webhook:
        url = f"{base}/bandwidth/voice"
        call = {
            "eventType": "initiate",
            "accountId": ACCOUNT_ID,
            "applicationId": numbered_uuid("application"),
            "from": CALLER,
            "to": CALLED,
            "direction": "inbound",
            "callId": self.call_id,
            "startTime": "2026-01-01T00:00:00.000Z",
        }
        return Webhook("POST", url, basic_headers(self._secret), json.dumps(call).encode(), "application/json")

    def door(self, base: str, reply: Reply | None) -> Door:
        stream, self._parameters = read_answer(reply.text if reply else "")
        user, password = stream.get("destinationUsername", ""), stream.get("destinationPassword", "")
        headers = basic_headers(f"{user}:{password}") if user else {}
        return Door(stream.get("destination", ""), headers)

    def dialect(self) -> Dialect:
        return BandwidthDialect(self.call_id, f"s-{numbered_uuid(self._seed, 1)}", self._parameters)


def read_answer(document: str) -> tuple[ElementTree.Element, Mapping[str, str]]:
    """The <StartStream> of the answer and its parameters; CallFailed when it does not start a held stream."""
    try:
        response = ElementTree.fromstring(document)
    except ElementTree.ParseError as error:
        raise CallFailed("bad_answer", f"the webhook's answer is not XML ({error})") from error
    verbs = list(response)
    if [verb.tag for verb in verbs] == ["Hangup"]:
        raise CallFailed("rejected", "the gateway turned the call away")
    stream = verbs[0] if response.tag == "Response" and verbs and verbs[0].tag == "StartStream" else None
    if stream is None or not stream.get("destination", "").startswith(("ws://", "wss://")):
        raise CallFailed("bad_answer", "the webhook's answer does not begin with <StartStream> to a socket's url")
    if stream.get("mode") != "bidirectional":
        raise CallFailed("bad_answer", "the stream is not bidirectional: the bot could not be heard")
    if len(verbs) < 2:
        raise CallFailed("bad_answer", "nothing follows <StartStream>: the call would end at once")
    parameters = {p.get("name", ""): p.get("value", "") for p in stream.findall("StreamParam")}
    too_long = any(len(name) > MAX_NAME_CHARS or len(value) > MAX_VALUE_CHARS for name, value in parameters.items())
    if len(parameters) > MAX_PARAMETERS or too_long:
        raise CallFailed("bad_answer", "more or longer <StreamParam> than are taken")
    return stream, parameters
