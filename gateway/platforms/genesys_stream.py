"""One session of Genesys AudioHook v2: JSON messages for control, bare audio for both voices.

`open` is answered with `opened`, and only then is anything else sent (F-19). There are no marks, so the playout clock
tells what was heard. A call is ended or moved by `disconnect`, whose output variables the Architect flow acts on.
"""

from collections import deque
from collections.abc import Mapping
from typing import Any

from gateway.events import (
    CallerAudio,
    CallStarted,
    ClearOutput,
    Command,
    Event,
    FlowControl,
    HangUp,
    KeepAlive,
    PeerError,
    SendAudio,
    Transfer,
)
from gateway.platforms.base import Capabilities
from gateway.platforms.byte_order import ByteOrder
from gateway.platforms.genesys_wire import Media, Numbers, choose
from gateway.platforms.json_stream import Breach, Json, JsonStream, Phase, checked_audio, pressed, section, text, texts

CAPABILITIES = Capabilities(
    frame_ms=200,  # many small messages are answered with 429 (F-19)
    marks=False,
    marks_returned_on_clear=False,
    hang_up_on_stream=True,
    transfer_on_stream=True,
    digits_out_in_band=True,
    rest=frozenset(),
    socket_admits=True,
)
# Genesys takes no larger message of audio.
MAX_BLOCK_BYTES = 64_000
# Audio kept that is sent while Genesys has paused the stream, 8 s of µ-law; of more the oldest is lost.
MAX_HELD_BYTES = 64_000
# Ids of a connection test: it expects `opened` and no bot behind it.
_NOBODY = "00000000-0000-0000-0000-000000000000"


class GenesysCodec(JsonStream):
    """One session."""

    name_key = "type"
    before_start = frozenset({"open", "ping", "close", "error"})

    def __init__(self, l16_order: ByteOrder = ByteOrder.LITTLE) -> None:
        ignored = ("discarded", "playback_started", "playback_completed", "updated", "reconnect")
        super().__init__(
            {
                "open": self._open,
                "ping": self._ping,
                "close": self._close,
                "error": self._error,
                "update": self._update,
                "dtmf": lambda body: [pressed(section(body, "parameters"), "digit")],
                # One public client sends the server's words for the pause; both spellings mean the same.
                **dict.fromkeys(("paused", "pause"), lambda _: self._pause()),
                **dict.fromkeys(("resumed", "resume"), lambda _: self._resume()),
                **dict.fromkeys(ignored, lambda _: []),
            }
        )
        self._l16_order = l16_order
        self._numbers = Numbers()
        self._session = ""
        self._media: Media | None = None
        self._leaving = False
        self._paused = False
        self._to_say: deque[tuple[str, Mapping[str, Any]] | bytes] = deque()
        self._held: deque[bytes] = deque()
        self._held_bytes = 0

    @property
    def capabilities(self) -> Capabilities:
        return CAPABILITIES

    def receive(self, message: str | bytes) -> list[Event]:
        """Return what the message means; a fault that ends the session is told to Genesys too."""
        events = super().receive(message)
        if any(isinstance(event, PeerError) and event.fatal for event in events) and self._session:
            self._say("disconnect", {"reason": "error"})
        return events

    def receive_binary(self, message: bytes) -> list[Event]:
        """The caller's voice."""
        if self._media is None:
            raise Breach("before_start", "audio")
        return [CallerAudio(self._media.caller(checked_audio(message, 1), self._l16_order))]

    def owed(self) -> list[str | bytes]:
        """Return what is to be sent at once. Numbers are given here, so encode nothing before it has been sent."""
        said, self._to_say = self._to_say, deque()
        return [message if isinstance(message, bytes) else self._write(*message) for message in said]

    def encode(self, command: Command) -> list[str | bytes]:
        """Return the wire messages; audio waits while the stream is paused, nothing follows a disconnect."""
        if self.phase is not Phase.OPEN or self._media is None or self._leaving:
            return []
        match command:
            case SendAudio(payload):
                audio = self._l16_order.turned(payload, self._media.format)
                blocks = [audio[at : at + MAX_BLOCK_BYTES] for at in range(0, len(audio), MAX_BLOCK_BYTES)]
                return self._hold(blocks) if self._paused else list(blocks)
            case ClearOutput():
                self._forget_held()
                return [self._write("event", {"entities": [{"type": "barge_in", "data": {}}]})]
            case HangUp():
                return [self._leave({"action": "hangup"})]
            case Transfer(target):
                return [self._leave({"action": "transfer", "target": target})]
            case _:
                return []

    def admit(self, body: Json) -> None:
        """Every message carries the session's id and the next number."""
        if not self._session and body.get("type") != "open":
            raise Breach("before_start")
        if self._session and text(body, "id", self._session) != self._session:
            raise Breach("wrong_stream", "id is another session's")
        self._numbers.take(body)

    def _open(self, body: Json) -> list[Event]:
        if self._session:
            raise Breach("second_start")
        try:
            return self._begin(text(body, "id"), section(body, "parameters"))
        except Breach as breach:
            breach.fatal = True  # it will not be said again
            raise

    def _begin(self, session: str, parameters: Json) -> list[Event]:
        conversation = text(parameters, "conversationId")
        if not session or not conversation:
            raise Breach("bad_start", "id or conversationId is missing")
        self._session = session
        media = choose(parameters.get("media"))
        participant = parameters.get("participant")
        ani, dnis = (text(participant, key) for key in ("ani", "dnis")) if isinstance(participant, dict) else ("", "")
        variables = parameters.get("inputVariables")
        custom = texts(variables) if isinstance(variables, dict) else {}
        self._say("opened", {"startPaused": False, "media": [media.as_json()] if media else []})
        if media is None or conversation == _NOBODY:
            return []  # a connection test: it closes the session, and no call begins
        self._media = media
        return self.start(CallStarted(conversation, session, media.format, media.format, custom, ani, dnis))

    def _ping(self, _body: Json) -> list[Event]:
        self._say("pong", {})
        return [KeepAlive()]

    def _close(self, _body: Json) -> list[Event]:
        self._say("closed", {})
        return self.end("stop")

    def _error(self, body: Json) -> list[Event]:
        # Its text may quote what we sent; its number is enough. 429 tells to send fewer messages.
        raise Breach("peer_error", f"code {text(section(body, 'parameters'), 'code')[:8]}")

    def _update(self, _body: Json) -> list[Event]:
        self._say("updated", {})
        return []

    def _pause(self) -> list[Event]:
        self._paused = True
        return [FlowControl(stopped=True)]

    def _resume(self) -> list[Event]:
        self._paused = False
        self._to_say += self._held
        self._forget_held()
        return [FlowControl(stopped=False)]

    def _hold(self, blocks: list[bytes]) -> list[str | bytes]:
        for block in blocks:
            self._held.append(block)
            self._held_bytes += len(block)
        while self._held_bytes > MAX_HELD_BYTES:
            self._held_bytes -= len(self._held.popleft())
        return []

    def _forget_held(self) -> None:
        self._held.clear()
        self._held_bytes = 0

    def _leave(self, variables: Mapping[str, str]) -> str:
        self._leaving = True
        self._forget_held()
        return self._write("disconnect", {"reason": "completed", "outputVariables": variables})

    def _say(self, kind: str, parameters: Mapping[str, Any]) -> None:
        self._to_say.append((kind, parameters))

    def _write(self, kind: str, parameters: Mapping[str, Any]) -> str:
        return self._numbers.write(kind, self._session, parameters)
