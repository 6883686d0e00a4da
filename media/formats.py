"""Audio formats that cross the wire."""

from dataclasses import dataclass
from enum import StrEnum

BYTES_PER_SAMPLE_PCM16 = 2


class Encoding(StrEnum):
    """How one sample is written. All are mono; L16 is signed 16-bit little-endian."""

    ULAW = "ulaw"
    ALAW = "alaw"
    L16 = "l16"

    @property
    def bytes_per_sample(self) -> int:
        return BYTES_PER_SAMPLE_PCM16 if self is Encoding.L16 else 1

    @property
    def silence(self) -> bytes:
        """One sample of digital silence: µ-law 0xFF, A-law 0xD5 (ITU-T G.711 tables 1 and 2), zero for L16."""
        return {Encoding.ULAW: b"\xff", Encoding.ALAW: b"\xd5", Encoding.L16: b"\x00\x00"}[self]


@dataclass(frozen=True, slots=True)
class AudioFormat:
    """Encoding and sample rate of one direction of a call."""

    encoding: Encoding
    rate_hz: int

    def frame_bytes(self, duration_ms: int) -> int:
        """Size of `duration_ms` of audio; 160 for 20 ms of 8 kHz µ-law.

        ValueError when that is not a whole number of samples: rounded frames would drift from the schedule.
        """
        samples, rest = divmod(self.rate_hz * duration_ms, 1000)
        if rest:
            raise ValueError(f"{duration_ms} ms at {self.rate_hz} Hz is not a whole number of samples")
        return samples * self.encoding.bytes_per_sample

    def duration_s(self, size_bytes: int) -> float:
        """How long `size_bytes` of audio plays."""
        return size_bytes / (self.rate_hz * self.encoding.bytes_per_sample)


ULAW_8K = AudioFormat(Encoding.ULAW, 8000)
