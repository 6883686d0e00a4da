"""The scripted voice: exact lengths, exact words, nothing after a cancel."""

import pytest

from gateway.bench.scripted_voice import CHAR_S, RATE_HZ, ScriptedVoices, word_times
from gateway.tts.base import SpeechAudio, SpeechDone, SpeechEvent
from tests.rig.clock import run_leaping


async def _said(*texts: str, cancel: bool = False) -> list[SpeechEvent]:
    voice = ScriptedVoices(0.15).session("v", "en", 1.0)
    await voice.open()
    for text in texts:
        voice.speak(text)
    if cancel:
        voice.cancel()
    await voice.close()
    return [event async for event in voice.events()]


def test_a_sentence_lasts_as_long_as_its_letters() -> None:
    events = run_leaping(_said("One two.", "Three."))
    seconds = sum(len(e.pcm) for e in events if isinstance(e, SpeechAudio)) / 2 / RATE_HZ
    assert seconds == pytest.approx(len("One two.Three.") * CHAR_S)
    assert [event.request_id for event in events if isinstance(event, SpeechDone)] == [1, 2]


def test_words_are_timed_by_their_letters() -> None:
    assert [(w.text, w.start_s, w.end_char) for w in word_times("One two.")] == [
        ("One", 0.0, 3),
        ("two.", 4 * CHAR_S, 8),
    ]


def test_nothing_is_said_after_a_cancel() -> None:
    assert run_leaping(_said("One.", cancel=True)) == []
