"""Exotel Voicebot applet (AgentStream): JSON text both ways, 16-bit linear audio in base64, snake_case keys.

Exotel plays gaps when a message of audio is short: each holds at least 3200 bytes, in whole multiples of 320.
Closing the socket ends the applet and the flow goes on, so nothing is hung up or moved by REST.
"""

import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import urlencode

from gateway.errors import Refused
from gateway.events import CallStarted, ClearOutput, Command, Event, MarkReached, SendAudio, SendMark
from gateway.platforms.base import Capabilities, Codec, Document, IncomingCall, WebhookRequest
from gateway.platforms.basic import carries_basic, with_basic
from gateway.platforms.json_stream import Breach, Json, JsonStream, Phase, base64_audio, integer, pressed, section, text
from gateway.platforms.webhook import webhook_fields, word
from media.formats import AudioFormat, Encoding

# 20 ms are 320 bytes at 8 kHz, so whole times 20 ms are whole times 320 bytes at every rate Exotel has.
CAPABILITIES = Capabilities(
    min_frame_bytes=3_200,
    marks_returned_on_clear=False,
    digits_out_in_band=True,
    rest=frozenset({"dial"}),
    # The same credentials that open the webhook: an applet may have the socket's URL itself, and placed calls do.
    socket_admits=True,
    query_tells=True,
)
RATES_HZ = (8_000, 16_000, 24_000)
_ENCODINGS = {
    "audio/x-raw": Encoding.L16,
    "raw/slin": Encoding.L16,
    "audio/x-l16": Encoding.L16,
    "audio/l16": Encoding.L16,
    "audio/x-mulaw": Encoding.ULAW,
    "audio/x-alaw": Encoding.ALAW,
}
# Exotel's bound for the query of a stream's URL.
MAX_QUERY_CHARS = 256
MAX_PARAMETERS = 3
# Last states of a call in a status callback.
_OVER = frozenset({"completed", "failed", "busy", "no-answer", "canceled"})


class ExotelCodec(JsonStream):
    """One stream; `default` is the format where the start message names none."""

    def __init__(self, default: AudioFormat, capabilities: Capabilities = CAPABILITIES) -> None:
        super().__init__(
            {
                "connected": lambda _: [],
                "start": self._start,
                "media": self._media,
                "dtmf": self._dtmf,
                "mark": self._mark,
                "clear": lambda _: [],
                "stop": self._stop,
            }
        )
        self.capabilities = capabilities
        self._format = default
        self._stream_id = ""

    def encode(self, command: Command) -> list[str | bytes]:
        """Return the wire messages; empty for what Exotel cannot, before the start and after the end."""
        if self.phase is not Phase.OPEN:
            return []
        if isinstance(command, SendAudio) and command.payload:
            return [self._message("media", media={"payload": b64encode(command.payload).decode("ascii")})]
        if isinstance(command, SendMark):
            return [self._message("mark", mark={"name": command.name})]
        return [self._message("clear")] if isinstance(command, ClearOutput) else []

    def _message(self, event: str, **body: object) -> str:
        return json.dumps({"event": event, "stream_sid": self._stream_id, **body}, separators=(",", ":"))

    def _start(self, body: Json) -> list[Event]:
        if self.phase is Phase.OPEN:
            raise Breach("second_start")
        start = section(body, "start")
        call_id = text(start, "call_sid")
        stream_id = text(start, "stream_sid") or text(body, "stream_sid")
        if not call_id or not stream_id:
            raise Breach("bad_start", "call_sid or stream_sid is missing", fatal=True)
        self._format = _media_format(start.get("media_format"), self._format)
        self._stream_id = stream_id
        custom = start.get("custom_parameters")  # an empty text where there are none
        return self.start(
            CallStarted(
                call_id,
                stream_id,
                self._format,
                self._format,
                {name: text(custom, name) for name in custom} if isinstance(custom, dict) else {},
                text(start, "from"),
                text(start, "to"),
            )
        )

    def _media(self, body: Json) -> list[Event]:
        self._check_stream(body)
        return [base64_audio(section(body, "media"), "payload", self._format.encoding.bytes_per_sample)]

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
        if text(body, "stream_sid", self._stream_id) != self._stream_id:
            raise Breach("wrong_stream", "stream_sid is another stream's")


class Exotel:
    """The platform: `user` and `password` are written into the URLs that Exotel is given.

    `rate_hz` is asked for by the answer; `min_chunk_bytes` and `marks_returned_on_clear` are what Exotel does not
    document beyond doubt.
    """

    name = "exotel"

    def __init__(
        self,
        user: str = "",
        password: str = "",
        rate_hz: int = 8_000,
        min_chunk_bytes: int = 3_200,
        marks_returned_on_clear: bool = False,
    ) -> None:
        """ValueError for a rate Exotel does not have."""
        if rate_hz not in RATES_HZ:
            raise ValueError(f"Exotel has no streams of {rate_hz} Hz; it has {RATES_HZ}")
        self._user = user
        self._password = password
        self._rate_hz = rate_hz
        self.capabilities = replace(
            CAPABILITIES, min_frame_bytes=min_chunk_bytes, marks_returned_on_clear=marks_returned_on_clear
        )

    def codec(self) -> Codec:
        return ExotelCodec(AudioFormat(Encoding.L16, self._rate_hz), self.capabilities)

    def verify(self, request: WebhookRequest) -> bool:
        """Whether the request has our credentials."""
        return carries_basic(request, self._user, self._password)

    def incoming(self, request: WebhookRequest) -> IncomingCall:
        """Read the question for the stream's URL; Refused (400) without a CallSid."""
        fields = webhook_fields(request)
        call_id = word(fields, "CallSid")
        if not call_id:
            raise Refused("missing_call_id", "the webhook has no CallSid", http_status=400)
        caller, called = word(fields, "CallFrom") or word(fields, "From"), word(fields, "CallTo") or word(fields, "To")
        direction = "outbound" if word(fields, "Direction").startswith("outbound") else "inbound"
        return IncomingCall(call_id, word(fields, "AccountSid"), caller, called, direction)

    def answer(self, stream_url: str, token: str, parameters: Mapping[str, str]) -> Document:
        """The stream's URL with rate, token and parameters as its query; Refused (400) past Exotel's bounds."""
        custom = {**parameters, "token": token}
        query = urlencode({"sample-rate": str(self._rate_hz), **custom})
        if len(custom) > MAX_PARAMETERS or len(query) > MAX_QUERY_CHARS:
            limit = (
                f"{len(custom)} parameters in {len(query)} characters; {MAX_PARAMETERS} in {MAX_QUERY_CHARS} are taken"
            )
            raise Refused("bad_parameter", limit, http_status=400)
        url = with_basic(f"{stream_url}?{query}", self._user, self._password)
        return Document("application/json", json.dumps({"url": url}))

    def reject(self, reason: str) -> Document:
        """No URL: the applet fails and the flow goes on with its next one."""
        return Document("application/json", json.dumps({"error": reason}))

    def ended(self, request: WebhookRequest) -> str:
        """The call's id when the callback says that the call is over (`terminal`)."""
        fields = webhook_fields(request)
        over = word(fields, "EventType").lower() == "terminal" or word(fields, "Status").lower() in _OVER
        return word(fields, "CallSid") if over else ""


def _media_format(announced: object, default: AudioFormat) -> AudioFormat:
    """Read start.media_format; `default` where nothing is announced."""
    if not isinstance(announced, dict):
        return default
    name = text(announced, "encoding", "audio/x-raw").lower().partition(";")[0]
    encoding = _ENCODINGS.get(name)
    rate_hz = integer(announced, "sample_rate", default.rate_hz)
    if encoding is None or rate_hz not in (RATES_HZ if encoding is Encoding.L16 else (8_000,)):
        raise Breach("unsupported_format", f"{name[:32]} at {rate_hz} Hz", fatal=True)
    return AudioFormat(encoding, rate_hz)
