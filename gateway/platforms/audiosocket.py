"""Asterisk AudioSocket: frames over TCP, one byte of kind, two of length, and the payload; the call is only a UUID.

Asterisk plays each frame as it comes: there is no queue, no mark, no clear, and it gives the call up after 2 s in
which neither side has sent anything. The UUID is our token: the dial plan asks the webhook for it.
"""

import struct
import uuid
from collections.abc import Mapping

from gateway.events import CallerAudio, CallStarted, Command, Digit, Event, HangUp, SendAudio
from gateway.platforms.asterisk import DialPlan, answer_word
from gateway.platforms.base import Capabilities, Codec, Document
from gateway.platforms.json_stream import Breach, Phase, Stream, checked_audio
from media.formats import AudioFormat, Encoding

CAPABILITIES = Capabilities(
    # Asterisk writes a frame to the caller's channel as it comes and holds none back, so what is ahead waits in the
    # jitter buffer of the phone or trunk. Those hold 200 ms or more: half for us, half for the network's own jitter.
    # Less makes every stall of the loop a hole; all of it is still heard after an interruption, as there is no clear.
    longest_lead_ms=100,
    # Half of the 2 s after which Asterisk hangs up.
    silence_every_s=1.0,
    marks=False,
    marks_returned_on_clear=False,
    clear=False,
    hang_up_on_stream=True,
    transfer_by_hanging_up=True,
    digits_out_in_band=True,
    call_id_in_stream=False,
    ping_interval_s=None,
)

_HANG_UP = 0x00
_ID = 0x01
_DIGIT = 0x03
_ERROR = 0xFF
# Kinds of 16-bit little-endian mono audio; all but the first since recent releases only.
_RATES_HZ = {
    0x10: 8_000,
    0x11: 12_000,
    0x12: 16_000,
    0x13: 24_000,
    0x14: 32_000,
    0x15: 44_100,
    0x16: 48_000,
    0x17: 96_000,
    0x18: 192_000,
}
_KINDS = {rate_hz: kind for kind, rate_hz in _RATES_HZ.items()}
_DIGITS = frozenset("0123456789*#ABCD")
_HEADER = struct.Struct(">BH")


class AudioSocketCodec(Stream):
    """One connection. With a `rate_hz` the call starts at its UUID; with 0, at the first frame of audio, as that says.

    Bytes come in pieces of any size; less than one frame (64 kB) is kept.
    """

    def __init__(self, rate_hz: int = 8_000) -> None:
        """ValueError for a rate that has no kind of frame."""
        if rate_hz and rate_hz not in _KINDS:
            raise ValueError(f"AudioSocket has no frames of {rate_hz} Hz; it has {sorted(_KINDS)}")
        super().__init__()
        self._rate_hz = rate_hz
        self._call_id = ""
        self._token = ""
        self._pending = bytearray()

    @property
    def capabilities(self) -> Capabilities:
        return CAPABILITIES

    def receive(self, message: str | bytes) -> list[Event]:
        """Return what the frames completed by these bytes mean. Never raises; empty after the end of the stream."""
        if self.phase is Phase.OVER:
            return []
        if isinstance(message, str):
            return self.report(Breach("text_message", f"{len(message)} characters where bytes are due"))
        self._pending += message
        events: list[Event] = []
        while (frame := self._next_frame()) is not None:
            events += self._frame(*frame)
        return events

    def encode(self, command: Command) -> list[str | bytes]:
        """Return the frames; empty for what AudioSocket cannot, before the start and after the end."""
        if self.phase is not Phase.OPEN:
            return []
        if isinstance(command, SendAudio) and command.payload:
            return [_HEADER.pack(_KINDS[self._rate_hz], len(command.payload)) + command.payload]
        if isinstance(command, HangUp):
            return [_HEADER.pack(_HANG_UP, 0)]
        return []

    def _next_frame(self) -> tuple[int, bytes] | None:
        """Take a whole frame from what is pending; None when there is none, or the stream is over."""
        if self.phase is Phase.OVER or len(self._pending) < _HEADER.size:
            return None
        kind, size = _HEADER.unpack_from(self._pending)
        end = _HEADER.size + size
        if end > len(self._pending):
            return None
        payload = bytes(self._pending[_HEADER.size : end])
        del self._pending[:end]
        return kind, payload

    def _frame(self, kind: int, payload: bytes) -> list[Event]:
        try:
            return self._read(kind, payload)
        except Breach as breach:
            return self.report(breach)

    def _read(self, kind: int, payload: bytes) -> list[Event]:
        if kind == _HANG_UP:
            return self.end("hangup")
        if kind == _ID:
            return self._identified(payload)
        if kind == _ERROR:
            raise Breach("reported_error", f"code {payload[0]}" if payload else "")
        if not self._call_id:
            # Whoever speaks first without a UUID is not Asterisk: nothing it says can be framed.
            raise Breach("before_start", f"kind 0x{kind:02x}", fatal=True)
        if kind == _DIGIT:
            return [self._digit(payload)]
        rate_hz = _RATES_HZ.get(kind)
        if rate_hz is None:
            raise Breach("unknown_event", f"kind 0x{kind:02x}")
        return self._audio(rate_hz, payload)

    def _identified(self, payload: bytes) -> list[Event]:
        if self._call_id:
            raise Breach("second_start")
        if len(payload) != 16:
            raise Breach("bad_start", f"a UUID of {len(payload)} bytes", fatal=True)
        self._call_id = str(uuid.UUID(bytes=payload))
        self._token = payload.hex()
        return self._started() if self._rate_hz else []

    def _started(self) -> list[Event]:
        wire = AudioFormat(Encoding.L16, self._rate_hz)
        return self.start(CallStarted(self._call_id, self._call_id, wire, wire, {"token": self._token}))

    def _audio(self, rate_hz: int, payload: bytes) -> list[Event]:
        started: list[Event] = []
        if not self._rate_hz:
            self._rate_hz = rate_hz
            started = self._started()
        if rate_hz != self._rate_hz:
            detail = f"audio of {rate_hz} Hz where {self._rate_hz} is set: set audiosocket.rate_hz"
            raise Breach("unsupported_format", detail, fatal=True)
        try:
            return [*started, CallerAudio(checked_audio(payload, Encoding.L16.bytes_per_sample))]
        except Breach as breach:
            return [*started, *self.report(breach)]

    def _digit(self, payload: bytes) -> Digit:
        digit = payload.decode("latin-1").upper()
        if len(digit) != 1 or digit not in _DIGITS:
            raise Breach("bad_digit")
        return Digit(digit)


class AudioSocket(DialPlan):
    """The platform: the credentials protect the webhook; the connection itself shows only the token.

    `rate_hz` is what the dial plan chose: 8000 for the application AudioSocket(), 0 to follow the first frame.
    """

    name = "audiosocket"
    capabilities = CAPABILITIES

    def __init__(self, user: str = "", password: str = "", rate_hz: int = 8_000) -> None:
        """ValueError for a rate AudioSocket does not have."""
        super().__init__(user, password)
        self._rate_hz = rate_hz
        AudioSocketCodec(rate_hz)  # a wrong rate is known at the start, not at the first call

    def codec(self) -> Codec:
        return AudioSocketCodec(self._rate_hz)

    def answer(self, stream_url: str, token: str, parameters: Mapping[str, str]) -> Document:
        """The UUID for AudioSocket(); ValueError for a token that is not 32 hex digits."""
        return answer_word(str(uuid.UUID(hex=token)))
