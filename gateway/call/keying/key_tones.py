"""Keys that are heard in the caller's audio, where the platform does not report them."""

from gateway.call.keying.keypad import Listening
from media.dtmf import DETECTOR_RATE_HZ, DtmfDetector
from media.formats import AudioFormat
from media.transcode import Inbound


class KeyTones:
    """One call's detector."""

    def __init__(self, wire_format: AudioFormat) -> None:
        self._inbound = Inbound(wire_format, DETECTOR_RATE_HZ)
        self._detector = DtmfDetector()
        self._silence = wire_format.encoding.silence
        self.pressed = ""

    def take(self, payload: bytes) -> bytes:
        """Find keys in audio of the wire: they are in `pressed` until the next piece.

        Return what the recogniser is to hear: a key is no word, so silence while one sounds.
        """
        self.pressed = self._detector.feed(self._inbound.feed(payload))
        if not self._detector.sounding:
            return payload
        return self._silence * (len(payload) // len(self._silence))


def key_tones(listening: Listening, digits_in: bool, wire_format: AudioFormat) -> KeyTones | None:
    """The detector of a call whose platform reports keys (`digits_in`) or not; None where it has nothing to do."""
    wanted = listening is Listening.ALWAYS or (listening is Listening.AUTO and not digits_in)
    return KeyTones(wire_format) if wanted else None
