"""The cast: each bot's own voice and sentences, the default's first."""

import asyncio

from gateway.bots.bot import Bot, Cast
from gateway.call.script import Script, Timing
from tests.rig.clock import run_leaping
from tests.rig.voice import TestVoices

TIMING = Timing(500, 250, 100, 60.0, 30.0, 600.0)


def bot(name: str, greeting: str) -> Bot:
    return Bot(Script("en", "", greeting, "Sorry?", "Pardon?", "Goodbye."), TIMING, "af_heart", 1.0, name)


def test_every_bot_has_its_own_sentences_and_the_default_is_ready_first() -> None:
    async def main() -> None:
        default, other = bot("default", "Hello."), bot("other", "Good morning.")
        voices = TestVoices(delay_s=1.0)
        cast = Cast(voices, (default, other))
        preparing = asyncio.create_task(cast.prepare())
        await asyncio.sleep(0.5)
        assert cast.waiting
        await asyncio.sleep(1.0)
        assert not cast.waiting
        assert cast.prompts(other).get("Good morning.") is None
        await preparing
        assert cast.prompts(other).get("Good morning.") is not None
        assert cast.prompts(default).get("Good morning.") is None
        await asyncio.sleep(0.1)  # the small voices' generators end themselves

    run_leaping(main())


def test_a_bot_whose_sentences_cannot_be_spoken_does_not_stop_the_others() -> None:
    async def main() -> None:
        bots = bot("default", "Hello."), bot("broken", "bad voice"), bot("other", "Good morning.")
        cast = Cast(TestVoices(fails=lambda text: "bad" in text), bots)
        preparing = asyncio.create_task(cast.prepare())
        await asyncio.sleep(10.0)
        assert cast.prompts(bots[2]).get("Good morning.") is not None
        assert not cast.waiting
        preparing.cancel()
        await asyncio.wait([preparing])

    run_leaping(main())
