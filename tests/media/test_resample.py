import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from media.resample import MAX_RATE_HZ, MIN_RATE_HZ, StreamResampler
from tests.media.signals import level_db, middle, pieces_of, samples, split_at, tone

# A simple ratio, and one that is none.
RATES = pytest.mark.parametrize("from_hz", [24_000, 22_050])
SPEECH = {rate_hz: tone(1000, rate_hz, 0.5) for rate_hz in (24_000, 22_050)}


def _convert(pcm: bytes, from_hz: int, to_hz: int, *, piece_bytes: int | None = None) -> bytes:
    resampler = StreamResampler(from_hz, to_hz)
    pieces = pieces_of(pcm, piece_bytes or len(pcm))
    return b"".join(map(resampler.feed, pieces)) + resampler.flush()


@RATES
@pytest.mark.parametrize("frequency_hz", [4500, 5000, 7000, 11_000])
def test_what_8_khz_cannot_carry_is_down_by_60_db(frequency_hz: int, from_hz: int) -> None:
    narrow = _convert(tone(frequency_hz, from_hz, 1.0), from_hz, 8000)
    assert level_db(middle(narrow, 8000)) <= -60


@RATES
@pytest.mark.parametrize("frequency_hz", [300, 1000, 3400])
def test_the_telephone_band_passes_unchanged(frequency_hz: int, from_hz: int) -> None:
    narrow = _convert(tone(frequency_hz, from_hz, 1.0), from_hz, 8000)
    assert level_db(middle(narrow, 8000)) == pytest.approx(0, abs=0.1)


def test_raising_the_rate_adds_nothing_above_the_old_band() -> None:
    wide = middle(_convert(tone(3000, 8000, 1.0), 8000, 16_000), 16_000)
    spectrum = np.abs(np.fft.rfft(wide * np.blackman(len(wide))))
    images = spectrum[len(spectrum) * 9 // 16 :]
    assert 20 * math.log10(float(np.max(images) / np.max(spectrum))) <= -60


@pytest.mark.parametrize("piece_ms", [1, 20, 37])
@RATES
def test_a_tone_in_pieces_equals_the_tone_in_one_piece(piece_ms: int, from_hz: int) -> None:
    whole = _convert(SPEECH[from_hz], from_hz, 8000)
    pieced = _convert(SPEECH[from_hz], from_hz, 8000, piece_bytes=from_hz * piece_ms // 1000 * 2)
    assert len(pieced) == len(whole)
    assert level_db(samples(pieced) - samples(whole)) <= -60


@RATES
@given(cuts=st.lists(st.integers(0, len(SPEECH[22_050])), max_size=12))
@settings(max_examples=30, deadline=None)
def test_any_split_even_inside_a_sample_gives_the_same_result(from_hz: int, cuts: list[int]) -> None:
    resampler = StreamResampler(from_hz, 8000)
    pieced = b"".join(map(resampler.feed, split_at(SPEECH[from_hz], cuts))) + resampler.flush()
    whole = _convert(SPEECH[from_hz], from_hz, 8000)
    assert len(pieced) == len(whole)
    assert level_db(samples(pieced) - samples(whole)) <= -60


@pytest.mark.parametrize(("from_hz", "to_hz"), [(24_000, 8000), (8000, 16_000), (22_050, 8000), (8000, 24_000)])
def test_the_flushed_signal_is_as_long_as_its_input(from_hz: int, to_hz: int) -> None:
    for duration_ms in (1, 20, 37, 1001):
        fed = from_hz * duration_ms // 1000
        got = len(_convert(bytes(2 * fed), from_hz, to_hz)) // 2
        assert abs(got - fed * to_hz / from_hz) <= 1


@pytest.mark.parametrize(("from_hz", "to_hz"), [(24_000, 8000), (8000, 16_000), (24_000, 16_000)])
def test_output_is_aligned_with_the_input_in_time(from_hz: int, to_hz: int) -> None:
    converted = samples(_convert(tone(1000, from_hz, 1.0), from_hz, to_hz))
    assert level_db((converted - samples(tone(1000, to_hz, 1.0)))[1000:-1000]) <= -60


@pytest.mark.parametrize(("from_hz", "to_hz", "most_ms"), [(8000, 16_000, 4), (24_000, 8000, 4), (22_050, 8000, 30)])
def test_little_is_held_back_at_any_time(from_hz: int, to_hz: int, most_ms: int) -> None:
    resampler = StreamResampler(from_hz, to_hz)
    returned_ms = 0.0
    for fed_ms in range(20, 2001, 20):
        returned_ms += 500 * len(resampler.feed(bytes(from_hz * 20 // 1000 * 2))) / to_hz
        assert fed_ms - returned_ms <= most_ms + 0.05  # 22.05 kHz has no whole 20 ms


@RATES
def test_an_overloaded_signal_saturates_and_never_wraps(from_hz: int) -> None:
    # Band-limiting a square wave overshoots by about a tenth: at full scale that is beyond 16 bits.
    square = np.where(np.arange(from_hz) % 48 < 24, 32767, -32768).astype("<i2")
    loud = samples(_convert(square.tobytes(), from_hz, 8000))
    quiet = samples(_convert((square // 2).tobytes(), from_hz, 8000))
    assert np.abs(quiet).max() > 17_000
    assert [np.min(loud), np.max(loud)] == [-32768, 32767]
    clear = np.abs(quiet) > 100
    assert np.array_equal(np.sign(loud[clear]), np.sign(quiet[clear]))


@RATES
def test_the_stream_after_a_flush_knows_nothing_of_the_one_before(from_hz: int) -> None:
    resampler = StreamResampler(from_hz, 8000)
    first = resampler.feed(SPEECH[from_hz]) + resampler.flush()
    assert resampler.feed(SPEECH[from_hz]) + resampler.flush() == first


@RATES
def test_the_stream_after_a_reset_knows_nothing_of_the_one_before(from_hz: int) -> None:
    resampler = StreamResampler(from_hz, 8000)
    resampler.feed(tone(300, from_hz, 0.1) + b"\x7f")
    resampler.reset()
    assert resampler.feed(SPEECH[from_hz]) + resampler.flush() == _convert(SPEECH[from_hz], from_hz, 8000)


def test_chunks_of_odd_size_are_joined_and_the_last_odd_byte_dropped() -> None:
    resampler = StreamResampler(24_000, 8000)
    odd = b"".join(resampler.feed(piece) for piece in split_at(SPEECH[24_000], [4063, 4063 + 1697]))
    assert samples(odd + resampler.feed(b"\x55") + resampler.flush()).size == len(SPEECH[24_000]) // 6


def test_equal_rates_pass_whole_samples_through() -> None:
    resampler = StreamResampler(8000, 8000)
    assert resampler.feed(b"\1\2\3") == b"\1\2"
    assert resampler.feed(memoryview(b"\4\5")) == b"\3\4"
    assert resampler.flush() == b""
    assert resampler.feed(b"\6\7") == b"\6\7"


def test_nothing_fed_gives_nothing() -> None:
    resampler = StreamResampler(24_000, 8000)
    assert resampler.feed(b"") == b""
    assert resampler.flush() == b""


@pytest.mark.parametrize("rate_hz", [MIN_RATE_HZ - 1, MAX_RATE_HZ + 1, 0, -8000])
def test_a_rate_no_telephone_has_is_refused(rate_hz: int) -> None:
    for rates in ((rate_hz, 8000), (8000, rate_hz)):
        with pytest.raises(ValueError, match=f"sample rate of {rate_hz} Hz"):
            StreamResampler(*rates)
