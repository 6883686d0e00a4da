"""Plivo's media stream, and Vobiz's: JSON text both ways, µ-law or L16 in base64, as the answer document orders it.

There is no greeting and, by what is known, no stop message: the socket closes. A mark is a checkpoint; a clear drops
the waiting ones without a word and is confirmed. Plivo queues about a minute.
"""

import json
import re
from base64 import b64encode

from gateway.events import (
    CallerAudio,
    CallStarted,
    ClearOutput,
    Command,
    Event,
    MarkReached,
    OutputCleared,
    SendAudio,
    SendDigits,
    SendMark,
)
from gateway.platforms.base import Capabilities
from gateway.platforms.byte_order import ByteOrder
from gateway.platforms.json_stream import Breach, Json, JsonStream, Phase, base64_audio, integer, pressed, section, text
from gateway.platforms.plivo_xml import read_pair, unpacked
from media.formats import ULAW_8K, AudioFormat, Encoding

CAPABILITIES = Capabilities(
    marks_returned_on_clear=False,
    clear_acknowledged=True,
    digits_out_on_stream=True,
    rest=frozenset({"hang_up", "transfer", "redirect", "dial", "warm_transfer"}),
)

_CONTENT_TYPE = re.compile(r"(audio/x-(?:mulaw|l16));rate=([0-9]{4,5})")
_ENCODINGS = {"audio/x-mulaw": Encoding.ULAW, "audio/x-l16": Encoding.L16}
# 24 kHz is Vobiz's.
_RATES_HZ = {Encoding.ULAW: frozenset({8000}), Encoding.L16: frozenset({8000, 16000, 24000})}


class PlivoCodec(JsonStream):
    """One stream."""

    before_start = frozenset({"start"})

    def __init__(self, byte_order: ByteOrder = ByteOrder.LITTLE) -> None:
        super().__init__(
            {
                "start": self._start,
                "media": self._media,
                "dtmf": self._dtmf,
                "playedStream": self._played,
                "clearedAudio": self._cleared,
                "stop": self._stop,
                "error": self._fault,
                "playFailed": self._fault,
                "incorrectPayload": self._fault,
            }
        )
        self._stream_id = ""
        self._format = ULAW_8K
        self._byte_order = byte_order
        self._audio_head = ""

    @property
    def capabilities(self) -> Capabilities:
        return CAPABILITIES

    def encode(self, command: Command) -> list[str | bytes]:
        """Return the wire messages; empty for what Plivo does by REST, before the start and after the end."""
        if self.phase is not Phase.OPEN:
            return []
        match command:
            case SendAudio(payload) if payload:
                audio = b64encode(self._byte_order.turned(payload, self._format)).decode("ascii")
                return [f'{self._audio_head}"payload":"{audio}"}}}}']
            case SendMark(name):
                return [self._message("checkpoint", f',"name":{json.dumps(name)}')]
            case ClearOutput():
                return [self._message("clearAudio")]
            case SendDigits(digits):
                return [f'{{"event":"sendDTMF","dtmf":{json.dumps(digits)}}}']
            case _:
                return []

    def _start(self, body: Json) -> list[Event]:
        if self.phase is Phase.OPEN:
            raise Breach("second_start")
        start = section(body, "start")
        call_id = text(start, "callId")
        stream_id = text(start, "streamId") or text(body, "streamId")
        if not call_id or not stream_id:
            raise Breach("bad_start", "callId or streamId is missing", fatal=True)
        wire = _media_format(start.get("mediaFormat"))
        custom = _extra_headers(body.get("extra_headers", start.get("extra_headers")))
        self._stream_id, self._format = stream_id, wire
        content_type = next(name for name, encoding in _ENCODINGS.items() if encoding is wire.encoding)
        media = f'{{"contentType":"{content_type}","sampleRate":{wire.rate_hz},'
        self._audio_head = f'{{"event":"playAudio","streamId":{json.dumps(stream_id)},"media":{media}'
        return self.start(CallStarted(call_id, stream_id, wire, wire, custom))

    def _media(self, body: Json) -> list[Event]:
        self._check_stream(body)
        media = section(body, "media")
        if text(media, "track", "inbound") != "inbound":
            return []  # the bot's own voice, on streams set up with both tracks
        audio = base64_audio(media, "payload", self._format.encoding.bytes_per_sample)
        return [CallerAudio(self._byte_order.turned(audio.payload, self._format))]

    def _dtmf(self, body: Json) -> list[Event]:
        self._check_stream(body)
        return [pressed(section(body, "dtmf"), "digit")]

    def _played(self, body: Json) -> list[Event]:
        self._check_stream(body)
        name = text(body, "name")
        if not name:
            raise Breach("bad_mark", "a checkpoint without name")
        return [MarkReached(name)]

    def _cleared(self, body: Json) -> list[Event]:
        self._check_stream(body)
        return [OutputCleared()]

    def _stop(self, body: Json) -> list[Event]:
        self._check_stream(body)
        return self.end("stop")

    def _fault(self, body: Json) -> list[Event]:
        # Its reason may repeat what we sent, so only the kind is kept.
        raise Breach("platform_error", text(body, "event"))

    def _check_stream(self, body: Json) -> None:
        if text(body, "streamId", self._stream_id) != self._stream_id:
            raise Breach("wrong_stream", "streamId is another stream's")

    def _message(self, event: str, rest: str = "") -> str:
        return f'{{"event":"{event}","streamId":{json.dumps(self._stream_id)}{rest}}}'


def ordered_format(content_type: str) -> AudioFormat | None:
    """The format of a content type with its rate, as the answer document writes it; None for an unknown one."""
    match = _CONTENT_TYPE.fullmatch(content_type)
    return _wire_format(match[1], int(match[2])) if match else None


def _wire_format(name: str, rate_hz: int) -> AudioFormat | None:
    encoding = _ENCODINGS.get(name)
    if encoding is None or rate_hz not in _RATES_HZ[encoding]:
        return None
    return AudioFormat(encoding, rate_hz)


def _media_format(announced: object) -> AudioFormat:
    """Read start.mediaFormat; µ-law at 8 kHz where nothing is announced."""
    if not isinstance(announced, dict):
        return ULAW_8K
    name = text(announced, "encoding", "audio/x-mulaw").lower()
    rate_hz = integer(announced, "sampleRate", 8000)
    wire = _wire_format(name, rate_hz)
    if wire is None or integer(announced, "channels", 1) != 1:
        raise Breach("unsupported_format", f"{name[:32]} at {rate_hz} Hz", fatal=True)
    return wire


def _extra_headers(written: object) -> dict[str, str]:
    """The answer document's parameters: pairs in one text, or JSON, itself or as text."""
    if isinstance(written, str) and written.lstrip().startswith("{"):
        try:
            written = json.loads(written)
        except (ValueError, RecursionError) as error:
            raise Breach("bad_field", "extra_headers is not JSON") from error
    if isinstance(written, dict):
        return dict(read_pair(name, text(written, name)) for name in written)
    return unpacked(text({"extra_headers": written}, "extra_headers"))
