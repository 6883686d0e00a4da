"""Vonage's media WebSocket: bare L16 audio of exactly 20 ms a message, JSON text for events and commands.

Vonage buffers up to 3072 messages (about a minute; 1024 by an older page) and drops what is beyond. A mark is
`notify`. What becomes of waiting ones on a clear is not documented, so they are never relied on after it.
"""

import json
import re

from gateway.events import (
    CallerAudio,
    CallStarted,
    ClearOutput,
    Command,
    Event,
    MarkReached,
    OutputCleared,
    SendAudio,
    SendMark,
)
from gateway.platforms.base import CALL_PARAMETER, Capabilities
from gateway.platforms.json_stream import Breach, Json, JsonStream, Phase, checked_audio, pressed, section, text, texts
from media.formats import AudioFormat, Encoding
from media.framing import Framer

CAPABILITIES = Capabilities(
    marks_returned_on_clear=False,
    clear_acknowledged=True,
    call_id_in_stream=False,
    rest=frozenset(("hang_up", "transfer", "dial", "send_digits", "warm_transfer")),
)
RATES_HZ = (8000, 16000, 24000)
# Vonage's own keys in the greeting; all others are the headers of our document.
OWN_KEYS = frozenset(("event", "content-type"))

_CONTENT_TYPE = re.compile(r"audio/l16;rate=([0-9]{4,5})")


class VonageCodec(JsonStream):
    """One stream."""

    before_start = frozenset({"websocket:connected"})

    def __init__(self) -> None:
        super().__init__(
            {
                "websocket:connected": self._connected,
                "websocket:dtmf": self._dtmf,
                "websocket:cleared": lambda _: [OutputCleared()],
                "websocket:notify": self._notify,
            }
        )
        self._frame_bytes = 0

    @property
    def capabilities(self) -> Capabilities:
        return CAPABILITIES

    def receive_binary(self, message: bytes) -> list[Event]:
        """The caller, and whoever else is in the conversation, mixed."""
        if self.phase is Phase.WAITING:
            raise Breach("before_start", "audio")
        return [CallerAudio(checked_audio(message, Encoding.L16.bytes_per_sample))]

    def encode(self, command: Command) -> list[str | bytes]:
        """Return the wire messages, audio in exact frames: a wrong size closes the socket (F-16)."""
        if self.phase is not Phase.OPEN:
            return []
        match command:
            case SendAudio(payload):
                framer = Framer(self._frame_bytes, Encoding.L16.silence)
                return [*framer.feed(payload), *framer.flush()]
            case SendMark(name):
                return [f'{{"action":"notify","payload":{{"name":{json.dumps(name)}}}}}']
            case ClearOutput():
                return ['{"action":"clear"}']
            case _:
                return []

    def _connected(self, body: Json) -> list[Event]:
        if self.phase is Phase.OPEN:
            raise Breach("second_start")
        wire = _format(text(body, "content-type", "audio/l16;rate=16000"))
        # Our headers come back at the top level, between the platform's own two keys.
        custom = texts(body, OWN_KEYS)
        call_id = custom.get(CALL_PARAMETER) or custom.get("uuid", "")
        if not call_id:
            raise Breach("bad_start", f"no header {CALL_PARAMETER} came back", fatal=True)
        self._frame_bytes = wire.frame_bytes(CAPABILITIES.frame_ms)
        return self.start(CallStarted(call_id, call_id, wire, wire, custom))

    def _dtmf(self, body: Json) -> list[Event]:
        # Some servers were seen to nest it as {"dtmf": {"digit"}}.
        return [pressed(body if "digit" in body else section(body, "dtmf"), "digit")]

    def _notify(self, body: Json) -> list[Event]:
        name = text(section(body, "payload"), "name")
        if not name:
            raise Breach("bad_mark", "a notify without our name")
        return [MarkReached(name)]


def _format(content_type: str) -> AudioFormat:
    match = _CONTENT_TYPE.fullmatch(content_type.lower().replace(" ", ""))
    rate_hz = int(match[1]) if match else 0
    if rate_hz not in RATES_HZ:
        raise Breach("unsupported_format", content_type[:32], fatal=True)
    return AudioFormat(Encoding.L16, rate_hz)
