"""Genesys' side of AudioHook v2 for an Audio Connector, written from its documentation and its reference client.

Strict where Genesys is: numbers without a gap, nothing but `opened` before `opened`, blocks below 64,000 bytes, and
not many of them.
"""

import base64
import hashlib
import hmac
import json
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from gateway.simulator.dialect import (
    BotAudio,
    BotClear,
    BotControl,
    BotHangUp,
    BotMessage,
    BotTransfer,
    BotViolation,
    Dialect,
    Traits,
)
from gateway.simulator.ringing import CALLED, CALLER, Door, Reply, Webhook, numbered_uuid, pair_of, websocket
from media.g711 import pcm_to_ulaw, ulaw_to_pcm

RATE_HZ = 8000
TICK_S = 0.02
# The reference client sends 200 ms in a message.
BLOCK_SAMPLES = 1600
MAX_BLOCK_BYTES = 64_000
# Beyond some rate Genesys answers 429. Its limit is not documented; five a second is advised, four times as much for
# a burst after a pause is taken here.
MAX_BLOCKS_A_SECOND = 20
FIRST_PING_S = 1.0
PING_EVERY_S = 5.0
_SILENCE = 0xFF  # of µ-law
_OFFERS: tuple[dict[str, Any], ...] = tuple(
    {"type": "audio", "format": "PCMU", "channels": channels, "rate": RATE_HZ}
    for channels in (["external", "internal"], ["external"], ["internal"])
)


class GenesysDialect(Dialect):
    """One session. `outputs` are the variables that the flow was given with a disconnect."""

    traits = Traits(clear_returns_marks=False, marks=False)
    rate_hz = RATE_HZ

    def __init__(
        self, organization: str, conversation: str, session: str, inputs: Mapping[str, str] | None = None
    ) -> None:
        self._organization = organization
        self._conversation = conversation
        self._session = session
        self._inputs = dict(inputs or {})
        self._ours = 0
        self._theirs = 0
        self._opened = False
        self._leaving = False
        self._samples = 0  # sent, which is the position
        self._channels: list[str] = []
        self._pending = b""
        self._ticks = 0
        self._next_ping_s = FIRST_PING_S
        self._playing = False
        self._blocks: deque[int] = deque()  # ticks at which the bot's recent audio came
        self.outputs: Mapping[str, str] = {}

    def opening(self) -> list[str | bytes]:
        participant = {"id": numbered_uuid(self._session, 5), "ani": CALLER, "aniName": "Test", "dnis": CALLED}
        parameters: dict[str, Any] = {
            "organizationId": self._organization,
            "conversationId": self._conversation,
            "participant": participant,
            "media": list(_OFFERS),
        }
        return [self._message("open", {**parameters, "inputVariables": self._inputs} if self._inputs else parameters)]

    def audio(self, pcm: bytes) -> list[str | bytes]:
        if not self._opened:
            return []
        self._pending += pcm_to_ulaw(pcm)
        if len(self._pending) < BLOCK_SAMPLES:
            return []
        block, self._pending = self._pending[:BLOCK_SAMPLES], self._pending[BLOCK_SAMPLES:]
        self._samples += len(block)
        # The bot's own voice, the internal channel, is silence here: no bot should listen to itself.
        return [bytes(byte for sample in block for byte in self._interleaved(sample))]

    def digit(self, digit: str) -> list[str | bytes]:
        return [self._message("dtmf", {"digit": digit})]

    def mark(self, name: str) -> list[str | bytes]:
        """There are none."""
        return []

    def stop(self) -> list[str | bytes]:
        return [self._message("close", {"reason": "end"})]

    def tick(self, queued_s: float) -> list[str | bytes]:
        """Pings, and when the bot's audio begins and ends."""
        self._ticks += 1
        said: list[str | bytes] = []
        if self._opened and self._ticks * TICK_S >= self._next_ping_s:
            self._next_ping_s += PING_EVERY_S
            said.append(self._message("ping", {"rtt": "PT0.0026S"}))
        if self._playing != (queued_s > 0):
            self._playing = queued_s > 0
            said.append(self._message("playback_started" if self._playing else "playback_completed", {}))
        return said

    def receive(self, message: str | bytes) -> BotMessage:
        if not isinstance(message, str):
            return self._block(message)
        try:
            body = json.loads(message)
        except ValueError:
            return BotViolation("405: text that is not JSON")
        parameters = body.get("parameters") if isinstance(body, dict) else None
        if not isinstance(parameters, dict) or body.get("version") != "2" or body.get("id") != self._session:
            return BotViolation("400: a message without parameters, of another version or session")
        self._theirs += 1
        if body.get("seq") != self._theirs or body.get("clientseq") not in range(self._ours + 1):
            return BotViolation(f"400: seq {body.get('seq')!r:.20} where {self._theirs} is due")
        return self._act(str(body.get("type")), parameters)

    def _act(self, kind: str, parameters: Mapping[str, Any]) -> BotMessage:
        if kind == "opened":
            media = parameters.get("media")
            if isinstance(media, list) and len(media) == 1 and media[0] in _OFFERS and not self._opened:
                self._opened, self._channels = True, media[0]["channels"]
                return BotControl()
            return BotViolation("400: opened twice, or without one of the media offered")
        if kind == "closed":
            return BotControl()
        if not self._opened or self._leaving:
            return BotViolation(f"409: {kind:.20} before opened or after disconnect")
        if kind in ("pong", "updated"):
            return BotControl()
        if kind == "disconnect":
            return self._disconnected(parameters)
        entities = parameters.get("entities")
        if kind == "event" and entities == [{"type": "barge_in", "data": {}}]:
            return BotClear()
        return BotViolation(f"405: {kind:.20} is not understood")

    def _disconnected(self, parameters: Mapping[str, Any]) -> BotMessage:
        outputs = parameters.get("outputVariables", {})
        if parameters.get("reason") not in ("completed", "unauthorized", "error") or not isinstance(outputs, dict):
            return BotViolation("400: a disconnect without a known reason")
        self._leaving = True
        self.outputs = outputs
        if outputs.get("action") == "transfer":
            return BotTransfer(str(outputs.get("target")))
        return BotHangUp((self._message("close", {"reason": "disconnect"}),))

    def _block(self, audio: bytes) -> BotMessage:
        if not self._opened or self._leaving:
            return BotViolation("409: audio before opened or after disconnect")
        if not 0 < len(audio) <= MAX_BLOCK_BYTES:
            return BotViolation(f"413: {len(audio)} bytes of audio in a message")
        self._blocks.append(self._ticks)
        while (self._ticks - self._blocks[0]) * TICK_S >= 1.0:
            self._blocks.popleft()
        if len(self._blocks) > MAX_BLOCKS_A_SECOND:
            return BotViolation("429: too many messages of audio")
        return BotAudio(ulaw_to_pcm(audio))

    def _interleaved(self, sample: int) -> list[int]:
        return [sample if channel == "external" else _SILENCE for channel in self._channels]

    def _message(self, kind: str, parameters: Mapping[str, Any]) -> str:
        self._ours += 1
        position = f"PT{self._samples / RATE_HZ:.6f}".rstrip("0").rstrip(".") + "S"
        head = {"version": "2", "type": kind, "id": self._session, "seq": self._ours, "serverseq": self._theirs}
        return json.dumps({**head, "position": position, "parameters": parameters})


class GenesysRinging:
    """A flow that starts the bot; `secret` is the connector's "API key:client secret", the latter in base64."""

    rate_hz = RATE_HZ

    def __init__(self, seed: str, secret: str, now: Callable[[], float] = time.time) -> None:
        self._key, self._client_secret = pair_of(secret)
        self._now = now
        self._organization, self._session, self._correlation, self._conversation = (
            numbered_uuid(seed, number) for number in range(4)
        )

    @property
    def call_id(self) -> str:
        return self._conversation

    def ask(self, base: str) -> Webhook | None:
        """Genesys asks nobody."""
        return None

    def door(self, base: str, reply: Reply | None) -> Door:
        url = f"{websocket(base)}/genesys/stream"
        headers = {
            "Audiohook-Organization-Id": self._organization,
            "Audiohook-Session-Id": self._session,
            "Audiohook-Correlation-Id": self._correlation,
        }
        if not self._key:
            return Door(url, headers)
        headers["X-API-KEY"] = self._key
        nonce = base64.b64encode(hashlib.sha256(self._session.encode()).digest()[:18]).decode()
        return Door(url, {**headers, **sign(self._client_secret, url, headers, nonce, int(self._now()))})

    def dialect(self) -> Dialect:
        return GenesysDialect(self._organization, self._conversation, self._session)


def sign(client_secret: str, url: str, headers: Mapping[str, str], nonce: str, created_s: int) -> dict[str, str]:
    """The two headers that sign an upgrade."""
    authority, _, target = url.partition("://")[2].partition("/")
    lines = {"@request-target": f"/{target}", "@authority": authority.lower()}
    lines |= {name.lower(): value for name, value in headers.items()}
    names = " ".join(f'"{name}"' for name in lines)
    parameters = f'({names});keyid="{headers["X-API-KEY"]}";nonce="{nonce}";alg="hmac-sha256"'
    parameters += f";created={created_s};expires={created_s + 10}"
    text = "\n".join(f'"{name}": {value}' for name, value in {**lines, "@signature-params": parameters}.items())
    digest = hmac.new(base64.b64decode(client_secret), text.encode(), hashlib.sha256).digest()
    return {"Signature-Input": f"sig1={parameters}", "Signature": f"sig1=:{base64.b64encode(digest).decode()}:"}
