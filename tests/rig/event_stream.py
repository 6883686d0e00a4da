"""The AWS event-stream framing, encoding side, written independently of any SDK."""

import json
import struct
import zlib
from typing import Any


def encode_message(headers: dict[str, str], payload: bytes) -> bytes:
    """One message: prelude with its checksum, string headers, payload, checksum of everything before."""
    head = b"".join(
        struct.pack(">B", len(name)) + name.encode() + b"\x07" + struct.pack(">H", len(value.encode())) + value.encode()
        for name, value in headers.items()
    )
    prelude = struct.pack(">II", 12 + len(head) + len(payload) + 4, len(head))
    body = prelude + struct.pack(">I", zlib.crc32(prelude)) + head + payload
    return body + struct.pack(">I", zlib.crc32(body))


def encode_event(name: str, payload: dict[str, Any]) -> bytes:
    """A ConverseStream event."""
    headers = {":event-type": name, ":content-type": "application/json", ":message-type": "event"}
    return encode_message(headers, json.dumps(payload, separators=(",", ":")).encode())


def encode_exception(name: str, payload: dict[str, Any]) -> bytes:
    """An exception inside the stream; `name` in lowerCamel."""
    headers = {":exception-type": name, ":content-type": "application/json", ":message-type": "exception"}
    return encode_message(headers, json.dumps(payload, separators=(",", ":")).encode())
