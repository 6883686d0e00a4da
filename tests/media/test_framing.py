import pytest
from hypothesis import given
from hypothesis import strategies as st

from media.framing import Framer
from tests.media.signals import split_at

DATA = bytes(range(256)) * 4


def test_a_frame_leaves_as_soon_as_it_is_whole() -> None:
    framer = Framer(4, b"\xff")
    assert framer.feed(b"abc") == []
    assert framer.pending_bytes == 3
    assert framer.feed(b"defghi") == [b"abcd", b"efgh"]
    assert framer.pending_bytes == 1


def test_flush_pads_the_started_frame_with_silence_and_begins_anew() -> None:
    framer = Framer(4, b"\xff")
    framer.feed(b"abcdef")
    assert framer.flush() == [b"ef\xff\xff"]
    assert framer.flush() == []
    assert framer.feed(b"ghij") == [b"ghij"]


def test_wide_silence_stays_aligned_with_the_frame() -> None:
    framer = Framer(6, b"\x01\x02")
    framer.feed(b"a")
    assert framer.flush() == [b"a\x02\x01\x02\x01\x02"]


def test_reset_drops_the_started_frame() -> None:
    framer = Framer(4, b"\xff")
    framer.feed(b"abc")
    framer.reset()
    assert framer.feed(b"defg") == [b"defg"]


@given(cuts=st.lists(st.integers(0, len(DATA)), max_size=20), frame_bytes=st.integers(1, 300))
def test_any_split_gives_the_same_frames(cuts: list[int], frame_bytes: int) -> None:
    whole, pieced = Framer(frame_bytes, b"\0"), Framer(frame_bytes, b"\0")
    expected = whole.feed(DATA) + whole.flush()
    frames = [frame for piece in split_at(DATA, cuts) for frame in pieced.feed(piece)] + pieced.flush()
    assert frames == expected
    assert {len(frame) for frame in frames} == {frame_bytes}
    assert b"".join(frames)[: len(DATA)] == DATA


@pytest.mark.parametrize(("frame_bytes", "fill"), [(0, b"\0"), (-4, b"\0"), (3, b"\0\0"), (4, b"")])
def test_a_frame_that_is_not_whole_samples_is_refused(frame_bytes: int, fill: bytes) -> None:
    with pytest.raises(ValueError, match="not made of whole"):
        Framer(frame_bytes, fill)
