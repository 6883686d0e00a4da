"""The TTS session between gateway and worker: message names, field rules and the tagged audio frame.

This is the only thing the two sides share. Controls are JSON objects in a text or a binary frame; audio is
binary. Session order and semantics are in docs/tts-session.md.

client -> worker                                     worker -> client
{"type":"session", protocol, framing, defaults...}   {"type":"session", protocol, framing, sample_rate}
{"type":"synthesize"?, text, request_id?, ...}       {"type":"synthesis_start", request_id, number, sample_rate}
{"type":"cancel", request_id?}                       <audio frames>
{"type":"close"}                                     {"type":"words", request_id, words:[...]}
                                                     {"type":"synthesis_complete", request_id, number, samples,
                                                      duration_s}
                                                     {"type":"cancelled", request_id, number, samples}
                                                     {"type":"error", code, message, request_id?}

`number` counts the session's requests from 1; in `tagged` framing each audio frame begins with it, so that
audio of a cancelled request can never be taken for another's. In `raw` framing audio is bare PCM between
start and complete, one request at a time, as the public SageMaker sample sends it.
"""

import json
import math
import re
import struct
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

PROTOCOL = 1
STREAM_PATH = "/invocations-bidirectional-stream"
# SageMaker documents no frame limit for bidirectional streams; AgentCore closes above 32 KB. Stay below both.
MAX_AUDIO_FRAME_BYTES = 32_000
# A control larger than this is refused before it is parsed; 100 kB texts get an answer, not a closed socket.
MAX_CONTROL_BYTES = 1_000_000


class Framing(StrEnum):
    """How audio frames are told from each other."""

    RAW = "raw"
    TAGGED = "tagged"


class Type(StrEnum):
    """The `type` field of every control message."""

    SESSION = "session"
    SYNTHESIZE = "synthesize"
    CANCEL = "cancel"
    CLOSE = "close"
    SYNTHESIS_START = "synthesis_start"
    WORDS = "words"
    SYNTHESIS_COMPLETE = "synthesis_complete"
    CANCELLED = "cancelled"
    ERROR = "error"


class ErrorCode(StrEnum):
    """Stable codes of `error` messages; the message text beside them carries the remedy."""

    BAD_JSON = "bad_json"
    BAD_FIELD = "bad_field"
    MISSING_TEXT = "missing_text"
    TEXT_TOO_LONG = "text_too_long"
    UNKNOWN_VOICE = "unknown_voice"
    UNKNOWN_LANGUAGE = "unknown_language"
    UNKNOWN_TYPE = "unknown_type"
    UNSUPPORTED_PROTOCOL = "unsupported_protocol"
    BUSY = "busy"
    STALE = "request_stale"
    ENGINE_FAILED = "engine_failed"
    ENGINE_LOST = "engine_lost"


# magic, kind, two spare bytes, request number: a JSON control can never begin with 0x01.
_TAG = struct.Struct(">BBHI")
TAG_BYTES = _TAG.size
_MAGIC = 0x01
_KIND_AUDIO = 0x00
# Halves of a character: JSON can name them with an escape, UTF-8 cannot carry them.
_LONE_SURROGATES = re.compile("[\ud800-\udfff]")


class WireError(ValueError):
    """A frame that does not follow this module's rules; `code` is an ErrorCode."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class Word:
    """One spoken word: its time inside the request's audio and its place in the request's text."""

    text: str = field(repr=False)
    start_s: float
    end_s: float
    start_char: int
    end_char: int

    def as_json(self) -> dict[str, Any]:
        return {
            "text": self.text,
            "start_s": round(self.start_s, 4),
            "end_s": round(self.end_s, 4),
            "start_char": self.start_char,
            "end_char": self.end_char,
        }


def tag_audio(number: int, pcm: bytes) -> bytes:
    """Return one tagged frame: an 8-byte header and the audio."""
    return _TAG.pack(_MAGIC, _KIND_AUDIO, 0, number) + pcm


def untag_audio(frame: bytes) -> tuple[int, memoryview]:
    """Split a tagged frame into request number and audio; WireError when it is no such frame."""
    if len(frame) < TAG_BYTES:
        raise WireError(ErrorCode.BAD_FIELD, f"audio frame of {len(frame)} bytes is shorter than its header")
    magic, kind, _, number = _TAG.unpack_from(frame)
    if magic != _MAGIC or kind != _KIND_AUDIO:
        raise WireError(ErrorCode.BAD_FIELD, f"audio frame begins {frame[:2].hex()}, expected 0100")
    return number, memoryview(frame)[TAG_BYTES:]


def encode_control(message_type: Type, **fields: Any) -> str:
    """Return a control message; fields that are None are left out, lone surrogates become U+FFFD.

    ValueError for NaN and infinity, which JSON has no words for.
    """
    body = {"type": message_type.value, **{k: v for k, v in fields.items() if v is not None}}
    text = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _LONE_SURROGATES.sub("\ufffd", text)


def decode_control(frame: str | bytes) -> dict[str, Any]:
    """Parse a control message; its strings can be sent back, its numbers are finite.

    WireError with `bad_json` when it is not one JSON object in UTF-8, `text_too_long` above MAX_CONTROL_BYTES.
    """
    if len(frame) > MAX_CONTROL_BYTES:
        raise WireError(ErrorCode.TEXT_TOO_LONG, f"control of {len(frame)} bytes; the limit is {MAX_CONTROL_BYTES}")
    try:
        text = frame if isinstance(frame, str) else frame.decode()
        body = json.loads(text, parse_float=_finite, parse_constant=_finite)
        if "\\u" in text and _LONE_SURROGATES.search(json.dumps(body, ensure_ascii=False)):
            raise ValueError("a lone surrogate in a string")
    except (ValueError, RecursionError) as error:
        raise WireError(ErrorCode.BAD_JSON, f"control is not JSON: {error}") from error
    if not isinstance(body, dict):
        raise WireError(ErrorCode.BAD_JSON, f"control is a JSON {type(body).__name__}, expected an object")
    return body


def _finite(number: str) -> float:
    """Python's parser takes NaN, Infinity and 1e999; compared with a limit they slip through."""
    value = float(number)
    if not math.isfinite(value):
        raise ValueError("a number that is not finite")
    return value
