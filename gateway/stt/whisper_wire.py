"""The two pipes between the gateway and its Whisper process: audio in, one JSON line out for each job.

gateway -> process: a header (job number, language, size of the audio) and the audio, 16 kHz s16le.
process -> gateway: {"ready": true} once, or {"error"} when the model cannot be loaded; then per job
                    {"number", "text", "language", "language_share", "took_s", "sure"}, or {"number", "error"}.
"""

import json
import struct
from dataclasses import dataclass, field
from typing import Any, BinaryIO

# Nine codes of two letters, parted.
_LANGUAGE_BYTES = 32
_HEADER = struct.Struct(f">I{_LANGUAGE_BYTES}sI")
# The longest job is one Whisper window; the process refuses more before it takes the memory.
MAX_AUDIO_BYTES = 30 * 32_000
# 448 tokens are Whisper's longest answer; this holds them in any script.
MAX_LINE_BYTES = 64 * 1024


class WireFault(ValueError):
    """The other end of the pipe sent something that is not this protocol."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """Words found in a piece of audio, blank when there are none; `took_s` is the engine's own time for it.

    `sure` is false when the model itself thinks little of them: they may be its reading of a hum.
    """

    text: str = field(repr=False)
    language: str = ""
    took_s: float = 0.0
    language_share: float = 1.0
    sure: bool = True


@dataclass(frozen=True, slots=True)
class AudioJob:
    """Audio to transcribe. `language` is a code, or several parted by commas, the expected one first, or empty: any."""

    number: int
    language: str
    pcm: bytes = field(repr=False)


def encode_job(job: AudioJob) -> bytes:
    """Return the bytes of one job; WireFault when the audio or the language code is too long."""
    language = job.language.encode()
    if len(language) > _LANGUAGE_BYTES or len(job.pcm) > MAX_AUDIO_BYTES:
        raise WireFault(f"job with {len(job.pcm)} bytes of audio and a language code of {len(language)}")
    return _HEADER.pack(job.number, language, len(job.pcm)) + job.pcm


def read_job(stream: BinaryIO) -> AudioJob | None:
    """Wait for the next job; None when the gateway has closed the pipe, WireFault when it sent anything else."""
    header = stream.read(_HEADER.size)
    if len(header) < _HEADER.size:
        return None
    number, language, size_bytes = _HEADER.unpack(header)
    if size_bytes > MAX_AUDIO_BYTES:
        raise WireFault(f"job announces {size_bytes} bytes of audio")
    pcm = stream.read(size_bytes)
    if len(pcm) < size_bytes:
        return None
    return AudioJob(number, language.rstrip(b"\0").decode(), pcm)


def encode_line(**fields: Any) -> bytes:
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def decode_line(line: bytes) -> dict[str, Any]:
    """Return the fields of one line; WireFault when it is not one whole JSON object."""
    if not line.endswith(b"\n"):
        raise WireFault("the line is cut short")
    try:
        body = json.loads(line)
    except ValueError as error:
        raise WireFault(f"the line is not JSON: {error}") from error
    if not isinstance(body, dict):
        raise WireFault(f"the line is a JSON {type(body).__name__}")
    return body
