import asyncio
import math
import struct
import time

import pytest

from gateway.stt.base import Final, SpeechPaused, SpeechStarted, SttEvent
from gateway.stt.energy import EnergyRecogniser, EnergyRecognisers
from media.g711 import pcm_to_ulaw, ulaw_to_pcm
from tests.rig.clock import run_leaping

FRAME_SAMPLES = 320
FRAME_S = 0.02
QUIET = bytes(2 * FRAME_SAMPLES)


def tone(amplitude: float) -> bytes:
    """One frame of 400 Hz that has been through µ-law."""
    samples = (round(32_767 * amplitude * math.sin(math.tau * 400 * i / 16_000)) for i in range(FRAME_SAMPLES))
    return ulaw_to_pcm(pcm_to_ulaw(struct.pack(f"<{FRAME_SAMPLES}h", *samples)))


LOUD = tone(0.3)


async def events_of(ears: EnergyRecogniser) -> list[SttEvent]:
    """Close the ears and return what they said until then."""

    async def read() -> list[SttEvent]:
        found = []
        async for event in ears.events():
            found.append(event)
        return found

    reading = asyncio.create_task(read())
    await asyncio.sleep(0.01)
    await ears.close()
    return await reading


def ears_for(*words: str) -> EnergyRecogniser:
    return EnergyRecognisers(words).recogniser("en")


def test_a_turn_gives_start_pause_and_the_canned_words() -> None:
    async def scene() -> None:
        ears = ears_for("What time do you open?")
        await ears.open()
        ears.feed(QUIET * 10 + LOUD * 20 + QUIET * 10)
        ears.commit()
        start, pause, final = await events_of(ears)
        assert start == SpeechStarted(10 * FRAME_S)
        assert pause == SpeechPaused(30 * FRAME_S)
        assert final == Final("What time do you open?", 30 * FRAME_S, 0.0, "en")

    run_leaping(scene())


def test_each_turn_takes_the_next_words_and_each_call_begins_with_the_first() -> None:
    async def scene() -> None:
        factory = EnergyRecognisers(["one", "two"])
        assert await factory.ready()
        for _ in range(2):
            ears = factory.recogniser("en")
            for _ in range(3):
                ears.feed(LOUD * 20 + QUIET * 10)
                ears.commit()
            texts = [event.text for event in await events_of(ears) if isinstance(event, Final)]
            assert texts == ["one", "two", "one"]
        await factory.close()

    run_leaping(scene())


def test_a_commit_without_speech_and_one_after_a_discard_are_blank() -> None:
    async def scene() -> None:
        ears = ears_for("words")
        ears.feed(QUIET * 20)
        ears.commit()
        ears.feed(LOUD * 20 + QUIET * 10)
        ears.discard()
        ears.commit()
        assert [event.text for event in await events_of(ears) if isinstance(event, Final)] == ["", ""]

    run_leaping(scene())


def test_a_caller_who_speaks_through_a_commit_is_heard_in_both_turns() -> None:
    async def scene() -> None:
        ears = ears_for("words")
        ears.feed(LOUD * 20)
        ears.commit()
        ears.feed(LOUD * 20 + QUIET * 10)
        ears.commit()
        assert [event.text for event in await events_of(ears) if isinstance(event, Final)] == ["words", "words"]

    run_leaping(scene())


def test_a_closed_call_says_nothing_more() -> None:
    async def scene() -> None:
        ears = ears_for("words")
        await ears.close()
        ears.feed(LOUD * 20 + QUIET * 10)
        assert await events_of(ears) == []

    run_leaping(scene())


def test_line_noise_and_a_click_are_no_speech() -> None:
    async def scene() -> None:
        ears = ears_for("words")
        ears.feed(tone(0.003) * 50 + LOUD * 2 + tone(0.003) * 50)
        assert await events_of(ears) == []

    run_leaping(scene())


def test_factory_without_words_is_refused() -> None:
    with pytest.raises(ValueError, match="canned"):
        EnergyRecognisers([])


async def test_a_frame_costs_less_than_20_microseconds() -> None:
    ears = ears_for("words")
    began_s = time.process_time()
    for _ in range(5000):
        ears.feed(LOUD)
    assert 1e6 * (time.process_time() - began_s) / 5000 < 20


def test_canned_words_may_be_of_another_language_and_the_expected_one_may_change() -> None:
    async def scene() -> None:
        ears = EnergyRecognisers(["[id] Jam berapa?", "[sic] At nine.", "Thanks."]).polyglot(["en", "id"])
        await ears.open()
        for expected in ("", "", "es"):
            if expected:
                ears.expect(expected)
            ears.feed(LOUD * 20 + QUIET * 20)
            ears.commit()
        finals = [event for event in await events_of(ears) if isinstance(event, Final)]
        told = [(final.text, final.language) for final in finals]
        assert told == [("Jam berapa?", "id"), ("[sic] At nine.", "en"), ("Thanks.", "es")]

    run_leaping(scene())
