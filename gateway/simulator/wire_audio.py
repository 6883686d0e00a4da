"""The caller's and the bot's PCM as a JSON platform writes it: µ-law, A-law or L16, in base64."""

import base64
import binascii
from collections.abc import Callable
from dataclasses import dataclass

from gateway.simulator.dialect import BotAudio, BotMessage, BotViolation
from media.g711 import alaw_to_pcm, pcm_to_alaw, pcm_to_ulaw, ulaw_to_pcm

_Turn = Callable[[bytes], bytes]


def _same(pcm: bytes) -> bytes:
    return pcm


_CODECS: dict[str, tuple[_Turn, _Turn, int]] = {
    "ulaw": (pcm_to_ulaw, ulaw_to_pcm, 1),
    "alaw": (pcm_to_alaw, alaw_to_pcm, 1),
    "l16": (_same, _same, 2),
}


@dataclass(frozen=True, slots=True)
class WireAudio:
    """One direction of a stream; `encoding` is ulaw, alaw or l16 (little-endian)."""

    encoding: str
    rate_hz: int

    def written(self, pcm: bytes) -> str:
        """Return PCM as a payload."""
        return base64.b64encode(_CODECS[self.encoding][0](pcm)).decode("ascii")

    def read(self, payload: object) -> BotMessage:
        """Return a payload's audio, or the violation that it is."""
        _, decode, sample_bytes = _CODECS[self.encoding]
        if not isinstance(payload, str) or not payload:
            return BotViolation("audio without payload")
        try:
            audio = base64.b64decode(payload, validate=True)
        except (binascii.Error, ValueError):
            return BotViolation("a payload that is not base64")
        if len(audio) % sample_bytes:
            return BotViolation(f"a payload of {len(audio)} bytes where a sample has {sample_bytes}")
        return BotAudio(decode(audio))
