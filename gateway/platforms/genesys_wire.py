"""What is in a Genesys AudioHook message: the offered media, and the server's messages with their numbers."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gateway.platforms.byte_order import ByteOrder
from gateway.platforms.json_stream import Breach, Json, integer
from media.formats import AudioFormat, Encoding

RATE_HZ = 8000
# Of the six ways media can be offered; a peer that sends more is not read to the end.
MAX_OFFERS = 16

_ENCODINGS = {"PCMU": Encoding.ULAW, "L16": Encoding.L16}
# Best first. A bot hears the caller, "external"; with both channels it takes every other sample.
_WANTED = (
    ("PCMU", ("external",)),
    ("PCMU", ("external", "internal")),
    ("L16", ("external",)),
    ("L16", ("external", "internal")),
)


@dataclass(frozen=True, slots=True)
class Media:
    """The offer that was taken."""

    name: str
    channels: tuple[str, ...]

    @property
    def format(self) -> AudioFormat:
        """One channel of it."""
        return AudioFormat(_ENCODINGS[self.name], RATE_HZ)

    def as_json(self) -> dict[str, Any]:
        return {"type": "audio", "format": self.name, "channels": list(self.channels), "rate": RATE_HZ}

    def caller(self, audio: bytes, order: ByteOrder) -> bytes:
        """The caller's channel, L16 as little-endian; a Breach unless all channels are whole."""
        size = self.format.encoding.bytes_per_sample
        step = size * len(self.channels)
        if len(audio) % step:
            raise Breach("odd_payload", f"{len(audio)} bytes, samples of all channels have {step}")
        if step > size:
            own = bytearray(len(audio) // len(self.channels))
            for byte in range(size):
                own[byte::size] = audio[byte::step]
            audio = bytes(own)
        return order.turned(audio, self.format)


def choose(offers: object) -> Media | None:
    """The best offer of `open`, None when no audio is offered; a Breach when none of the offers can be taken."""
    if offers is None or offers == []:
        return None
    if not isinstance(offers, list):
        raise Breach("bad_field", "media is no list")
    offered = {_offer(entry) for entry in offers[:MAX_OFFERS]}
    for name, channels in _WANTED:
        if (name, channels) in offered:
            return Media(name, channels)
    raise Breach("unsupported_format", f"none of {len(offers)} offers is PCMU or L16 at {RATE_HZ} Hz")


def _offer(entry: object) -> tuple[str, tuple[str, ...]] | None:
    """An offer's format and channels; None for one that cannot be read, since a better one may stand beside it."""
    if not isinstance(entry, dict) or entry.get("type") != "audio":
        return None
    channels, name = entry.get("channels"), entry.get("format")
    if not isinstance(channels, list) or not all(isinstance(channel, str) for channel in (*channels, name)):
        return None
    try:
        return (str(name), tuple(channels)) if integer(entry, "rate", RATE_HZ) == RATE_HZ else None
    except Breach:
        return None


class Numbers:
    """The sequence numbers of both sides: each counts its own from 1, without a gap."""

    def __init__(self) -> None:
        self._ours = 0
        self._theirs = 0

    def take(self, body: Json) -> None:
        """Count a message of the client; a fatal Breach when it is out of order or confirms what was not sent."""
        number, confirmed = integer(body, "seq", 0), integer(body, "serverseq", 0)
        if number != self._theirs + 1:
            raise Breach("bad_sequence", f"seq {number} after {self._theirs}", fatal=True)
        if not 0 <= confirmed <= self._ours:
            raise Breach("bad_sequence", f"serverseq {confirmed} where {self._ours} were sent", fatal=True)
        self._theirs = number

    def write(self, kind: str, session: str, parameters: Mapping[str, Any]) -> str:
        """The next message of ours."""
        self._ours += 1
        head = {"version": "2", "type": kind, "id": session, "seq": self._ours, "clientseq": self._theirs}
        return json.dumps({**head, "parameters": parameters}, separators=(",", ":"))
