"""Fixed sentences kept as audio: prepared once, for as long as it takes, each complete or not at all."""

import asyncio

import pytest

from gateway.call.prompts import PREPARE_TIMEOUT_S, RETRY_EVERY_S, Prompts
from gateway.tts.base import Delivery
from media.pronunciation import Pronunciation
from tests.rig.clock import run_leaping
from tests.rig.voice import CHAR_S, RATE_HZ, TestVoices


def prepared(voices: TestVoices, *texts: str) -> Prompts:
    async def main() -> Prompts:
        prompts = Prompts("af_heart", "en", 1.0)
        await prompts.prepare(voices, texts)
        return prompts

    return run_leaping(main())


def test_every_text_is_kept_whole_with_its_word_times() -> None:
    voices = TestVoices()
    prompts = prepared(voices, "Good morning.", "Goodbye.", "Goodbye.")
    kept = prompts.get("Good morning.")
    assert kept is not None
    assert len(kept.pcm) == round(len("Good morning.") * CHAR_S * RATE_HZ) * 2
    assert [word.text for word in kept.words] == ["Good", "morning."]
    assert [voice.spoken for voice in voices.made] == [["Good morning.", "Goodbye."]]
    assert [voice.closed for voice in voices.made] == [True]


def test_what_is_not_kept_is_not_had() -> None:
    assert prepared(TestVoices(), "Goodbye.").get("Hello.") is None


@pytest.mark.parametrize("texts", [(), ("", " "), ("👋",)])
def test_with_nothing_to_say_there_is_nothing_to_wait_for(texts: tuple[str, ...]) -> None:
    assert not prepared(TestVoices(), *texts).waiting


def test_callers_are_worth_waiting_for_until_the_first_text_is_kept() -> None:
    async def main() -> None:
        prompts = Prompts("af_heart", "en", 1.0)
        assert not prompts.waiting
        preparing = asyncio.create_task(prompts.prepare(TestVoices(delay_s=2.0), ["Good morning.", "Goodbye."]))
        await asyncio.sleep(1.0)
        assert prompts.waiting
        await asyncio.sleep(2.0)
        assert not prompts.waiting
        assert not preparing.done()
        await preparing
        await asyncio.sleep(0.1)  # the small voice's generator ends itself

    run_leaping(main())


@pytest.mark.parametrize(
    "voices", [TestVoices(refuses=True), TestVoices(fails=lambda text: "bad" in text), TestVoices(shut=True)]
)
def test_a_voice_that_cannot_is_asked_again_until_it_is_given_up(voices: TestVoices) -> None:
    async def main() -> None:
        prompts = Prompts("af_heart", "en", 1.0)
        preparing = asyncio.create_task(prompts.prepare(voices, ["bad"]))
        await asyncio.sleep(RETRY_EVERY_S * 2.5)
        assert not preparing.done()
        preparing.cancel()
        await asyncio.wait({preparing})
        assert len(voices.made) == 3
        assert all(voice.closed for voice in voices.made)

    run_leaping(main())


def test_a_voice_that_says_nothing_is_left_within_a_bound_and_asked_again() -> None:
    async def main() -> None:
        prompts, voices = Prompts("af_heart", "en", 1.0), TestVoices(delay_s=1e4)
        preparing = asyncio.create_task(prompts.prepare(voices, ["Hello."]))
        await asyncio.sleep(PREPARE_TIMEOUT_S + RETRY_EVERY_S + 1.0)
        assert len(voices.made) == 2
        preparing.cancel()
        await asyncio.wait({preparing})

    run_leaping(main())


def test_kept_words_stay_out_of_reprs() -> None:
    assert "Goodbye" not in repr(prepared(TestVoices(), "Goodbye.").get("Goodbye."))


def test_sentences_are_asked_for_in_the_bot_s_voice_and_with_the_sounds_of_its_lexicon() -> None:
    async def main() -> None:
        voices = TestVoices()
        prompts = Prompts("em_alex", "id", 0.85, {"Xiaomi": "/ʃaʊ/", "Nguyen": "win"})
        await prompts.prepare(voices, ["Halo Xiaomi.", "Nguyen."])
        assert voices.made[0].spoken == ["Halo Xiaomi.", "win."]
        first, second = voices.made[0].deliveries
        assert first == Delivery("em_alex", "id", 0.85, (Pronunciation(5, 11, "ʃaʊ"),))
        assert second.pronunciations == ()

    run_leaping(main())
