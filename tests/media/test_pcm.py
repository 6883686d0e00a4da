import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from media.pcm import float_to_pcm16, pcm16_to_float


def _convert(*values: float) -> tuple[list[int], int]:
    converted = float_to_pcm16(np.array(values, np.float32))
    return np.frombuffer(converted.pcm, "<i2").tolist(), converted.clipped_samples


def test_loud_samples_clip_with_their_sign_and_are_counted() -> None:
    assert _convert(1.05, -1.05, 0.5, 1e9, float("inf"), float("-inf")) == (
        [32767, -32767, 16384, 32767, 32767, -32767],
        5,
    )


def test_full_scale_is_not_clipping() -> None:
    assert _convert(1.0, -1.0, 0.0) == ([32767, -32767, 0], 0)


def test_what_is_not_a_number_becomes_silence_and_is_counted() -> None:
    assert _convert(float("nan"), 0.25) == ([0, 8192], 1)


def test_no_samples_give_no_bytes() -> None:
    assert _convert() == ([], 0)
    assert pcm16_to_float(b"").size == 0


def test_the_input_is_left_as_it_was() -> None:
    given_samples = np.array([2.0, -2.0], np.float32)
    float_to_pcm16(given_samples)
    assert given_samples.tolist() == [2.0, -2.0]


@given(st.lists(st.floats(-1, 1, width=32)))
def test_there_and_back_differs_by_less_than_two_steps(values: list[float]) -> None:
    there = float_to_pcm16(np.array(values, np.float32))
    assert there.clipped_samples == 0
    assert np.all(np.abs(pcm16_to_float(there.pcm) - np.array(values, np.float32)) < 2 / 32768)


@given(st.lists(st.floats(width=32)))
def test_the_sign_is_kept_however_large_the_sample(values: list[float]) -> None:
    back = np.frombuffer(float_to_pcm16(np.array(values, np.float32)).pcm, "<i2")
    for value, result in zip(values, back.tolist(), strict=True):
        assert result == 0 or (result > 0) == (value > 0)


def test_a_lone_last_byte_is_ignored() -> None:
    assert pcm16_to_float(b"\x00\x80\x55").tolist() == [-1.0]


def test_audio_is_not_shown_when_printed() -> None:
    assert "pcm=" not in repr(float_to_pcm16(np.zeros(3, np.float32)))
