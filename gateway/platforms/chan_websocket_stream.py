"""Asterisk chan_websocket: bare media in binary messages, control in text messages, as JSON or as plain words.

Asterisk cuts what it is sent into frames and times them itself, from a queue of 1000 frames. A flush drops queue
and marks without a word, so an acknowledgement is asked for. There is no stop message: the socket closes.
"""

import json
from dataclasses import replace

from gateway.events import (
    CallerAudio,
    CallStarted,
    ClearOutput,
    Command,
    Event,
    HangUp,
    KeepAlive,
    MarkReached,
    OutputCleared,
    SendAudio,
    SendMark,
)
from gateway.platforms.base import Capabilities
from gateway.platforms.json_stream import Breach, Json, JsonStream, Phase, checked_audio, integer, pressed, text
from media.formats import AudioFormat, Encoding

CAPABILITIES = Capabilities(
    marks_returned_on_clear=False,
    clear_acknowledged=True,
    hang_up_on_stream=True,
    transfer_by_hanging_up=True,
    digits_out_in_band=True,
    # The same credentials that open the webhook, so a dial plan may do without asking it.
    socket_admits=True,
    query_tells=True,
    call_id_in_stream=False,
    # Some releases hang up on WebSocket pings (F-25), and Asterisk itself notices when the call is gone.
    ping_interval_s=None,
    subprotocols=("media",),
)

# Asterisk ignores a longer text message, with a line in its own log only.
MAX_COMMAND_BYTES = 128
# Asterisk's names; its linear audio is in host order, which is little-endian on x86 and ARM.
_LINEAR_KHZ = {"": 8, "12": 12, "16": 16, "24": 24, "32": 32, "44": 44.1, "48": 48, "96": 96, "192": 192}
_FORMATS = {
    "ulaw": AudioFormat(Encoding.ULAW, 8_000),
    "alaw": AudioFormat(Encoding.ALAW, 8_000),
    **{f"slin{suffix}": AudioFormat(Encoding.L16, int(khz * 1000)) for suffix, khz in _LINEAR_KHZ.items()},
}
# Plain-text events with a bare word.
_POSITIONAL = {"MEDIA_MARK_PROCESSED": "correlation_id", "MEDIA_BUFFERING_COMPLETED": "correlation_id"}
# Packets of the telephone network have 10 to 60 ms; longer ones would add their length to every turn.
_MAX_FRAME_MS = 120
# The flush may leave a pause in force, and says nothing itself.
_CLEAR = ("FLUSH_MEDIA", "CONTINUE_MEDIA", "REPORT_QUEUE_DRAINED")
# Longest error text of Asterisk that is repeated in ours.
_MAX_ERROR_CHARS = 100


class ChanWebsocketCodec(JsonStream):
    """One stream. Commands are written as the first message was: JSON or plain text."""

    before_start = frozenset(("MEDIA_START",))

    def __init__(self) -> None:
        super().__init__(
            {
                "MEDIA_START": self._start,
                "DTMF_END": lambda body: [pressed(body, "digit")],
                "MEDIA_MARK_PROCESSED": self._mark,
                "QUEUE_DRAINED": self._drained,
                "MEDIA_XOFF": self._xoff,
                "STATUS": self._status,
                "ERROR": self._error,
                **dict.fromkeys(("MEDIA_XON", "MEDIA_BUFFERING_COMPLETED"), lambda _: []),
            }
        )
        self.capabilities = CAPABILITIES
        self._format = _FORMATS["slin"]
        self._plain = False
        self._clears_pending = 0

    def receive_text(self, message: str) -> list[Event]:
        """Read a control message, whichever of both ways it is written."""
        plain = message[:1].isupper()
        if self.phase is Phase.WAITING:
            self._plain = plain
        return super().receive_text(_plain_as_json(message) if plain else message)

    def receive_binary(self, message: bytes) -> list[Event]:
        """Audio, without a header."""
        if self.phase is Phase.WAITING:
            raise Breach("before_start", f"{len(message)} bytes of media")
        return [CallerAudio(checked_audio(message, self._format.encoding.bytes_per_sample))]

    def encode(self, command: Command) -> list[str | bytes]:
        """Return the wire messages; empty before the start, after the end, and for a mark too long for Asterisk."""
        if self.phase is not Phase.OPEN:
            return []
        if isinstance(command, SendAudio):
            return [command.payload] if command.payload else []
        if isinstance(command, SendMark):
            return self._command("MARK_MEDIA", command.name)
        if isinstance(command, ClearOutput):
            self._clears_pending += 1
            return [message for name in _CLEAR for message in self._command(name)]
        if isinstance(command, HangUp):
            return self._command("HANGUP")
        return self._command("GET_STATUS") if isinstance(command, KeepAlive) else []

    def _command(self, name: str, correlation_id: str = "") -> list[str | bytes]:
        if self._plain:
            message = f"{name} {correlation_id}".rstrip()
        else:
            body = {"command": name, **({"correlation_id": correlation_id} if correlation_id else {})}
            message = json.dumps(body, separators=(",", ":"))
        return [message] if len(message.encode("utf-8", "replace")) <= MAX_COMMAND_BYTES else []

    def _start(self, body: Json) -> list[Event]:
        if self.phase is Phase.OPEN:
            raise Breach("second_start")
        channel_id = text(body, "channel_id")
        if not channel_id:
            raise Breach("bad_start", "channel_id is missing", fatal=True)
        name = text(body, "format", "slin")
        announced = _FORMATS.get(name)
        if announced is None:
            raise Breach("unsupported_format", name[:32], fatal=True)
        self._format = announced
        self.capabilities = _capabilities(announced, integer(body, "optimal_frame_size", 0))
        custom = _inherited(body.get("channel_variables"))
        return self.start(CallStarted(custom.get("call") or channel_id, channel_id, announced, announced, custom))

    def _mark(self, body: Json) -> list[Event]:
        name = text(body, "correlation_id")
        if not name:
            raise Breach("bad_mark", "a mark without name")
        return [MarkReached(name)]

    def _drained(self, _: Json) -> list[Event]:
        if not self._clears_pending:
            return []
        self._clears_pending -= 1
        return [OutputCleared()]

    def _xoff(self, _: Json) -> list[Event]:
        # We are a fraction of a second ahead, so with a full queue Asterisk is not playing (F-22).
        raise Breach("queue_full", "Asterisk has 900 frames waiting")

    def _status(self, body: Json) -> list[Event]:
        if body.get("queue_full") in (True, "true"):
            raise Breach("queue_full", f"Asterisk has {integer(body, 'queue_length', 0)} frames waiting")
        return []

    def _error(self, body: Json) -> list[Event]:
        said = text(body, "error_text")[:_MAX_ERROR_CHARS]
        raise Breach("reported_error", said if said.isascii() and said.isprintable() else "")


def _capabilities(wire: AudioFormat, optimal_bytes: int) -> Capabilities:
    """Ours with messages of whole Asterisk frames: what is left over at the end of a message would be dropped."""
    if optimal_bytes <= 0 or wire.frame_bytes(CAPABILITIES.frame_ms) % optimal_bytes == 0:
        return CAPABILITIES
    frame_ms, rest = divmod(optimal_bytes * 1000, wire.rate_hz * wire.encoding.bytes_per_sample)
    if rest or frame_ms > _MAX_FRAME_MS:
        raise Breach("unsupported_format", f"frames of {optimal_bytes} bytes at {wire.rate_hz} Hz", fatal=True)
    return replace(CAPABILITIES, frame_ms=frame_ms)


def _inherited(variables: object) -> dict[str, str]:
    """The caller's channel variables; those passed on for ever keep their underscores on the way."""
    return {key.lstrip("_"): text(variables, key) for key in variables} if isinstance(variables, dict) else {}


def _plain_as_json(message: str) -> str:
    """The same event in JSON; a word that is neither pair nor positional is left out, as an unknown key would be."""
    name, *words = message.split()
    body = {"event": name}
    position = _POSITIONAL.get(name)
    if position is not None and words:
        body[position] = words[0].removeprefix(f"{position}:")
    else:
        body.update((key, value) for key, colon, value in (word.partition(":") for word in words) if colon)
    body["event"] = name
    return json.dumps(body)
