"""Recorded callers: each line spoils the recording in its way; the whole way runs with ears that need no model."""

import numpy as np
import pytest

from gateway.bench.conversation_callers import LINES, measure_callers, recordings
from gateway.bench.leaping import leap
from gateway.stt.energy import EnergyRecognisers


@pytest.mark.parametrize("line", LINES)
def test_a_line_keeps_the_length_and_changes_the_sound(line: str) -> None:
    pcm = np.frombuffer(recordings()[0].pcm, "<i2").astype(np.float64)
    spoiled = LINES[line](pcm)
    assert len(spoiled) == len(pcm)
    assert np.array_equal(spoiled, pcm) is (line == "clean")


def test_every_recording_is_played_and_its_wait_measured() -> None:
    figures = leap(measure_callers(EnergyRecognisers(["What time do you open?"]), "clean"))
    assert figures.utterances == len(recordings())
    assert 0 < figures.wait_p50_ms <= figures.wait_p95_ms
    assert figures.unanswered == 0
