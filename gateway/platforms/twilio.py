"""Twilio Media Streams, bidirectional (`<Connect><Stream>`): JSON text both ways, 8 kHz µ-law in base64.

Twilio queues what it is sent without a bound, plays it in real time, returns a mark when it is reached, and
returns all marks at once on a clear. Hang-up, transfer and DTMF go by REST.
"""

import json
from base64 import b64encode
from collections.abc import Mapping
from urllib.parse import parse_qsl

from gateway.errors import Refused
from gateway.events import CallStarted, ClearOutput, Command, Event, MarkReached, SendAudio, SendMark
from gateway.platforms import twiml
from gateway.platforms.base import Answerer, Capabilities, Codec, Document, IncomingCall, WebhookRequest
from gateway.platforms.json_stream import Breach, Json, JsonStream, Phase, base64_audio, integer, pressed, section, text
from gateway.platforms.signature import verify_twilio
from gateway.platforms.webhook import sip_headers
from media.formats import ULAW_8K, AudioFormat, Encoding

CAPABILITIES = Capabilities(rest=frozenset({"hang_up", "transfer", "dial", "warm_transfer"}))

_ENCODINGS = {
    "audio/x-mulaw": Encoding.ULAW,
    "audio/x-alaw": Encoding.ALAW,
    "audio/l16": Encoding.L16,
    "audio/x-l16": Encoding.L16,
}
_RATES_HZ = {
    Encoding.ULAW: frozenset({8000}),
    Encoding.ALAW: frozenset({8000}),
    Encoding.L16: frozenset({8000, 16000, 24000, 48000}),
}


class TwilioCodec(JsonStream):
    """One stream. Sequence numbers and timestamps are not read: the socket keeps order, and late is no error."""

    def __init__(self) -> None:
        super().__init__(
            {
                "connected": lambda _: [],
                "start": self._start,
                "media": self._media,
                "dtmf": self._dtmf,
                "mark": self._mark,
                "stop": self._stop,
            }
        )
        self._stream_id = ""
        self._format = ULAW_8K
        self._head: dict[str, str] = {}

    @property
    def capabilities(self) -> Capabilities:
        return CAPABILITIES

    def encode(self, command: Command) -> list[str | bytes]:
        """Return the wire messages; empty for what Twilio does by REST, before the start and after the end."""
        if self.phase is not Phase.OPEN:
            return []
        if isinstance(command, SendAudio) and command.payload:
            return [f'{self._head["media"]},"media":{{"payload":"{b64encode(command.payload).decode("ascii")}"}}}}']
        if isinstance(command, SendMark):
            return [f'{self._head["mark"]},"mark":{{"name":{json.dumps(command.name)}}}}}']
        if isinstance(command, ClearOutput):
            return [self._head["clear"] + "}"]
        return []

    def _start(self, body: Json) -> list[Event]:
        if self.phase is Phase.OPEN:
            raise Breach("second_start")
        start = section(body, "start")
        call_id = text(start, "callSid")
        stream_id = text(start, "streamSid") or text(body, "streamSid")
        if not call_id or not stream_id:
            raise Breach("bad_start", "callSid or streamSid is missing", fatal=True)
        self._format = _media_format(start.get("mediaFormat"))
        self._stream_id = stream_id
        # What precedes the payload is the same in every message, so it is written once.
        self._head = {
            event: f'{{"event":"{event}","streamSid":{json.dumps(stream_id)}' for event in ("media", "mark", "clear")
        }
        return self.start(
            CallStarted(call_id, stream_id, self._format, self._format, _custom(start.get("customParameters")))
        )

    def _media(self, body: Json) -> list[Event]:
        self._check_stream(body)
        media = section(body, "media")
        if text(media, "track", "inbound") not in ("inbound", "inbound_track"):
            return []  # the bot's own voice, on streams set up with both tracks
        return [base64_audio(media, "payload", self._format.encoding.bytes_per_sample)]

    def _dtmf(self, body: Json) -> list[Event]:
        self._check_stream(body)
        return [pressed(section(body, "dtmf"), "digit")]

    def _mark(self, body: Json) -> list[Event]:
        self._check_stream(body)
        name = text(section(body, "mark"), "name")
        if not name:
            raise Breach("bad_mark", "a mark without name")
        return [MarkReached(name)]

    def _stop(self, body: Json) -> list[Event]:
        self._check_stream(body)
        return self.end("stop")

    def _check_stream(self, body: Json) -> None:
        if text(body, "streamSid", self._stream_id) != self._stream_id:
            raise Breach("wrong_stream", "streamSid is another stream's")


class Twilio:
    """The platform: `auth_token` is the account's (a sub-account or region has its own); blank verifies nothing."""

    name = "twilio"
    capabilities = CAPABILITIES

    def __init__(self, auth_token: str, signing_keys: Mapping[str, str] | None = None) -> None:
        self._auth_token = auth_token
        self._signing_keys = dict(signing_keys or {})

    def codec(self) -> Codec:
        return TwilioCodec()

    def verify(self, request: WebhookRequest) -> bool:
        """Whether the request is signed with the account's token, or with one of the signing keys."""
        return verify_twilio(request, self._auth_token, self._signing_keys)

    def incoming(self, request: WebhookRequest) -> IncomingCall:
        """Read the voice webhook, form or query; Refused (400) without a CallSid."""
        is_get = request.method.upper() == "GET"
        fields = dict(parse_qsl(request.url.partition("?")[2]) if is_get else request.form)
        call_id = fields.get("CallSid", "")
        if not call_id:
            raise Refused("missing_call_id", "the webhook has no CallSid", http_status=400)
        return IncomingCall(
            call_id=call_id,
            account_id=fields.get("AccountSid", ""),
            caller=fields.get("From", ""),
            called=fields.get("To", ""),
            direction="outbound" if fields.get("Direction", "").startswith("outbound") else "inbound",
            headers=sip_headers(fields),
        )

    def answer(self, stream_url: str, token: str, parameters: Mapping[str, str]) -> Document:
        """Connect the call to the stream; Refused (400) for a parameter Twilio would not carry."""
        return twiml.connect(stream_url, {**parameters, "token": token})

    def reject(self, reason: str) -> Document:
        return twiml.reject(reason)

    def room(self, name: str, *, agent: bool, announcement: str = "") -> Document:
        return twiml.room(name, agent=agent, announcement=announcement)

    def hung_up(self, request: WebhookRequest) -> str:
        return twiml.hung_up(request)

    def answered_by(self, request: WebhookRequest) -> Answerer | None:
        """Read the callback of asynchronous answering machine detection."""
        return twiml.answered_by(request)

    def ended(self, request: WebhookRequest) -> str:
        """Read a call's or a stream's status callback."""
        return twiml.ended(request)


def _media_format(announced: object) -> AudioFormat:
    """Read start.mediaFormat; µ-law at 8 kHz where nothing is announced."""
    if not isinstance(announced, dict):
        return ULAW_8K
    name = text(announced, "encoding", "audio/x-mulaw").lower()
    encoding = _ENCODINGS.get(name)
    rate_hz = integer(announced, "sampleRate", 8000)
    if encoding is None or rate_hz not in _RATES_HZ[encoding] or integer(announced, "channels", 1) != 1:
        raise Breach("unsupported_format", f"{name[:32]} at {rate_hz} Hz", fatal=True)
    return AudioFormat(encoding, rate_hz)


def _custom(parameters: object) -> dict[str, str]:
    if not isinstance(parameters, dict):
        return {}
    return {name: text(parameters, name) for name in parameters}
