"""Asterisk's side of AudioSocket, written from its documentation and from a running Asterisk.

Strict where Asterisk is: a kind of frame that is neither audio nor hang-up drops the call, and a bot that is silent
for two seconds loses it. What comes faster than real time fills the caller's jitter buffer and is then lost.
"""

import struct
import uuid
from urllib.parse import urlencode, urlsplit

from gateway.simulator.basic import basic_headers
from gateway.simulator.dialect import BotAudio, BotHangUp, BotMessage, BotViolation, Dialect, Traits
from gateway.simulator.failure import CallFailed
from gateway.simulator.ringing import CALLED, CALLER, Door, Reply, Webhook, numbered_uuid

# The port in Asterisk's own examples.
PORT = 9092
# Asterisk gives up when neither side has sent anything for so long; a real caller who is muted sends nothing either.
MEDIA_TIMEOUT_S = 2.0
# Asterisk's jitter buffer holds 200 ms unless it is told otherwise.
JITTER_BUFFER_S = 0.2
_HANG_UP, _UUID, _DTMF, _ERROR = 0x00, 0x01, 0x03, 0xFF
_AUDIO_KINDS = {
    8_000: 0x10,
    12_000: 0x11,
    16_000: 0x12,
    24_000: 0x13,
    32_000: 0x14,
    44_100: 0x15,
    48_000: 0x16,
    96_000: 0x17,
    192_000: 0x18,
}
_HEADER_BYTES = 3


class AudioSocketDialect(Dialect):
    """The frames of one connection, one a message."""

    traits = Traits(
        clear_returns_marks=False, marks=False, queue_s=JITTER_BUFFER_S, needs_audio_every_s=MEDIA_TIMEOUT_S
    )

    def __init__(self, stream_id: str, rate_hz: int = 8_000) -> None:
        self._stream_id = uuid.UUID(stream_id)
        self._rate_hz = rate_hz

    @property
    def rate_hz(self) -> int:
        return self._rate_hz

    def opening(self) -> list[str | bytes]:
        return [_frame(_UUID, self._stream_id.bytes)]

    def audio(self, pcm: bytes) -> list[str | bytes]:
        return [_frame(_AUDIO_KINDS[self._rate_hz], pcm)]

    def digit(self, digit: str) -> list[str | bytes]:
        return [_frame(_DTMF, digit.encode("ascii"))]

    def mark(self, name: str) -> list[str | bytes]:
        """There are none."""
        return []

    def stop(self) -> list[str | bytes]:
        """Asterisk says nothing; the connection closes."""
        return []

    def failed(self, code: int) -> bytes:
        """The frame in which Asterisk reports that something is wrong on its side."""
        return _frame(_ERROR, bytes([code]))

    def receive(self, message: str | bytes) -> BotMessage:
        if isinstance(message, str) or len(message) < _HEADER_BYTES:
            return BotViolation("less than a frame")
        kind, size = struct.unpack_from(">BH", message)
        payload = message[_HEADER_BYTES:]
        if size != len(payload):
            return BotViolation(f"a frame of {len(payload)} bytes that says it has {size}")
        if kind == _HANG_UP:
            return BotHangUp()
        if kind != _AUDIO_KINDS[self._rate_hz]:
            return BotViolation(f"a frame of kind 0x{kind:02x}: Asterisk drops the call")
        # Asterisk takes an odd length; its last byte is half a sample.
        return BotAudio(payload[: size - size % 2])


class AudioSocketRinging:
    """A call whose dial plan asks the webhook for a UUID with CURL(); `secret` is user:password of that request.

    The connection goes to the gateway's host, to `port`.
    """

    def __init__(self, seed: str, secret: str, rate_hz: int = 8_000, port: int = PORT) -> None:
        self._seed = seed
        self._secret = secret
        self._rate_hz = rate_hz
        self._port = port
        self._stream_id = numbered_uuid(seed)

    @property
    def call_id(self) -> str:
        return unique_id(self._seed)

    @property
    def rate_hz(self) -> int:
        return self._rate_hz

    def ask(self, base: str) -> Webhook:
        return dial_plan_question(f"{base}/audiosocket/voice", self.call_id, self._secret)

    def door(self, base: str, reply: Reply | None) -> Door:
        self._stream_id = read_word(reply)
        try:
            uuid.UUID(self._stream_id)
        except ValueError as error:
            raise CallFailed("bad_answer", "the webhook's answer is not a UUID") from error
        remedy = "set audiosocket.port at the gateway, and give the same here with --tcp-port"
        return Door(f"tcp://{urlsplit(base).hostname}:{self._port}", remedy=remedy)

    def dialect(self) -> Dialect:
        return AudioSocketDialect(self._stream_id, self._rate_hz)


def unique_id(seed: str) -> str:
    """A channel's id as Asterisk writes it: seconds, a dot, a counter; equal for equal seeds."""
    number = uuid.UUID(numbered_uuid(seed, 1)).int
    return f"{1_767_225_600 + number % 10_000_000}.{number % 1_000_000}"


def dial_plan_question(url: str, call_id: str, secret: str) -> Webhook:
    """What the dial plan's CURL() posts."""
    form = urlencode({"CallId": call_id, "From": CALLER, "To": CALLED})
    return Webhook("POST", url, basic_headers(secret), form.encode(), "application/x-www-form-urlencoded")


def read_word(reply: Reply | None) -> str:
    """What CURL() returned; CallFailed when the gateway turned the call away."""
    word = reply.text if reply else ""
    if word == "busy":
        raise CallFailed("rejected", "the gateway turned the call away: busy")
    if not word or word.split() != [word]:
        raise CallFailed("bad_answer", "the webhook's answer is not one word")
    return word


def _frame(kind: int, payload: bytes) -> bytes:
    return struct.pack(">BH", kind, len(payload)) + payload
