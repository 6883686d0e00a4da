import time
from collections.abc import Iterator, Sequence
from itertools import repeat

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.stt.base import SpeechPaused, SpeechStarted
from gateway.stt.vad import Transition, VoiceActivity

FRAME_BYTES = 1024
FRAME_S = 0.032
SECOND = 31  # frames
QUIET, ROOM, HISS, VOICE = 0, 100, 500, 5000  # amplitudes; a hiss is 14 dB above the room


def activity(scores: Sequence[float], **settings: float) -> VoiceActivity:
    """An ear whose frames get these scores, whatever their audio."""
    script: Iterator[float] = iter(scores)
    return VoiceActivity(lambda _: next(script), **settings)  # type: ignore[arg-type]  # settings have several types


def hear(scores: Sequence[float], **settings: float) -> list[Transition]:
    return activity(scores, **settings).feed(bytes(FRAME_BYTES * len(scores)))


def test_speech_begins_where_its_first_frame_does_though_it_is_noticed_later() -> None:
    assert hear([0.0, 0.0, 0.9, 0.9, 0.9], min_speech_ms=96) == [SpeechStarted(2 * FRAME_S)]


def test_a_click_shorter_than_the_least_speech_is_nothing() -> None:
    assert hear([0.9, 0.9, 0.0] * 5, min_speech_ms=96) == []


def test_a_pause_ends_speech_where_the_quiet_began() -> None:
    found = hear([0.9] * 3 + [0.0] * 4, min_speech_ms=96, pause_ms=128)
    assert found == [SpeechStarted(0.0), SpeechPaused(3 * FRAME_S)]


def test_speech_fades_before_it_pauses() -> None:
    ear = activity([0.9] * 3 + [0.0] * 4 + [0.9] * 3 + [0.0, 0.9], min_speech_ms=96, pause_ms=128)
    fading = []
    for _ in range(12):
        ear.feed(bytes(FRAME_BYTES))
        fading.append(ear.fading)
    assert fading == [False] * 4 + [True] * 2 + [False] * 6


def test_quiet_shorter_than_the_pause_is_part_of_speech() -> None:
    assert hear(([0.9] * 3 + [0.0] * 3) * 4, min_speech_ms=96, pause_ms=128) == [SpeechStarted(0.0)]


def test_speech_that_resumes_after_a_pause_starts_again() -> None:
    found = hear([0.9] * 2 + [0.0] * 2 + [0.9] * 2, min_speech_ms=64, pause_ms=64)
    assert found == [SpeechStarted(0.0), SpeechPaused(2 * FRAME_S), SpeechStarted(4 * FRAME_S)]


def test_between_the_thresholds_speech_goes_on_but_does_not_begin() -> None:
    assert hear([0.4] * 10) == []
    assert hear([0.9] * 3 + [0.4] * 10) == [SpeechStarted(0.0)]


def test_a_beginning_may_waver_between_the_thresholds() -> None:
    assert hear([0.9, 0.4, 0.4], min_speech_ms=96) == [SpeechStarted(0.0)]


def test_durations_are_rounded_up_to_whole_frames() -> None:
    assert hear([0.9, 0.9], min_speech_ms=65) == []
    assert hear([0.9, 0.9], min_speech_ms=64) == [SpeechStarted(0.0)]
    assert hear([0.9], min_speech_ms=0) == [SpeechStarted(0.0)]


def test_an_end_threshold_above_the_start_cannot_make_speech_flicker() -> None:
    assert hear([0.6] * 10, start_threshold=0.5, end_threshold=0.9) == [SpeechStarted(0.0)]


def test_speaking_tells_the_present_state() -> None:
    ears = activity([0.9, 0.0], min_speech_ms=32, pause_ms=32)
    ears.feed(bytes(FRAME_BYTES))
    assert ears.speaking
    ears.feed(bytes(FRAME_BYTES))
    assert not ears.speaking


def sound(*amplitudes: int) -> bytes:
    """A frame of each."""
    return np.repeat(np.array(amplitudes, "<i2"), FRAME_BYTES // 2).tobytes()


def voice_behind(*amplitudes: int) -> Transition:
    """What tells of the voice behind frames that are none to the score."""
    scores = [*repeat(0.0, len(amplitudes)), *repeat(0.9, 3)]
    (started,) = activity(scores, min_speech_ms=96).feed(sound(*amplitudes, *repeat(VOICE, 3)))
    return started


@pytest.mark.parametrize("before", [QUIET, ROOM])
def test_a_consonant_that_is_no_voice_to_the_score_leads_to_it(before: int) -> None:
    at_s = (SECOND + 4) * FRAME_S
    assert voice_behind(*repeat(before, SECOND), *repeat(HISS, 4)) == SpeechStarted(at_s, 4 * FRAME_S)
    assert voice_behind(*repeat(before, SECOND + 4)) == SpeechStarted(at_s)


def test_no_consonant_is_longer_than_200_ms_or_apart_from_its_vowel() -> None:
    assert voice_behind(*repeat(QUIET, SECOND), *repeat(HISS, 9)) == SpeechStarted(40 * FRAME_S, 6 * FRAME_S)
    assert voice_behind(*repeat(QUIET, SECOND), *repeat(HISS, 4), QUIET) == SpeechStarted(36 * FRAME_S)


def test_what_is_always_as_loud_leads_to_nothing() -> None:
    assert voice_behind(*repeat(HISS, SECOND)) == SpeechStarted(SECOND * FRAME_S)
    assert voice_behind(*repeat(QUIET, SECOND), *repeat(HISS, SECOND)) == SpeechStarted(2 * SECOND * FRAME_S)
    assert hear([0.9] * 3) == [SpeechStarted(0.0)]


def test_the_voice_before_a_pause_does_not_lead_to_the_voice_behind_it() -> None:
    scores = [*repeat(0.0, SECOND), *repeat(0.9, 3), *repeat(0.0, 3), *repeat(0.9, 3)]
    ears = activity(scores, min_speech_ms=96, pause_ms=96)
    audio = sound(*repeat(QUIET, SECOND), *repeat(VOICE, 3), *repeat(QUIET, 3), *repeat(VOICE, 3))
    assert ears.feed(audio)[-1] == SpeechStarted((SECOND + 6) * FRAME_S)


@given(
    scores=st.lists(st.sampled_from([0.0, 0.4, 0.9]), max_size=40),
    cuts=st.lists(st.integers(0, 40 * FRAME_BYTES), max_size=12),
)
def test_any_split_of_the_audio_gives_the_same_transitions(scores: list[float], cuts: list[int]) -> None:
    ears = activity(scores)
    audio = bytes(len(scores) * FRAME_BYTES)
    places = [0, *sorted(cut for cut in cuts if cut < len(audio)), len(audio)]
    pieces = [audio[a:b] for a, b in zip(places, places[1:], strict=False)]
    assert [found for piece in pieces for found in ears.feed(piece)] == hear(scores)


def test_frames_are_scored_whole_and_in_order_with_the_rest_kept() -> None:
    seen: list[bytes] = []

    def score(frame: bytes) -> float:
        seen.append(frame)
        return 0.0

    ears = VoiceActivity(score, frame_samples=2)
    for piece in (b"abc", b"defgh", b"i"):
        ears.feed(piece)
    assert seen == [b"abcd", b"efgh"]


def test_the_core_itself_costs_a_few_microseconds_a_frame() -> None:
    ears = VoiceActivity(lambda _: 0.0, frame_samples=320)
    frame = bytes(640)
    began_s = time.process_time()
    for _ in range(2000):
        ears.feed(frame)
    # Measured below 2; the bound leaves room for a busy machine and still catches work that grows with the call.
    assert 1e6 * (time.process_time() - began_s) / 2000 < 20
