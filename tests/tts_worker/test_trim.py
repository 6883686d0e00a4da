import numpy as np
import pytest

from tts_worker.trim import FRAME_S, FRAME_SAMPLES, Samples, trim

LOUD, QUIET = 0.3, 1e-5


def sound(*runs: tuple[int, float]) -> Samples:
    """Frames of a square wave: (frames, level) by turns."""
    wave = np.where(np.arange(FRAME_SAMPLES) % 100 < 50, 1.0, -1.0)
    return np.concatenate([np.tile(wave * level, count) for count, level in runs]).astype(np.float32)


def frames(samples: Samples) -> int:
    assert len(samples) % FRAME_SAMPLES == 0
    return len(samples) // FRAME_SAMPLES


def test_silence_around_speech_is_cut_to_a_margin_and_the_pause_of_its_mark() -> None:
    samples = sound((14, QUIET), (20, LOUD), (20, QUIET))
    durations = np.array([14, 10, 10, 10, 10])

    trimmed = trim(samples, durations, "ab.", 1.0)

    assert frames(trimmed.samples) == 2 + 20 + 10  # margin, speech, and a sentence's pause


@pytest.mark.parametrize(("mark", "pause"), [(".", 10), ("?", 10), ("…", 10), (",", 4), ("—", 4), (".”", 10), ("", 2)])
def test_the_pause_left_is_that_of_the_mark(mark: str, pause: int) -> None:
    samples = sound((14, QUIET), (20, LOUD), (20, QUIET))
    durations = np.array([14, 10, 10, *[5] * len(mark), 20 - 5 * len(mark)])

    assert frames(trim(samples, durations, f"ab{mark}", 1.0).samples) == 2 + 20 + pause


def test_faster_speech_has_shorter_pauses() -> None:
    samples = sound((14, QUIET), (20, LOUD), (20, QUIET))

    assert frames(trim(samples, np.array([14, 10, 10, 10, 10]), "ab.", 2.0).samples) == 2 + 20 + 5


def test_noise_after_the_speech_is_cut() -> None:
    samples = sound((14, QUIET), (20, LOUD), (9, QUIET), (4, LOUD / 10), (7, QUIET))

    assert frames(trim(samples, np.array([14, 10, 10, 10, 10]), "ab.", 1.0).samples) == 2 + 20 + 10


def test_a_stop_inside_the_last_sounds_is_not_their_end() -> None:
    samples = sound((14, QUIET), (14, LOUD), (4, QUIET), (2, LOUD), (20, QUIET))

    assert frames(trim(samples, np.array([14, 10, 10, 10, 10]), "ap.", 1.0).samples) == 2 + 20 + 10


def test_a_last_sound_that_never_ends_is_cut_after_a_second() -> None:
    samples = sound((14, QUIET), (100, LOUD), (10, QUIET))
    trimmed = trim(samples, np.array([14, 5, 95, 5, 5]), "ab.", 1.0)

    assert frames(trimmed.samples) < 2 + 5 + 40 + 10


def test_words_are_timed_from_where_the_sound_begins() -> None:
    samples = sound((11, QUIET), (20, LOUD), (23, QUIET))  # three frames ahead of the durations

    trimmed = trim(samples, np.array([14, 10, 10, 10, 10]), "ab.", 1.0)

    assert trimmed.starts_s[:2] == pytest.approx([2 * FRAME_S, 12 * FRAME_S])
    assert trimmed.ends_s[:2] == pytest.approx([12 * FRAME_S, 22 * FRAME_S])
    assert float(np.max(trimmed.ends_s)) <= len(trimmed.samples) / 24_000


def test_words_are_timed_to_a_part_of_the_frame_in_which_the_sound_begins() -> None:
    samples = sound((11, QUIET), (20, LOUD), (23, QUIET))
    samples[11 * FRAME_SAMPLES : 11 * FRAME_SAMPLES + 360] = 0.0  # three fifths of the first frame are silent

    trimmed = trim(samples, np.array([14, 10, 10, 10, 10]), "ab.", 1.0)

    assert trimmed.starts_s[:2] == pytest.approx([2.6 * FRAME_S, 12.6 * FRAME_S])


def test_nothing_but_silence_is_left_as_the_durations_give_it() -> None:
    trimmed = trim(sound((40, 0.0)), np.array([10, 10, 10, 10]), "ab", 1.0)

    assert frames(trimmed.samples) == 2 + 20 + 2
    assert not trimmed.samples.any()


def test_marks_before_the_first_word_are_no_sound() -> None:
    samples = sound((14, QUIET), (20, LOUD), (20, QUIET))
    trimmed = trim(samples, np.array([6, 8, 10, 10, 10, 10]), "“ab.", 1.0)

    assert trimmed.starts_s[1] == pytest.approx(2 * FRAME_S)


def test_the_ends_do_not_click() -> None:
    trimmed = trim(sound((20, LOUD)), np.array([5, 5, 5, 5]), "ab", 1.0)

    assert trimmed.samples[0] == 0
    assert trimmed.samples[-1] == 0
