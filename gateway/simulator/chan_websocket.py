"""Asterisk's side of chan_websocket, written from its documentation and from a running Asterisk.

Its queue holds 1000 frames and says XOFF at 900 and XON below 800; a flush drops queue and marks without a word; a
text of more than 128 bytes and an unknown command are ignored, which is a violation here.
"""

import json
from collections.abc import Mapping

from gateway.simulator.audiosocket import dial_plan_question, read_word, unique_id
from gateway.simulator.basic import basic_headers
from gateway.simulator.dialect import (
    BotAudio,
    BotClear,
    BotControl,
    BotHangUp,
    BotMark,
    BotMessage,
    BotViolation,
    Dialect,
    Traits,
)
from gateway.simulator.ringing import Door, Reply, Webhook, websocket
from media.g711 import alaw_to_pcm, pcm_to_alaw, pcm_to_ulaw, ulaw_to_pcm

FRAME_MS = 20
_FRAME_S = FRAME_MS / 1000
QUEUE_FRAMES, XOFF_FRAMES, XON_FRAMES = 1000, 900, 800
MAX_TEXT_BYTES = 128
MAX_MESSAGE_BYTES = 65_500
_RATES_HZ = {
    "ulaw": 8_000,
    "alaw": 8_000,
    "slin": 8_000,
    "slin12": 12_000,
    "slin16": 16_000,
    "slin24": 24_000,
    "slin32": 32_000,
    "slin48": 48_000,
}
_SILENT = frozenset({"ANSWER", "START_MEDIA_BUFFERING", "STOP_MEDIA_BUFFERING", "PAUSE_MEDIA", "CONTINUE_MEDIA"})
_POSITIONAL = frozenset({"MEDIA_MARK_PROCESSED", "MEDIA_BUFFERING_COMPLETED"})
_BARE = frozenset({"MEDIA_XON", "MEDIA_XOFF", "QUEUE_DRAINED"})


class ChanWebsocketDialect(Dialect):
    """The messages of one stream; `plain` writes control messages as words, else as JSON."""

    traits = Traits(clear_returns_marks=False, queue_s=QUEUE_FRAMES * _FRAME_S)

    def __init__(
        self, channel_id: str, variables: Mapping[str, str], media: str = "slin16", plain: bool = False
    ) -> None:
        self._channel_id = channel_id
        self._variables = dict(variables)
        self._media = media
        self._plain = plain
        self._full = False
        self._drain_asked = False
        self._queued_frames = 0
        narrow = 1 if media in ("ulaw", "alaw") else 2
        self._frame_bytes = _RATES_HZ[media] * FRAME_MS // 1000 * narrow

    @property
    def rate_hz(self) -> int:
        return _RATES_HZ[self._media]

    def opening(self) -> list[str | bytes]:
        about: dict[str, object] = {
            "connection_id": "voicebot",
            "channel": "WebSocket/voicebot/0x7f00",
            "channel_id": self._channel_id,
            "format": self._media,
            "optimal_frame_size": self._frame_bytes,
            "ptime": FRAME_MS,
        }
        if not self._plain:
            about["channel_variables"] = self._variables
        return [self._event("MEDIA_START", **about)]

    def audio(self, pcm: bytes) -> list[str | bytes]:
        compand = {"ulaw": pcm_to_ulaw, "alaw": pcm_to_alaw}.get(self._media)
        return [compand(pcm) if compand else pcm]

    def digit(self, digit: str) -> list[str | bytes]:
        return [self._event("DTMF_END", channel_id=self._channel_id, digit=digit)]

    def mark(self, name: str) -> list[str | bytes]:
        return [self._event("MEDIA_MARK_PROCESSED", channel_id=self._channel_id, correlation_id=name)]

    def stop(self) -> list[str | bytes]:
        """Asterisk says nothing; the socket closes."""
        return []

    def tick(self, queued_s: float) -> list[str | bytes]:
        """XOFF and XON as the queue crosses its levels, QUEUE_DRAINED when that was asked for and it is empty."""
        self._queued_frames = round(queued_s / _FRAME_S)
        said: list[str | bytes] = []
        if not self._full and self._queued_frames >= XOFF_FRAMES:
            self._full = True
            said.append(self._event("MEDIA_XOFF", channel_id=self._channel_id))
        elif self._full and self._queued_frames < XON_FRAMES:
            self._full = False
            said.append(self._event("MEDIA_XON", channel_id=self._channel_id))
        if self._drain_asked and not self._queued_frames:
            self._drain_asked = False
            said.append(self._event("QUEUE_DRAINED", channel_id=self._channel_id))
        return said

    def receive(self, message: str | bytes) -> BotMessage:
        if isinstance(message, str):
            return self._obeyed(message)
        if len(message) > MAX_MESSAGE_BYTES:
            return BotViolation("1009: a message longer than 65500 bytes ends the call")
        if len(message) % self._frame_bytes:
            return BotViolation(f"{len(message)} bytes: what is over whole frames of {self._frame_bytes} is dropped")
        expand = {"ulaw": ulaw_to_pcm, "alaw": alaw_to_pcm}.get(self._media)
        return BotAudio(expand(message) if expand else message)

    def _obeyed(self, message: str) -> BotMessage:
        if len(message.encode()) > MAX_TEXT_BYTES:
            return BotViolation(f"a text of {len(message.encode())} bytes is ignored")
        name, correlation_id = self._command(message)
        if name == "MARK_MEDIA":
            return BotMark(correlation_id)
        if name == "FLUSH_MEDIA":
            self._drain_asked = False
            return BotClear()
        if name == "HANGUP":
            return BotHangUp()
        if name == "REPORT_QUEUE_DRAINED":
            self._drain_asked = True
            return BotControl()
        if name == "GET_STATUS":
            return BotControl((self._status(),))
        return BotControl() if name in _SILENT else BotViolation(f"an unknown command is ignored: {name[:40]}")

    def _command(self, message: str) -> tuple[str, str]:
        if self._plain:
            name, _, correlation_id = message.partition(" ")
            return name, correlation_id
        try:
            body = json.loads(message)
        except ValueError:
            return "text that is not JSON", ""
        if not isinstance(body, dict):
            return "no JSON object", ""
        return str(body.get("command")), str(body.get("correlation_id", ""))

    def _status(self) -> str:
        return self._event(
            "STATUS",
            channel_id=self._channel_id,
            queue_length=self._queued_frames,
            xon_level=XON_FRAMES,
            xoff_level=XOFF_FRAMES,
            queue_full=self._full,
            bulk_media=False,
            media_paused=False,
        )

    def _event(self, name: str, **about: object) -> str:
        if not self._plain:
            return json.dumps({"event": name, **about})
        if name in _BARE:
            return name
        if name in _POSITIONAL:
            return f"{name} {about['correlation_id']}"
        pairs = (f"{key}:{str(value).lower() if isinstance(value, bool) else value}" for key, value in about.items())
        return " ".join([name, *pairs])


class ChanWebsocketRinging:
    """A call whose dial plan asks the webhook for a token and hands it on as a channel variable.

    `secret` is user:password, which the dial plan's request and the socket both carry.
    """

    def __init__(self, seed: str, secret: str, media: str = "slin16") -> None:
        self._seed = seed
        self._secret = secret
        self._media = media
        self._token = ""

    @property
    def call_id(self) -> str:
        return unique_id(self._seed)

    @property
    def rate_hz(self) -> int:
        return _RATES_HZ[self._media]

    def ask(self, base: str) -> Webhook:
        return dial_plan_question(f"{base}/chan_websocket/voice", self.call_id, self._secret)

    def door(self, base: str, reply: Reply | None) -> Door:
        self._token = read_word(reply)
        headers = basic_headers(self._secret)
        return Door(f"{websocket(base)}/chan_websocket/stream?call={self.call_id}", headers, ("media",))

    def dialect(self) -> Dialect:
        variables = {"token": self._token, "call": self.call_id}
        return ChanWebsocketDialect(unique_id(self._seed + "/socket"), variables, self._media)
