"""How the caller's present pause sounds: as an end, or as if more would come."""

from collections.abc import Callable

from gateway.stt.base import STT_RATE_HZ, Prosody
from media.formats import BYTES_PER_SAMPLE_PCM16

# A look at the pause is taken when it is so long: as the model was trained, and once more where it sounded open, for
# a last consonant may have been taken for silence. The words decide soon after.
LOOKS_S = (0.2, 0.3)
# Below it a pause sounds open. Of the recorded callers' whole sentences nine in ten lie above it at one of the looks; a
# few milliseconds more or less move the model's answer by 0.1 where it is not sure.
SOUNDS_FINAL = 0.85
# What Prosody looks at: the utterance, and so much before it. 256 kB a call.
_KEEP_S = 8
_BEFORE_S = 0.3


def _to_bytes(seconds: float) -> int:
    return round(seconds * STT_RATE_HZ) * BYTES_PER_SAMPLE_PCM16


class Pause:
    """Follows one call's audio and pauses; `heard` is called whenever `sounds_final` has become known."""

    def __init__(self, prosody: Prosody, heard: Callable[[], None]) -> None:
        self._prosody = prosody
        self._heard = heard
        self._kept = bytearray()
        self._fed_bytes = 0
        self._from_bytes: int | None = None  # where the utterance begins
        self._looks_bytes: list[int] = []  # still to be taken: when, in bytes fed
        self._asking = False
        self._number = 0
        self.sounds_final: bool | None = None  # None while it is not known

    def feed(self, pcm: bytes) -> None:
        """Take the same audio as the recogniser (16 kHz s16le)."""
        self._kept += pcm
        self._fed_bytes += len(pcm)
        del self._kept[: -_to_bytes(_KEEP_S)]
        if self._looks_bytes and self._fed_bytes >= self._looks_bytes[0] and not self._asking:
            self._looks_bytes.pop(0)
            self._ask()

    def speech(self, at_s: float) -> None:
        """The caller has begun to speak, or goes on: what is still to come about the last pause counts no more."""
        self._forget()
        if self._from_bytes is None:
            self._from_bytes = max(0, _to_bytes(at_s - _BEFORE_S))

    def silence(self, at_s: float) -> None:
        """The caller has been silent since `at_s`."""
        self._forget()
        self._looks_bytes = [_to_bytes(at_s + look_s) for look_s in LOOKS_S]

    def decided(self) -> None:
        """The utterance is over."""
        self._forget()
        self._from_bytes = None

    def _forget(self) -> None:
        self._number += 1
        self._looks_bytes = []
        self._asking = False
        self.sounds_final = None

    def _ask(self) -> None:
        self._asking, number = True, self._number
        begin = self._fed_bytes - len(self._kept)
        utterance = self._kept[max(0, (self._from_bytes or 0) - begin) :]
        self._prosody.ask(bytes(utterance), lambda finality: self._told(number, finality))

    def _told(self, number: int, finality: float) -> None:
        if number != self._number:
            return
        self._asking = False
        self.sounds_final = finality >= SOUNDS_FINAL
        if self.sounds_final:
            self._looks_bytes = []
        self._heard()
