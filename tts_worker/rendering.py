"""One request's audio on its way out: pieces joined, in the client's rate and encoding, cut into wire frames."""

from collections.abc import Iterator
from dataclasses import replace

from media.formats import BYTES_PER_SAMPLE_PCM16, Encoding
from media.g711 import pcm_to_alaw, pcm_to_ulaw
from media.resample import StreamResampler
from media.tts_wire import MAX_AUDIO_FRAME_BYTES, TAG_BYTES, Word
from tts_worker.engine import PieceAudio

# Whole samples, and room for the tag of a tagged frame.
MAX_FRAME_PCM_BYTES = (MAX_AUDIO_FRAME_BYTES - TAG_BYTES) // BYTES_PER_SAMPLE_PCM16 * BYTES_PER_SAMPLE_PCM16


class Rendering:
    """The audio of one request at `rate_hz`, in `encoding`. Feed every piece in order, then flush once."""

    def __init__(self, engine_rate_hz: int, rate_hz: int, encoding: Encoding = Encoding.L16) -> None:
        self.rate_hz = rate_hz
        self.encoding = encoding
        self._engine_rate_hz = engine_rate_hz
        self._resampler = StreamResampler(engine_rate_hz, rate_hz)
        self._samples_in = 0
        self._samples_out = 0

    @property
    def samples(self) -> int:
        """Samples returned so far."""
        return self._samples_out

    @property
    def duration_s(self) -> float:
        return self._samples_out / self.rate_hz

    def seconds(self, audio: bytes) -> float:
        """Return how long a part of what was returned sounds."""
        return len(audio) / (self.encoding.bytes_per_sample * self.rate_hz)

    def feed(self, piece: PieceAudio) -> tuple[list[Word], bytes]:
        """Return the piece's words, timed from the start of the request, and the audio that is ready."""
        begins_s = self._samples_in / self._engine_rate_hz
        self._samples_in += len(piece.pcm) // BYTES_PER_SAMPLE_PCM16
        words = [replace(w, start_s=begins_s + w.start_s, end_s=begins_s + w.end_s) for w in piece.words]
        return words, self._count(self._resampler.feed(piece.pcm))

    def flush(self) -> bytes:
        """Return the audio the resampler held back."""
        return self._count(self._resampler.flush())

    def _count(self, pcm: bytes) -> bytes:
        self._samples_out += len(pcm) // BYTES_PER_SAMPLE_PCM16
        if self.encoding is Encoding.ULAW:
            return pcm_to_ulaw(pcm)
        return pcm_to_alaw(pcm) if self.encoding is Encoding.ALAW else pcm


def frames(pcm: bytes) -> Iterator[bytes]:
    """Cut audio into pieces that fit one wire frame, none of them empty."""
    for begin in range(0, len(pcm), MAX_FRAME_PCM_BYTES):
        yield pcm[begin : begin + MAX_FRAME_PCM_BYTES]
