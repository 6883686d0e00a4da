import audioop
import struct

import pytest

from media.g711 import alaw_to_pcm, pcm_to_alaw, pcm_to_ulaw, ulaw_to_pcm

ALL_BYTES = bytes(range(256))


def _ulaw_by_the_book(code: int) -> int:
    """G.711 table 2: sign, 3 bits of segment, 4 bits of step, all inverted; 14-bit value scaled to 16."""
    code = ~code & 0xFF
    magnitude = (((code & 0x0F) << 3) + 0x84 << ((code >> 4) & 7)) - 0x84
    return -magnitude if code & 0x80 else magnitude


def _alaw_by_the_book(code: int) -> int:
    """G.711 table 1: even bits inverted, set sign bit is positive; 13-bit value scaled to 16."""
    code ^= 0x55
    segment, step = (code >> 4) & 7, code & 0x0F
    magnitude = (step << 4) + 8 if segment == 0 else ((step << 4) + 0x108) << (segment - 1)
    return magnitude if code & 0x80 else -magnitude


def _values(pcm: bytes) -> list[int]:
    return [value for (value,) in struct.iter_unpack("<h", pcm)]


def test_every_ulaw_byte_expands_to_the_value_of_the_standard() -> None:
    assert _values(ulaw_to_pcm(ALL_BYTES)) == [_ulaw_by_the_book(code) for code in ALL_BYTES]


def test_every_alaw_byte_expands_to_the_value_of_the_standard() -> None:
    assert _values(alaw_to_pcm(ALL_BYTES)) == [_alaw_by_the_book(code) for code in ALL_BYTES]


def test_expanding_and_companding_gives_the_same_byte_except_for_negative_zero() -> None:
    assert pcm_to_ulaw(ulaw_to_pcm(ALL_BYTES)) == ALL_BYTES.replace(b"\x7f", b"\xff")
    assert pcm_to_alaw(alaw_to_pcm(ALL_BYTES)) == ALL_BYTES


def test_full_scale_stays_at_full_scale_and_keeps_its_sign() -> None:
    extremes = struct.pack("<2h", 32767, -32768)
    assert _values(ulaw_to_pcm(pcm_to_ulaw(extremes))) == [32124, -32124]
    assert _values(alaw_to_pcm(pcm_to_alaw(extremes))) == [32256, -32256]


def test_half_a_sample_cannot_be_companded() -> None:
    for compand in (pcm_to_ulaw, pcm_to_alaw):
        with pytest.raises(audioop.error):
            compand(b"\0\0\0")
