"""Amazon Transcribe's WebSocket messages: event-stream frames, audio up and transcripts down, one a message.

Source: Amazon Transcribe developer guide, "Setting up a WebSocket stream" and "Event stream encoding".
"""

import json
import struct
import zlib
from collections.abc import Mapping
from typing import Any, cast

from botocore.eventstream import EventStreamBuffer, ParserError

from gateway.errors import SttError
from gateway.stt.cloud.base import Item, Result
from gateway.stt.cloud.clock import moment_s

_STRING = 7
_AUDIO_HEADERS = {
    ":content-type": "application/octet-stream",
    ":event-type": "AudioEvent",
    ":message-type": "event",
}


class TranscribeWire:
    """One stream's messages."""

    def audio(self, pcm: bytes) -> bytes:
        return audio_event(pcm)

    def read(self, message: bytes | str) -> list[Result]:
        return read_message(message.encode() if isinstance(message, str) else message)


def audio_event(pcm: bytes) -> bytes:
    """The message that carries this audio; without audio, the one that ends the stream."""
    return _frame(_AUDIO_HEADERS, pcm)


def read_message(message: bytes) -> list[Result]:
    """The results in a message. SttError where it is an exception, or no message of this protocol."""
    buffer = EventStreamBuffer()
    buffer.add_data(message)
    try:
        event = next(buffer)
        body = json.loads(event.payload or b"{}")
        headers = cast(Mapping[str, Any], event.headers)
        if headers.get(":message-type") != "event":
            raise _fault(headers, body)
        return [_result(found) for found in body.get("Transcript", {}).get("Results", [])]
    except (ParserError, StopIteration, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise SttError("transcribe_bad_message", type(error).__name__, retryable=True) from error


def _result(found: Mapping[str, Any]) -> Result:
    alternatives = found.get("Alternatives") or [{}]
    return Result(
        str(found["ResultId"]),
        moment_s(found["StartTime"]),
        moment_s(found["EndTime"]),
        not found["IsPartial"],
        tuple(_item(item) for item in alternatives[0].get("Items") or ()),
        str(found.get("LanguageCode") or "").partition("-")[0],
    )


def _item(item: Mapping[str, Any]) -> Item:
    is_mark = item.get("Type") == "punctuation"
    return Item(str(item["Content"]), moment_s(item["StartTime"]), moment_s(item["EndTime"]), is_mark)


def _fault(headers: Mapping[str, Any], body: Mapping[str, Any]) -> SttError:
    """An exception of the service; its text is about the request, never about what was said."""
    kind = str(headers.get(":exception-type") or headers.get(":error-code") or "error")
    return SttError("transcribe_failed", f"{kind}: {body.get('Message') or body.get('message') or ''}", retryable=True)


def _frame(headers: Mapping[str, str], payload: bytes) -> bytes:
    head = b"".join(
        bytes((len(name),)) + name.encode() + struct.pack(">BH", _STRING, len(value)) + value.encode()
        for name, value in headers.items()
    )
    # Two lengths, their checksum, headers, payload, the checksum of everything before.
    lengths = struct.pack(">II", 16 + len(head) + len(payload), len(head))
    body = lengths + struct.pack(">I", zlib.crc32(lengths)) + head + payload
    return body + struct.pack(">I", zlib.crc32(body))
