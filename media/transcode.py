"""Between the wire's audio and PCM: one object for each direction of a call.

Each owns its companding, resampler and framer, so that what leaves is always whole samples (in) or exactly
whole frames (out). PCM is mono s16le; payloads and pieces may have any size.
"""

from collections.abc import Callable
from typing import Final

from media.formats import AudioFormat, Encoding
from media.framing import Framer
from media.g711 import alaw_to_pcm, pcm_to_alaw, pcm_to_ulaw, ulaw_to_pcm
from media.resample import StreamResampler

_Companding = Callable[[bytes], bytes]
# L16 is missing: its payload is PCM already.
_EXPAND: Final[dict[Encoding, _Companding]] = {Encoding.ULAW: ulaw_to_pcm, Encoding.ALAW: alaw_to_pcm}
_COMPAND: Final[dict[Encoding, _Companding]] = {Encoding.ULAW: pcm_to_ulaw, Encoding.ALAW: pcm_to_alaw}


class Inbound:
    """Wire payloads of one call to PCM at `to_hz`, as one unbroken signal from the first payload to the last."""

    def __init__(self, wire_format: AudioFormat, to_hz: int) -> None:
        """ValueError when a rate is outside what StreamResampler takes."""
        self._expand = _EXPAND.get(wire_format.encoding)
        self._resampler = StreamResampler(wire_format.rate_hz, to_hz)

    def feed(self, payload: bytes) -> bytes:
        """Return the PCM that is ready; when rates differ it lags by 3 ms, at odd ratios by up to 30."""
        return self._resampler.feed(self._expand(payload) if self._expand else payload)

    def flush(self) -> bytes:
        """Return the last PCM; the next feed begins a new signal."""
        return self._resampler.flush()

    def reset(self) -> None:
        """Forget the signal so far."""
        self._resampler.reset()


class Outbound:
    """PCM of utterances at `from_hz` to exact wire frames. One utterance is what is fed between two flushes."""

    def __init__(self, from_hz: int, wire_format: AudioFormat, frame_ms: int) -> None:
        """ValueError when a rate is out of range, or `frame_ms` is not a whole number of wire samples."""
        self._compand = _COMPAND.get(wire_format.encoding)
        self._bytes_per_sample = wire_format.encoding.bytes_per_sample
        self._frame_bytes = wire_format.frame_bytes(frame_ms)
        self._resampler = StreamResampler(from_hz, wire_format.rate_hz)
        self._framer = Framer(self._frame_bytes, wire_format.encoding.silence)
        self._ended = False
        self._sound_samples = 0
        self._padding_samples = 0

    @property
    def sound_samples(self) -> int:
        """Wire samples of sound so far in this utterance, or, after flush, in the one that ended."""
        return self._sound_samples

    @property
    def padding_samples(self) -> int:
        """Wire samples of silence that fill the ended utterance's last frame; 0 before flush."""
        return self._padding_samples

    def feed(self, pcm: bytes | memoryview) -> list[bytes]:
        """Return the frames that became whole, often none: the framer holds back part of a frame."""
        if self._ended:
            self._begin()
        return self._frame(self._resampler.feed(pcm))

    def flush(self) -> list[bytes]:
        """End the utterance: everything held back comes out, the last frame padded with the codec's silence.

        Nothing comes when nothing was fed. The next feed begins the next utterance.
        """
        if self._ended:
            self._begin()
        frames = self._frame(self._resampler.flush())
        if self._framer.pending_bytes:
            missing_bytes = self._frame_bytes - self._framer.pending_bytes
            self._padding_samples = missing_bytes // self._bytes_per_sample
        self._ended = True
        return frames + self._framer.flush()

    def reset(self) -> None:
        """Drop the utterance so far; the next feed begins the next one."""
        self._resampler.reset()
        self._framer.reset()
        self._begin()

    def _begin(self) -> None:
        self._ended = False
        self._sound_samples = 0
        self._padding_samples = 0

    def _frame(self, pcm: bytes) -> list[bytes]:
        payload = self._compand(pcm) if self._compand else pcm
        self._sound_samples += len(payload) // self._bytes_per_sample
        return self._framer.feed(payload)
