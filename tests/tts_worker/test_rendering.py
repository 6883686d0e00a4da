"""A request's audio at the client's rate."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from media.tts_wire import MAX_AUDIO_FRAME_BYTES, TAG_BYTES, Word
from tests.rig.speech_pair import tone_of
from tts_worker.engine import PieceAudio
from tts_worker.rendering import Rendering, frames

SENTENCE = tone_of("A sentence of some length.")


@given(cuts=st.lists(st.integers(0, len(SENTENCE) // 2), max_size=5), rate_hz=st.sampled_from([8_000, 16_000, 24_000]))
def test_any_split_into_pieces_gives_the_same_audio_and_count(cuts: list[int], rate_hz: int) -> None:
    edges = [0, *sorted(cuts), len(SENTENCE) // 2]
    rendering = Rendering(24_000, rate_hz)
    pieces = [PieceAudio(SENTENCE[2 * a : 2 * b]) for a, b in zip(edges, edges[1:], strict=False)]
    pcm = b"".join(rendering.feed(piece)[1] for piece in pieces) + rendering.flush()
    assert rendering.samples == len(pcm) // 2 == len(SENTENCE) // 2 * rate_hz // 24_000
    assert rendering.duration_s == pytest.approx(len(SENTENCE) / 48_000)
    whole = Rendering(24_000, rate_hz)
    expected = whole.feed(PieceAudio(SENTENCE))[1] + whole.flush()
    assert np.abs(np.frombuffer(pcm, np.int16).astype(int) - np.frombuffer(expected, np.int16)).max() <= 2


def test_words_are_timed_from_the_start_of_the_request_at_any_rate() -> None:
    rendering = Rendering(24_000, 8_000)
    word = Word("Hi", 0.1, 0.2, 5, 7)
    piece = PieceAudio(bytes(24_000 * 2), (word,))
    assert rendering.feed(piece)[0] == [word]
    assert rendering.feed(piece)[0] == [Word("Hi", 1.1, 1.2, 5, 7)]


@given(st.binary(max_size=100_000).map(lambda b: b + b))
def test_frames_hold_whole_samples_join_to_the_audio_and_fit_the_wire(pcm: bytes) -> None:
    parts = list(frames(pcm))
    assert b"".join(parts) == pcm
    assert all(0 < len(part) <= MAX_AUDIO_FRAME_BYTES - TAG_BYTES for part in parts)
    assert all(len(part) % 2 == 0 for part in parts)
