"""What an HTTP answer wraps around audio: WAV, MP3, or nothing, and the event stream of the public sample's clients."""

import base64
import json
import struct
from typing import Any, Protocol

from media.formats import BYTES_PER_SAMPLE_PCM16, Encoding
from media.tts_wire import ErrorCode, WireError

# The `format` field: how its samples are written inside.
FORMATS = {
    "wav": Encoding.L16,
    "pcm": Encoding.L16,
    "mp3": Encoding.L16,
    "ulaw": Encoding.ULAW,
    "alaw": Encoding.ALAW,
}
# Mono speech is transparent at this rate; 24 kHz PCM has eight times as much.
MP3_KBPS = 48
# LAME's 2 is its best that is still far faster than speech is made.
_MP3_QUALITY = 2
_MEDIA_TYPES = {"pcm": "audio/pcm", "ulaw": "audio/basic", "alaw": "audio/x-alaw-basic"}
# RIFF/WAVE, one fmt chunk (PCM, mono, 16 bit), the head of the data chunk.
_WAV_HEADER = struct.Struct("<4sI4s4sIHHIIHH4sI")
_WAV_OVERHEAD_BYTES = _WAV_HEADER.size - 8
# Both sizes of a WAV whose length is not known yet.
_UNKNOWN_SIZE = 0xFFFFFFFF


class Container(Protocol):
    """One answer's wrapping, used once: `begin`, `feed` all audio, `flush`. Any of them may return nothing."""

    media_type: str

    def begin(self, size_bytes: int | None) -> bytes:
        """Return what comes before `size_bytes` of audio; None when the length is not known yet."""
        ...

    def feed(self, audio: bytes) -> bytes: ...

    def flush(self) -> bytes:
        """Return what comes after the audio."""
        ...


def container(form: str, rate_hz: int) -> Container:
    """Return a new container of one of FORMATS; WireError when MP3's encoder is not installed."""
    if form == "wav":
        return Wav(rate_hz)
    return Mp3(rate_hz) if form == "mp3" else Bare(_MEDIA_TYPES[form])


class Bare:
    """Nothing around the samples."""

    def __init__(self, media_type: str) -> None:
        self.media_type = media_type

    def begin(self, size_bytes: int | None) -> bytes:
        return b""

    def feed(self, audio: bytes) -> bytes:
        return audio

    def flush(self) -> bytes:
        return b""


class Wav(Bare):
    """44 bytes in front of mono PCM; without a length both its sizes are 0xFFFFFFFF."""

    def __init__(self, rate_hz: int) -> None:
        super().__init__("audio/wav")
        self._rate_hz = rate_hz

    def begin(self, size_bytes: int | None) -> bytes:
        sizes = (_UNKNOWN_SIZE, _UNKNOWN_SIZE) if size_bytes is None else (_WAV_OVERHEAD_BYTES + size_bytes, size_bytes)
        bytes_per_s = self._rate_hz * BYTES_PER_SAMPLE_PCM16
        fmt = (b"fmt ", 16, 1, 1, self._rate_hz, bytes_per_s, BYTES_PER_SAMPLE_PCM16, 8 * BYTES_PER_SAMPLE_PCM16)
        return _WAV_HEADER.pack(b"RIFF", sizes[0], b"WAVE", *fmt, b"data", sizes[1])


class Mp3:
    """48 kbit/s mono by LAME. The encoder holds back up to a tenth of a second, which `flush` returns."""

    media_type = "audio/mpeg"

    def __init__(self, rate_hz: int) -> None:
        try:
            import lameenc
        except ImportError as error:
            remedy = 'install it with pip install -c constraints.txt -e ".[mp3]", or ask for wav'
            raise WireError(ErrorCode.BAD_FIELD, f'"format" mp3 needs an encoder on the worker; {remedy}') from error
        self._encoder: Any = lameenc.Encoder()
        self._encoder.set_bit_rate(MP3_KBPS)
        self._encoder.set_in_sample_rate(rate_hz)
        self._encoder.set_channels(1)
        self._encoder.set_quality(_MP3_QUALITY)
        self._encoder.silence()
        self._has_audio = False

    def begin(self, size_bytes: int | None) -> bytes:
        return b""

    def feed(self, audio: bytes) -> bytes:
        self._has_audio = self._has_audio or bool(audio)
        return bytes(self._encoder.encode(audio)) if audio else b""

    def flush(self) -> bytes:
        # LAME cannot end what never began, and players take no bytes at all for a fault: one silent sample.
        begun = b"" if self._has_audio else self._encoder.encode(bytes(BYTES_PER_SAMPLE_PCM16))
        return bytes(begun + self._encoder.flush())


class EventStream:
    """Server-sent events with audio in base64 around another container: a third more bytes, for clients that need it.

    Event names as in the public sample: audio_stream_start, audio_chunk, audio_stream_end, error.
    """

    media_type = "text/event-stream"

    def __init__(self, inner: Container, **facts: Any) -> None:
        """`facts` are the fields of audio_stream_start."""
        self._inner = inner
        self._facts = facts
        self._chunks = 0

    def begin(self, size_bytes: int | None) -> bytes:
        return _event("audio_stream_start", **self._facts) + self._chunk(self._inner.begin(size_bytes))

    def feed(self, audio: bytes) -> bytes:
        return self._chunk(self._inner.feed(audio))

    def flush(self) -> bytes:
        return self._chunk(self._inner.flush())

    def end(self, duration_s: float) -> bytes:
        """Return the last event; it comes after `flush`."""
        return _event("audio_stream_end", total_chunks=self._chunks, duration_s=round(duration_s, 4))

    def fail(self, code: ErrorCode, message: str) -> bytes:
        """Return the event that says the speech broke off."""
        return _event("error", code=code.value, message=message)

    def _chunk(self, audio: bytes) -> bytes:
        if not audio:
            return b""
        self._chunks += 1
        return _event("audio_chunk", seq=self._chunks, data=base64.b64encode(audio).decode("ascii"))


def _event(kind: str, **fields: Any) -> bytes:
    return b"data: " + json.dumps({"type": kind, **fields}, separators=(",", ":")).encode() + b"\n\n"
