"""Rates in a simple ratio: exact whatever the cuts, aligned, and quick."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from media.polyphase import MAX_PHASES, Polyphase, has_simple_ratio
from tests.media.signals import level_db, tone

RATIOS = [(8000, 16_000), (16_000, 8000), (24_000, 8000), (8000, 24_000), (24_000, 16_000), (12_000, 16_000)]
NOISE = np.random.default_rng(7).integers(-20_000, 20_000, 6000).astype(np.int16)


@pytest.mark.parametrize(("from_hz", "to_hz"), RATIOS)
@given(cuts=st.lists(st.integers(0, len(NOISE)), max_size=8))
@settings(max_examples=25, deadline=None)
def test_any_split_gives_the_very_same_samples(from_hz: int, to_hz: int, cuts: list[int]) -> None:
    whole = Polyphase(from_hz, to_hz)
    pieced = Polyphase(from_hz, to_hz)
    pieces = [pieced.feed(piece) for piece in np.split(NOISE, sorted(cuts))]
    assert np.array_equal(np.concatenate([*pieces, pieced.flush()]), np.concatenate([whole.feed(NOISE), whole.flush()]))


@pytest.mark.parametrize(("from_hz", "to_hz"), RATIOS)
def test_a_tone_comes_out_as_itself_in_its_place(from_hz: int, to_hz: int) -> None:
    convert = Polyphase(from_hz, to_hz)
    told = np.concatenate([convert.feed(np.frombuffer(tone(1000, from_hz, 0.5), np.int16)), convert.flush()])
    wanted = np.frombuffer(tone(1000, to_hz, 0.5), np.int16)
    assert len(told) == len(wanted)
    error = (told.astype(np.float64) - wanted.astype(np.float64))[to_hz // 50 : -to_hz // 50]
    assert level_db(error) <= -70


def test_a_doubled_rate_keeps_every_sample() -> None:
    convert = Polyphase(8000, 16_000)
    doubled = np.concatenate([convert.feed(NOISE), convert.flush()])
    assert np.array_equal(doubled[::2], NOISE)


def test_nothing_fed_gives_nothing() -> None:
    convert = Polyphase(24_000, 8000)
    assert len(convert.feed(NOISE[:0])) == 0
    assert len(convert.flush()) == 0


@pytest.mark.parametrize("length", range(1, 9))
def test_the_shortest_signals_are_as_long_as_they_were(length: int) -> None:
    convert = Polyphase(8000, 16_000)
    assert len(convert.feed(NOISE[:length])) + len(convert.flush()) == 2 * length


def test_which_ratios_are_simple() -> None:
    assert has_simple_ratio(24_000, 16_000)
    assert has_simple_ratio(8000, 8000 * MAX_PHASES)
    assert not has_simple_ratio(44_100, 8000)
