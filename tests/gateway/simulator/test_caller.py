"""Recorded callers as turns."""

import json
from pathlib import Path

import pytest

from gateway.simulator.caller import CallerTurn, load_turns, recorded_turn, speech_span
from media import wav
from tests.gateway.simulator.echo import RATE_HZ, tone

SILENCE = bytes(RATE_HZ)  # half a second


def test_speech_is_found_between_silences() -> None:
    assert speech_span(SILENCE + tone(1.0) + SILENCE, RATE_HZ) == pytest.approx((0.5, 1.5))


def test_noise_far_below_the_speech_is_not_speech() -> None:
    hiss = tone(0.5, 700.0, 0.4 / 100)
    assert speech_span(hiss + tone(1.0) + hiss, RATE_HZ) == pytest.approx((0.5, 1.5))


def test_a_silent_recording_is_spoken_all_along() -> None:
    assert speech_span(SILENCE, RATE_HZ) == (0.0, 0.5)
    assert speech_span(b"", RATE_HZ) == (0.0, 0.0)


def test_a_recording_is_loaded_with_its_text(tmp_path: Path) -> None:
    wav.save(tmp_path / "hours.wav", SILENCE + tone(0.5), RATE_HZ)
    (tmp_path / "manifest.json").write_text(json.dumps({"hours.wav": {"text": "When do you open?"}}), "utf-8")
    (turn,) = load_turns([tmp_path / "hours.wav"], RATE_HZ)
    assert (turn.name, turn.text, turn.digits) == ("hours.wav", "When do you open?", "")
    assert (turn.speech_start_s, turn.speech_end_s) == pytest.approx((0.5, 1.0))
    assert turn.pcm == SILENCE + tone(0.5)
    assert "open" not in repr(turn)


@pytest.mark.parametrize("manifest", [None, {}, {"hours.wav": {}}, {"hours.wav": {"text": 7}}])
def test_a_recording_without_known_text_is_still_a_turn(tmp_path: Path, manifest: object) -> None:
    wav.save(tmp_path / "hours.wav", tone(0.5), RATE_HZ)
    if manifest is not None:
        (tmp_path / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    assert load_turns([str(tmp_path / "hours.wav")], RATE_HZ)[0].text == ""


def test_a_recording_of_another_rate_is_resampled(tmp_path: Path) -> None:
    wav.save(tmp_path / "a.wav", tone(0.5) * 2, 2 * RATE_HZ)
    assert len(load_turns([tmp_path / "a.wav"], RATE_HZ)[0].pcm) == pytest.approx(RATE_HZ, abs=32)


def test_keys_are_a_turn_too() -> None:
    assert load_turns(["dtmf:12#a"], RATE_HZ) == [CallerTurn("dtmf:12#a", digits="12#A")]


@pytest.mark.parametrize("source", ["dtmf:", "dtmf:12x", "nowhere.wav"])
def test_a_source_that_cannot_be_used_is_named(source: str) -> None:
    with pytest.raises(ValueError, match=source):
        load_turns([source], RATE_HZ)


def test_a_turn_from_pcm_knows_its_speech() -> None:
    turn = recorded_turn("made up", SILENCE + tone(0.25) + SILENCE, RATE_HZ, "words")
    assert turn.speech_end_s == pytest.approx(0.75)
