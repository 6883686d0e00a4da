"""Sample rate conversion of one continuous signal, fed in pieces of any size."""

import numpy as np
import soxr

from media.formats import BYTES_PER_SAMPLE_PCM16

# Rates of telephone and speech audio, with room on both sides. A rate comes from the peer's start message:
# outside this range it is a mistake, and soxr would size its filters by it.
MIN_RATE_HZ = 4_000
MAX_RATE_HZ = 192_000


class StreamResampler:
    """One soxr stream for one signal: an utterance, or a whole call's caller. PCM is mono s16le.

    Output is aligned with the input (within 0.25 ms) and as long (within a sample) once flushed, but comes later:
    soxr holds audio back. Loud input saturates, it never wraps.

    What soxr's block filters hold swings: 12 to 73 ms from 24 to 8 kHz, 12 to 115 ms from 8 to 16 kHz. With `low_delay`
    its variable-rate filter holds a constant 25 and 30 ms, for about three times the cost and a softer edge: from 24 to
    8 kHz, 4.4 kHz is down 74 instead of 86 dB (tests/bench/media.py measures all of it).
    """

    def __init__(self, from_hz: int, to_hz: int, *, low_delay: bool = False) -> None:
        """ValueError when a rate is outside MIN_RATE_HZ .. MAX_RATE_HZ."""
        for rate_hz in (from_hz, to_hz):
            if not MIN_RATE_HZ <= rate_hz <= MAX_RATE_HZ:
                raise ValueError(f"sample rate of {rate_hz} Hz; expected {MIN_RATE_HZ} to {MAX_RATE_HZ}")
        self._from_hz = from_hz
        self._to_hz = to_hz
        self._low_delay = low_delay
        self._stream: soxr.ResampleStream | None = None
        self._odd_byte = b""

    def feed(self, pcm: bytes | memoryview) -> bytes:
        """Return what is ready, often nothing. A sample cut by the end of `pcm` waits for its other byte."""
        if self._odd_byte:
            pcm = self._odd_byte + pcm
            self._odd_byte = b""
        if len(pcm) % BYTES_PER_SAMPLE_PCM16:
            self._odd_byte = bytes(pcm[-1:])
            pcm = pcm[:-1]
        if self._from_hz == self._to_hz or not pcm:
            return bytes(pcm)
        if self._stream is None:
            self._stream = soxr.ResampleStream(
                self._from_hz, self._to_hz, 1, dtype="int16", quality="HQ", vr=self._low_delay
            )
        resampled: bytes = self._stream.resample_chunk(np.frombuffer(pcm, np.int16)).tobytes()
        return resampled

    def flush(self) -> bytes:
        """End the signal and return what soxr held back; a lone odd byte is dropped. The next feed begins a new one."""
        stream = self._stream
        self.reset()
        if stream is None:
            return b""
        held_back: bytes = stream.resample_chunk(np.empty(0, np.int16), last=True).tobytes()
        return held_back

    def reset(self) -> None:
        """Forget the signal so far; the next feed begins a new one."""
        # A stream is cheap to make (20 µs) and soxr's own clear() forgets the rates of a variable-rate one.
        self._stream = None
        self._odd_byte = b""
