"""The emulator's reader of signed events, against frames made by the encoding side and a vector of the framing."""

import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rig.event_stream import encode_message
from tests.rig.signed_events import Fragment, SignedReader, decode_message

# One event, accepted by botocore.
VECTOR = bytes.fromhex(
    "0000009400000057b4ab9aee0b3a6576656e742d74797065070011636f6e74656e74426c6f636b44656c74610d3a636f6e74656e742d74797065"
    "0700106170706c69636174696f6e2f6a736f6e0d3a6d6573736167652d747970650700056576656e747b22636f6e74656e74426c6f636b496e64"
    "6578223a302c2264656c7461223a7b2274657874223a224869227d7d1f944657"
)


def signed(inner: bytes, signature: bytes = bytes(32)) -> bytes:
    """The outer message of a client, its signature not one."""
    head = b"\x05:date\x08" + struct.pack(">q", 1) + b"\x10:chunk-signature\x06" + struct.pack(">H", len(signature))
    head += signature
    prelude = struct.pack(">II", 16 + len(head) + len(inner), len(head))
    body = prelude + struct.pack(">I", zlib.crc32(prelude)) + head + inner
    return body + struct.pack(">I", zlib.crc32(body))


def payload(data: bytes, data_type: str, state: str) -> bytes:
    return encode_message({":event-type": "PayloadPart", "DataType": data_type, "CompletionState": state}, data)


STREAM = (
    signed(payload(b"{}", "UTF8", "COMPLETE"))
    + signed(payload(b"\1\2", "BINARY", "PARTIAL"))
    + signed(payload(b"", "BINARY", "COMPLETE"))
    + signed(b"")
)
FRAGMENTS = [
    Fragment(b"{}", is_text=True, is_partial=False),
    Fragment(b"\1\2", is_text=False, is_partial=True),
    Fragment(b"", is_text=False, is_partial=False),
    None,
]


def test_the_vector_is_read() -> None:
    headers, body = decode_message(VECTOR)
    assert headers == {
        ":event-type": "contentBlockDelta",
        ":content-type": "application/json",
        ":message-type": "event",
    }
    assert body == b'{"contentBlockIndex":0,"delta":{"text":"Hi"}}'


@given(st.lists(st.integers(0, len(STREAM)), max_size=8))
def test_however_the_stream_is_cut_the_fragments_are_the_same(cuts: list[int]) -> None:
    reader, places = SignedReader(), [0, *sorted(cuts), len(STREAM)]
    pieces = [STREAM[begin:end] for begin, end in zip(places, places[1:], strict=False)]
    assert [fragment for piece in pieces for fragment in reader.feed(piece)] == FRAGMENTS


def test_text_and_bytes_come_as_what_they_are() -> None:
    assert [fragment.content() for fragment in FRAGMENTS if fragment] == ["{}", b"\1\2", b""]


@pytest.mark.parametrize("place", range(0, 60, 4))
def test_a_byte_that_changed_on_the_way_is_noticed(place: int) -> None:
    broken = bytearray(signed(payload(b"{}", "UTF8", "COMPLETE")))
    broken[place] ^= 1
    with pytest.raises((ValueError, struct.error)):
        decode_message(bytes(broken))


@pytest.mark.parametrize(
    "wrong",
    [
        payload(b"{}", "UTF8", "COMPLETE"),
        signed(payload(b"{}", "UTF8", "COMPLETE"), signature=bytes(31)),
        signed(encode_message({":event-type": "Other"}, b"")),
    ],
)
def test_what_is_unsigned_or_no_part_is_refused(wrong: bytes) -> None:
    with pytest.raises(ValueError, match="an event"):
        SignedReader().feed(wrong)
