"""WAVE files built byte by byte, to be broken at will."""

import struct


def chunk(name: bytes, body: bytes, *, size: int | None = None, pad: bool = True) -> bytes:
    """A chunk, padded to an even size as the format demands unless told otherwise; `size` overrides what it claims."""
    padding = b"\0" if pad and len(body) % 2 else b""
    return name + struct.pack("<I", len(body) if size is None else size) + body + padding


def fmt(tag: int, bits: int, *, channels: int = 1, rate_hz: int = 8000) -> bytes:
    block_bytes = channels * bits // 8
    return chunk(b"fmt ", struct.pack("<HHIIHH", tag, channels, rate_hz, rate_hz * block_bytes, block_bytes, bits))


def extensible_fmt(subformat: int, bits: int) -> bytes:
    guid = struct.pack("<H", subformat) + bytes.fromhex("000000001000800000aa00389b71")
    basic = struct.pack("<HHIIHH", 0xFFFE, 1, 8000, 8000 * bits // 8, bits // 8, bits)
    return chunk(b"fmt ", basic + struct.pack("<HHI", 22, bits, 4) + guid)


def riff(*chunks: bytes, size: int | None = None) -> bytes:
    body = b"WAVE" + b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(body) if size is None else size) + body
