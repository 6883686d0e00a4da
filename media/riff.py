"""RIFF/WAVE files as they are met, not as they should be.

Streaming writers leave the sizes at 0 or 0xFFFFFFFF, some writers forget the pad byte behind an odd chunk, and
telephony tools store µ-law or A-law. Files of other encodings (ADPCM, GSM ...) are refused here.
"""

import audioop
import struct
from dataclasses import dataclass, field

import numpy as np

from media.formats import BYTES_PER_SAMPLE_PCM16
from media.g711 import alaw_to_pcm, ulaw_to_pcm
from media.pcm import float_to_pcm16

_RIFF_HEADER = struct.Struct("<4sI4s")
_CHUNK_HEADER = struct.Struct("<4sI")
_FMT = struct.Struct("<HHIIHH")
_TAG_PCM, _TAG_FLOAT, _TAG_ALAW, _TAG_ULAW, _TAG_EXTENSIBLE = 0x0001, 0x0003, 0x0006, 0x0007, 0xFFFE
# In an extensible fmt chunk the true tag is the first field of the sub-format, behind size, bits and speaker mask.
_SUBFORMAT_OFFSET = 24
# What writers to a pipe, which cannot go back, leave in a size field.
_UNKNOWN_SIZES = (0, 0xFFFFFFFF)


class RiffError(ValueError):
    """Not a WAVE file, or not one that can be read here; the text says why."""


@dataclass(frozen=True, slots=True)
class WaveAudio:
    """Interleaved s16le samples of all channels, whole sample frames only."""

    channels: int
    rate_hz: int
    pcm: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Format:
    tag: int
    channels: int
    rate_hz: int
    bits: int


def is_wave(data: bytes) -> bool:
    """Whether `data` begins as a WAVE file."""
    return len(data) >= _RIFF_HEADER.size and data[:4] == b"RIFF" and data[8:12] == b"WAVE"


def read_wave(data: bytes) -> WaveAudio:
    """Return the audio of a WAVE file of PCM, float, µ-law or A-law samples; RiffError for anything else.

    A file cut short gives what is there.
    """
    if not is_wave(data):
        raise RiffError("it is not a RIFF/WAVE file")
    wave_format, body = _find_chunks(data)
    pcm = _to_pcm16(wave_format, body)
    return WaveAudio(
        wave_format.channels,
        wave_format.rate_hz,
        pcm[: len(pcm) - len(pcm) % (wave_format.channels * BYTES_PER_SAMPLE_PCM16)],
    )


def _find_chunks(data: bytes) -> tuple[_Format, bytes]:
    """Walk the chunks up to the audio."""
    riff_size = _RIFF_HEADER.unpack_from(data)[1]
    wave_format = None
    start = _RIFF_HEADER.size
    while start + _CHUNK_HEADER.size <= len(data):
        chunk_id, size = _CHUNK_HEADER.unpack_from(data, start)
        start += _CHUNK_HEADER.size
        if chunk_id == b"data":
            if wave_format is None:
                raise RiffError("its audio comes before its format")
            # A size beyond the end needs no care: the slice ends with the file.
            unknown = size == 0 and riff_size in _UNKNOWN_SIZES
            return wave_format, data[start:] if unknown else data[start : start + size]
        if chunk_id == b"fmt ":
            wave_format = _read_format(data[start : start + size])
        start += size
        # A chunk of odd size is followed by a zero byte, which some writers forget; no chunk's name begins with zero.
        if size % 2 and data[start : start + 1] == b"\0":
            start += 1
    raise RiffError("it holds no audio")


def _read_format(chunk: bytes) -> _Format:
    if len(chunk) < _FMT.size:
        raise RiffError("its format is cut short")
    tag, channels, rate_hz, _, _, bits = _FMT.unpack_from(chunk)
    if tag == _TAG_EXTENSIBLE and len(chunk) >= _SUBFORMAT_OFFSET + 2:
        (tag,) = struct.unpack_from("<H", chunk, _SUBFORMAT_OFFSET)
    if not channels:
        raise RiffError("its format says 0 channels")
    return _Format(tag, channels, rate_hz, bits)


def _to_pcm16(wave_format: _Format, body: bytes) -> bytes:
    tag, bits = wave_format.tag, wave_format.bits
    if tag == _TAG_PCM and bits in (8, 16, 24, 32):
        return _linear_to_pcm16(body, bits // 8)
    if tag == _TAG_FLOAT and bits in (32, 64):
        return float_to_pcm16(np.frombuffer(body, f"<f{bits // 8}", count=len(body) // (bits // 8))).pcm
    if tag == _TAG_ULAW:
        return ulaw_to_pcm(body)
    if tag == _TAG_ALAW:
        return alaw_to_pcm(body)
    raise RiffError(f"its samples are encoded as format 0x{tag:04x} with {bits} bits")


def _linear_to_pcm16(body: bytes, width_bytes: int) -> bytes:
    body = body[: len(body) - len(body) % width_bytes]
    if width_bytes == BYTES_PER_SAMPLE_PCM16:
        return body
    if width_bytes == 1:
        body = audioop.bias(body, 1, -128)  # 8-bit samples, alone of all, are unsigned
    pcm: bytes = audioop.lin2lin(body, width_bytes, BYTES_PER_SAMPLE_PCM16)
    return pcm
