"""How the caller's present pause sounds: as an end, or as if more would come."""

from collections.abc import Callable

from gateway.stt.base import STT_RATE_HZ, Prosody
from media.formats import BYTES_PER_SAMPLE_PCM16

# A look at the pause is taken when it is so long: as the model was trained, and once more where it sounded open, for
# a last consonant may have been taken for silence. The words decide soon after.
LOOKS_S = (0.2, 0.3)
# Below it a pause sounds open. Of the recorded callers' whole sentences all but one lie above it at the second look;
# of the pauses after which their words looked whole, and were not, all but one lie below.
SOUNDS_FINAL = 0.75
# What Prosody looks at. 256 kB a call.
_KEEP_BYTES = 8 * STT_RATE_HZ * BYTES_PER_SAMPLE_PCM16


class Pause:
    """Follows one call's audio and pauses; `heard` is called whenever `sounds_final` has become known."""

    def __init__(self, prosody: Prosody, heard: Callable[[], None]) -> None:
        self._prosody = prosody
        self._heard = heard
        self._kept = bytearray()
        self._fed_bytes = 0
        self._looks_bytes: list[int] = []  # still to be taken: when, in bytes fed
        self._asking = False
        self._number = 0
        self.sounds_final: bool | None = None  # None while it is not known

    def feed(self, pcm: bytes) -> None:
        """Take the same audio as the recogniser (16 kHz s16le)."""
        self._kept += pcm
        self._fed_bytes += len(pcm)
        del self._kept[:-_KEEP_BYTES]
        if self._looks_bytes and self._fed_bytes >= self._looks_bytes[0] and not self._asking:
            self._looks_bytes.pop(0)
            self._asking, number = True, self._number
            self._prosody.ask(bytes(self._kept), lambda finality: self._told(number, finality))

    def begun(self, at_s: float) -> None:
        """The caller has been silent since `at_s`."""
        self.over()
        rate = STT_RATE_HZ * BYTES_PER_SAMPLE_PCM16
        self._looks_bytes = [round(rate * (at_s + look_s)) for look_s in LOOKS_S]

    def over(self) -> None:
        """The caller speaks again, or the turn is decided: what is still to come about the pause counts no more."""
        self._number += 1
        self._looks_bytes = []
        self._asking = False
        self.sounds_final = None

    def _told(self, number: int, finality: float) -> None:
        if number != self._number:
            return
        self._asking = False
        self.sounds_final = finality >= SOUNDS_FINAL
        if self.sounds_final:
            self._looks_bytes = []
        self._heard()
