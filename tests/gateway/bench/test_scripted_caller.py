"""Scripted callers: every word is told when it has been said, once, and no sooner."""

import asyncio
from collections.abc import Sequence

import pytest

from gateway.bench.scripted_caller import WORD_S, Breath, ScriptedRecognisers, Transcript, Utterance, utterance
from gateway.simulator.playback import Playback
from gateway.simulator.script import Manners, Script
from gateway.stt.base import Final, Partial, SpeechPaused, SpeechStarted, SttEvent
from media.resample import StreamResampler
from tests.rig.clock import run_leaping


def test_an_utterance_lasts_as_long_as_its_words_and_hesitations() -> None:
    made = utterance("a", [Breath("one two", 700), Breath("three", seconds=0.5)])
    assert made.turn.speech_end_s - made.turn.speech_start_s == pytest.approx(2 * WORD_S + 0.7 + 0.5)
    assert [word for _, word in made.words] == ["one", "two", "three"]
    assert [at_s for at_s, _ in made.words] == pytest.approx([0.1 + WORD_S, 0.1 + 2 * WORD_S, 0.1 + 2 * WORD_S + 1.2])


async def _heard(utterances: Sequence[Utterance], commit_at_s: float) -> list[SttEvent]:
    script = Script([u.turn for u in utterances], 8000, Manners(greeting_s=0.1))
    ears = ScriptedRecognisers(Transcript(script, utterances)).recogniser("en")
    await ears.open()
    upsampler, playback = StreamResampler(8000, 16_000), Playback(8000)
    events: list[SttEvent] = []

    async def follow() -> None:
        async for event in ears.events():
            events.append(event)

    following = asyncio.create_task(follow())
    for number in range(round((commit_at_s + 0.5) * 50)):
        frame = script.frame(number * 0.02, playback)
        assert frame is not None
        ears.feed(upsampler.feed(frame.pcm))
        if number == round(commit_at_s * 50):
            ears.commit()
        await asyncio.sleep(0.02)
    await ears.close()
    await following
    return events


def test_words_come_as_partials_again_at_the_pause_and_whole_at_the_commit() -> None:
    events = run_leaping(_heard([utterance("a", [Breath("one two three")])], 2.5))
    partials = [event.text for event in events if isinstance(event, Partial)]
    assert partials[0] in ("one", "one two")
    assert partials[-1] == "one two three"
    assert [type(event) for event in events if not isinstance(event, Partial)] == [SpeechStarted, SpeechPaused, Final]
    assert isinstance(events[-1], Final)
    assert events[-1].text == "one two three"


def test_a_noise_has_no_words() -> None:
    events = run_leaping(_heard([utterance("a", [Breath("", seconds=0.4)])], 1.5))
    assert [event.text for event in events if isinstance(event, Partial | Final)] == [""]
