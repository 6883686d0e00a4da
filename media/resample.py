"""Sample rate conversion of one continuous signal, fed in pieces of any size."""

import numpy as np
import soxr

from media.formats import BYTES_PER_SAMPLE_PCM16
from media.polyphase import Polyphase, Samples, has_simple_ratio

# Rates of telephone and speech audio, with room on both sides. A rate comes from the peer's start message:
# outside this range it is a mistake, and soxr would size its filters by it.
MIN_RATE_HZ = 4_000
MAX_RATE_HZ = 192_000


class StreamResampler:
    """One stream for one signal: an utterance, or a whole call's caller. PCM is mono s16le.

    Output is aligned with the input (within 0.25 ms) and as long (within a sample) once flushed, but comes later: by
    3 ms where the rates have a simple ratio (polyphase.py), else by up to 30 ms (soxr with a variable rate; its block
    filters would hold up to 115 ms). Loud input saturates, it never wraps. tests/bench/media.py measures all of it.
    """

    def __init__(self, from_hz: int, to_hz: int) -> None:
        """ValueError when a rate is outside MIN_RATE_HZ .. MAX_RATE_HZ."""
        for rate_hz in (from_hz, to_hz):
            if not MIN_RATE_HZ <= rate_hz <= MAX_RATE_HZ:
                raise ValueError(f"sample rate of {rate_hz} Hz; expected {MIN_RATE_HZ} to {MAX_RATE_HZ}")
        self._from_hz = from_hz
        self._to_hz = to_hz
        self._signal: Polyphase | _Soxr | None = None
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
        if self._signal is None:
            simple = has_simple_ratio(self._from_hz, self._to_hz)
            self._signal = (Polyphase if simple else _Soxr)(self._from_hz, self._to_hz)
        return self._signal.feed(np.frombuffer(pcm, np.int16)).tobytes()

    def flush(self) -> bytes:
        """End the signal and return what was held back; a lone odd byte is dropped. The next feed begins a new one."""
        signal = self._signal
        self.reset()
        return b"" if signal is None else signal.flush().tobytes()

    def reset(self) -> None:
        """Forget the signal so far; the next feed begins a new one."""
        self._signal = None
        self._odd_byte = b""


class _Soxr:
    """One signal at any ratio."""

    def __init__(self, from_hz: int, to_hz: int) -> None:
        self._stream = soxr.ResampleStream(from_hz, to_hz, 1, dtype="int16", quality="HQ", vr=True)

    def feed(self, samples: Samples) -> Samples:
        resampled: Samples = self._stream.resample_chunk(samples)
        return resampled

    def flush(self) -> Samples:
        held_back: Samples = self._stream.resample_chunk(np.empty(0, np.int16), last=True)
        return held_back
