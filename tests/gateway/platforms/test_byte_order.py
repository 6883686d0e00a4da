"""Only L16 is turned, only where the wire is big-endian, and back again."""

from hypothesis import given
from hypothesis import strategies as st

from gateway.platforms.byte_order import ByteOrder
from media.formats import ULAW_8K, AudioFormat, Encoding

L16 = AudioFormat(Encoding.L16, 16000)


def test_big_endian_samples_change_their_bytes() -> None:
    assert ByteOrder.BIG.turned(b"\x01\x02\x03\x04", L16) == b"\x02\x01\x04\x03"
    assert ByteOrder.LITTLE.turned(b"\x01\x02\x03\x04", L16) == b"\x01\x02\x03\x04"
    assert ByteOrder.BIG.turned(b"\x01\x02\x03", ULAW_8K) == b"\x01\x02\x03"


@given(st.binary(max_size=100).map(lambda half: half + half))
def test_turning_twice_changes_nothing(audio: bytes) -> None:
    assert ByteOrder.BIG.turned(ByteOrder.BIG.turned(audio, L16), L16) == audio
