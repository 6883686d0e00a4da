"""The AWS event-stream framing, decoding side, and the signed wrapping of client streams.

Signatures are not verified: that would test the SDK with its own arithmetic.
"""

import struct
import zlib
from dataclasses import dataclass

_PRELUDE = struct.Struct(">III")
# Header types: string, bytes, timestamp; the client uses no other.
_STRING, _BYTES, _TIMESTAMP = 7, 6, 8
Headers = dict[str, str | bytes | int]


@dataclass(frozen=True, slots=True)
class Fragment:
    """One WebSocket frame as the client asked for it."""

    data: bytes
    is_text: bool
    is_partial: bool

    def content(self) -> str | bytes:
        return self.data.decode() if self.is_text else self.data


class SignedReader:
    """Bytes of a client's stream in, fragments out; None is the client's signed end. ValueError for anything else."""

    def __init__(self) -> None:
        self._buffer = b""

    def feed(self, data: bytes) -> list[Fragment | None]:
        self._buffer += data
        fragments: list[Fragment | None] = []
        while len(self._buffer) >= _PRELUDE.size:
            total = int.from_bytes(self._buffer[:4], "big")
            if len(self._buffer) < total:
                break
            message, self._buffer = self._buffer[:total], self._buffer[total:]
            fragments.append(_unwrap(message))
        return fragments


def _unwrap(message: bytes) -> Fragment | None:
    outer, inner = decode_message(message)
    if not isinstance(outer.get(":date"), int) or len(_signature(outer)) != 32:
        raise ValueError("an event without date and signature")
    if not inner:
        return None
    headers, payload = decode_message(inner)
    if headers.get(":event-type") != "PayloadPart":
        raise ValueError("an event that is no PayloadPart")
    return Fragment(payload, headers.get("DataType") == "UTF8", headers.get("CompletionState") == "PARTIAL")


def decode_message(message: bytes) -> tuple[Headers, bytes]:
    """Headers and payload; ValueError when a checksum or header is wrong."""
    total, length, checksum = _PRELUDE.unpack_from(message)
    if total != len(message) or zlib.crc32(message[:8]) != checksum:
        raise ValueError("bad prelude")
    if zlib.crc32(message[:-4]) != int.from_bytes(message[-4:], "big"):
        raise ValueError("bad checksum")
    return _decode_headers(message[12 : 12 + length]), message[12 + length : -4]


def _decode_headers(block: bytes) -> Headers:
    headers: Headers = {}
    while block:
        name, kind, block = block[1 : 1 + block[0]].decode(), block[1 + block[0]], block[2 + block[0] :]
        if kind == _TIMESTAMP:
            headers[name], block = int.from_bytes(block[:8], "big"), block[8:]
        elif kind in (_STRING, _BYTES):
            end = 2 + int.from_bytes(block[:2], "big")
            headers[name] = block[2:end].decode() if kind == _STRING else block[2:end]
            block = block[end:]
        else:
            raise ValueError(f"a header of type {kind}")
    return headers


def _signature(headers: Headers) -> bytes:
    value = headers.get(":chunk-signature")
    return value if isinstance(value, bytes) else b""
