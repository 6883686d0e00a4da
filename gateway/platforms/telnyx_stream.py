"""Telnyx's media stream: JSON text both ways, base64 of RTP payloads, in an order that is not promised.

Telnyx queues what it is sent, returns a mark when it is reached, and returns all marks on a clear.
"""

import json
from base64 import b64encode

from gateway.events import CallerAudio, CallStarted, ClearOutput, Command, Event, MarkReached, SendAudio, SendMark
from gateway.platforms.base import Capabilities
from gateway.platforms.byte_order import ByteOrder
from gateway.platforms.json_stream import Breach, Json, JsonStream, Phase, base64_audio, integer, pressed, section, text
from gateway.platforms.reorder import Reorder
from media.formats import ULAW_8K, AudioFormat, Encoding

CAPABILITIES = Capabilities(
    rest=frozenset({"hang_up", "transfer", "redirect", "dial", "send_digits", "warm_transfer"}), token_in_path=True
)

# G722, OPUS and AMR-WB are refused: they are not ordered, and no decoder is here.
_ENCODINGS = {"PCMU": Encoding.ULAW, "PCMA": Encoding.ALAW, "L16": Encoding.L16}
_L16_RATES_HZ = frozenset({8000, 16000, 24000})
# Media whose chunk number is missing or unreadable is heard as it comes.
_UNNUMBERED = -1


class TelnyxCodec(JsonStream):
    """One stream; `format_out` is what the order asked for, the format in is the start message's."""

    def __init__(self, format_out: AudioFormat = ULAW_8K, byte_order: ByteOrder = ByteOrder.LITTLE) -> None:
        super().__init__(
            {
                "connected": lambda _: [],
                "start": self._start,
                "media": self._media,
                "dtmf": self._dtmf,
                "mark": self._mark,
                "error": self._error,
                "stop": self._stop,
            }
        )
        self._stream_id = ""
        self._format_in = format_out
        self._format_out = format_out
        self._byte_order = byte_order
        self._reorder = Reorder()

    @property
    def capabilities(self) -> Capabilities:
        return CAPABILITIES

    def encode(self, command: Command) -> list[str | bytes]:
        """Return the wire messages; empty for what Telnyx does by REST, before the start and after the end."""
        if self.phase is not Phase.OPEN:
            return []
        if isinstance(command, SendAudio) and command.payload:
            payload = b64encode(self._byte_order.turned(command.payload, self._format_out)).decode("ascii")
            return [f'{{"event":"media","media":{{"payload":"{payload}"}}}}']
        if isinstance(command, SendMark):
            return [f'{{"event":"mark","mark":{{"name":{json.dumps(command.name)}}}}}']
        if isinstance(command, ClearOutput):
            return ['{"event":"clear"}']
        return []

    def receive_eof(self) -> list[Event]:
        return self._late() + self.end("closed")

    def _start(self, body: Json) -> list[Event]:
        if self.phase is Phase.OPEN:
            raise Breach("second_start")
        start = section(body, "start")
        call_id = text(start, "call_control_id")
        if not call_id:
            raise Breach("bad_start", "call_control_id is missing", fatal=True)
        stream_id = text(body, "stream_id") or text(start, "stream_id")
        announced = start.get("media_format")
        if isinstance(announced, dict):
            self._format_in = _media_format(announced)
        started = CallStarted(
            call_id,
            stream_id,
            self._format_in,
            self._format_out,
            _custom(start.get("custom_parameters")),
            text(start, "from"),
            text(start, "to"),
        )
        self._stream_id = stream_id
        return self.start(started)

    def _media(self, body: Json) -> list[Event]:
        self._check_stream(body)
        media = section(body, "media")
        if text(media, "track", "inbound") not in ("inbound", "inbound_track"):
            return []  # the bot's own voice, on streams set up with both tracks
        audio = base64_audio(media, "payload", self._format_in.encoding.bytes_per_sample).payload
        audio = self._byte_order.turned(audio, self._format_in)
        try:
            chunk = integer(media, "chunk", _UNNUMBERED)
        except Breach:
            chunk = _UNNUMBERED
        ready = [audio] if chunk < 0 else self._reorder.feed(chunk, audio)
        return [CallerAudio(packet) for packet in ready]

    def _dtmf(self, body: Json) -> list[Event]:
        self._check_stream(body)
        return [pressed(section(body, "dtmf"), "digit")]

    def _mark(self, body: Json) -> list[Event]:
        self._check_stream(body)
        name = text(section(body, "mark"), "name")
        if not name:
            raise Breach("bad_mark", "a mark without name")
        return [MarkReached(name)]

    def _error(self, body: Json) -> list[Event]:
        # Its text may repeat what we sent, so only the number is kept.
        raise Breach("platform_error", f"code {integer(section(body, 'payload'), 'code', 0)}")

    def _stop(self, body: Json) -> list[Event]:
        self._check_stream(body)
        return self._late() + self.end("stop")

    def _late(self) -> list[Event]:
        """What waited for packets that will not come any more; nothing after the end."""
        return [] if self.phase is Phase.OVER else [CallerAudio(packet) for packet in self._reorder.flush()]

    def _check_stream(self, body: Json) -> None:
        if text(body, "stream_id", self._stream_id) != self._stream_id:
            raise Breach("wrong_stream", "stream_id is another stream's")


def wire_format(name: str, rate_hz: int) -> AudioFormat | None:
    """The format that Telnyx calls `name`; None for one we cannot speak."""
    encoding = _ENCODINGS.get(name)
    if encoding is None or rate_hz not in (_L16_RATES_HZ if encoding is Encoding.L16 else (8000,)):
        return None
    return AudioFormat(encoding, rate_hz)


def _media_format(announced: Json) -> AudioFormat:
    """Read start.media_format; anything we cannot decode is fatal (F-15)."""
    name = text(announced, "encoding", "PCMU").upper()
    rate_hz = integer(announced, "sample_rate", 8000)
    wire = wire_format(name, rate_hz)
    if wire is None or integer(announced, "channels", 1) != 1:
        raise Breach("unsupported_format", f"{name[:32]} at {rate_hz} Hz", fatal=True)
    return wire


def _custom(parameters: object) -> dict[str, str]:
    """The order's parameters: an object by the start message's documentation, an array as they were sent."""
    if isinstance(parameters, dict):
        return {name: text(parameters, name) for name in parameters}
    if isinstance(parameters, list):
        pairs = [pair for pair in parameters if isinstance(pair, dict)]
        return {text(pair, "name"): text(pair, "value") for pair in pairs}
    return {}
