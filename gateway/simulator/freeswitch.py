"""FreeSWITCH's side: mod_audio_fork or mod_audio_stream, and the small application beside it that obeys their events.

Written from the modules' own pages. Neither module plays, hangs up or moves anything by itself, so an application
does: it plays each piece of audio behind the one before, and stops on killAudio.
"""

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Any, Literal

from gateway.simulator.basic import basic_headers
from gateway.simulator.dialect import (
    BotAudio,
    BotClear,
    BotDigits,
    BotHangUp,
    BotMessage,
    BotTransfer,
    BotViolation,
    Dialect,
    Traits,
)
from gateway.simulator.failure import CallFailed
from gateway.simulator.ringing import CALLED, CALLER, Door, Reply, Webhook, numbered_uuid

Module = Literal["fork", "stream"]
# Kind of the audio message, and its keys for type and audio.
_AUDIO: Mapping[Module, tuple[str, str, str]] = {
    "fork": ("playAudio", "audioContentType", "audioContent"),
    "stream": ("streamAudio", "audioDataType", "audioData"),
}
_RATES_HZ = {"8k": 8_000, "16k": 16_000}
SUBPROTOCOL = "audio.drachtio.org"


class FreeSwitchDialect(Dialect):
    """The messages of one stream; `metadata` is what the module was started with."""

    traits = Traits(clear_returns_marks=False, marks=False)

    def __init__(self, metadata: Mapping[str, Any], rate_hz: int, module: Module = "fork") -> None:
        self._metadata = dict(metadata)
        self._rate_hz = rate_hz
        self._module: Module = module

    @property
    def rate_hz(self) -> int:
        return self._rate_hz

    def opening(self) -> list[str | bytes]:
        return [json.dumps(self._metadata)]

    def audio(self, pcm: bytes) -> list[str | bytes]:
        return [pcm]

    def digit(self, digit: str) -> list[str | bytes]:
        """What the application sends with send_text when a key is pressed."""
        return [json.dumps({"type": "dtmf", "digit": digit})]

    def mark(self, name: str) -> list[str | bytes]:
        """There are none."""
        return []

    def stop(self) -> list[str | bytes]:
        """The module says nothing; the socket closes."""
        return []

    def receive(self, message: str | bytes) -> BotMessage:
        if isinstance(message, bytes):
            return BotViolation("half a sample") if len(message) % 2 else BotAudio(message)
        try:
            body = json.loads(message)
        except ValueError:
            body = None
        if not isinstance(body, dict):
            return BotViolation("text that is no JSON object")
        kind, data = body.get("type"), body.get("data", {})
        if kind == _AUDIO[self._module][0]:
            return self._played(data)
        if kind == "killAudio":
            return BotClear()
        if kind == "disconnect":
            return BotHangUp()
        if kind == "transfer" and isinstance(data, dict):
            return BotTransfer(str(data.get("target")))
        if kind == "sendDigits" and isinstance(data, dict):
            return BotDigits(str(data.get("digits")))
        return BotViolation(f"no event of the module or the application: {kind!r:.40}")

    def _played(self, data: object) -> BotMessage:
        _, type_key, audio_key = _AUDIO[self._module]
        if not isinstance(data, dict) or data.get(type_key) != "raw" or data.get("sampleRate") != self._rate_hz:
            return BotViolation("audio that is not raw, or of another rate")
        try:
            pcm = base64.b64decode(data.get(audio_key, "?"), validate=True)
        except (binascii.Error, ValueError, TypeError):
            return BotViolation("audio that is not base64")
        return BotAudio(pcm) if pcm and len(pcm) % 2 == 0 else BotViolation("no audio, or half a sample")


class FreeSwitchRinging:
    """A call whose application asks the webhook with JSON and starts the module; `secret` is its user:password."""

    rate_hz = 8_000

    def __init__(self, seed: str, secret: str, module: Module = "fork") -> None:
        self._seed = seed
        self._secret = secret
        self._module: Module = module
        self._ordered_hz = self.rate_hz
        self._metadata: Mapping[str, Any] = {}

    @property
    def call_id(self) -> str:
        return numbered_uuid(self._seed)

    def ask(self, base: str) -> Webhook:
        body = json.dumps({"call_uuid": self.call_id, "from": CALLER, "to": CALLED}).encode()
        return Webhook("POST", f"{base}/freeswitch/voice", basic_headers(self._secret), body, "application/json")

    def door(self, base: str, reply: Reply | None) -> Door:
        order = read_answer(reply.text if reply else "")
        self._ordered_hz = _RATES_HZ.get(str(order.get("rate")), 0)
        metadata = order.get("metadata")
        if not self._ordered_hz or not isinstance(metadata, dict):
            raise CallFailed("bad_answer", "the webhook's answer has no rate of 8k or 16k, or no metadata")
        self._metadata = {"call_uuid": self.call_id, **metadata}
        subprotocols = (SUBPROTOCOL,) if self._module == "fork" else ()
        return Door(str(order["url"]), basic_headers(self._secret), subprotocols)

    def dialect(self) -> Dialect:
        return FreeSwitchDialect(self._metadata, self._ordered_hz, self._module)


def read_answer(document: str) -> Mapping[str, Any]:
    """The order in the answer; CallFailed when it leads to no socket."""
    try:
        order = json.loads(document)
    except ValueError as error:
        raise CallFailed("bad_answer", f"the webhook's answer is not JSON ({error})") from error
    if isinstance(order, dict) and "reject" in order:
        raise CallFailed("rejected", f"the gateway turned the call away: {order['reject']}")
    if not isinstance(order, dict) or not str(order.get("url", "")).startswith(("ws://", "wss://")):
        raise CallFailed("bad_answer", "the webhook's answer has no socket's url")
    return order
