"""Parts in, frames out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import TtsError
from gateway.tts.sagemaker_frames import FrameJoiner
from media.tts_wire import MAX_CONTROL_BYTES


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=5))
def test_however_a_frame_is_cut_it_comes_out_whole(frame: bytes, cuts: list[int]) -> None:
    joiner = FrameJoiner()
    places = [0, *sorted(min(cut, len(frame)) for cut in cuts), len(frame)]
    parts = [frame[begin:end] for begin, end in zip(places, places[1:], strict=False)]
    for part in parts[:-1]:
        assert joiner.feed(part, "BINARY", "PARTIAL") is None
    assert joiner.feed(parts[-1], "BINARY", "COMPLETE") == frame
    assert joiner.feed(b"next", "BINARY", None) == b"next"


def test_text_and_binary_are_told_apart_and_what_is_not_named_is_binary() -> None:
    joiner = FrameJoiner()
    assert joiner.feed("grün".encode(), "UTF8", "COMPLETE") == "grün"
    assert joiner.feed(b"{}", "BINARY", "COMPLETE") == b"{}"
    assert joiner.feed(b"{}", None, None) == b"{}"


def test_a_character_cut_in_two_is_whole_again() -> None:
    joiner = FrameJoiner()
    assert joiner.feed(b"gr\xc3", "UTF8", "PARTIAL") is None
    assert joiner.feed(b"\xbcn", "UTF8", "COMPLETE") == "grün"


def test_text_that_is_none_and_a_frame_without_end_are_the_workers_fault() -> None:
    with pytest.raises(TtsError, match="worker_protocol"):
        FrameJoiner().feed(b"\xff", "UTF8", "COMPLETE")
    joiner = FrameJoiner()
    joiner.feed(b"x" * MAX_CONTROL_BYTES, "BINARY", "PARTIAL")
    with pytest.raises(TtsError, match="worker_protocol"):
        joiner.feed(b"x", "BINARY", "PARTIAL")
