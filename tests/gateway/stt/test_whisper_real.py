"""The whole of hearing with the real model, in real time."""

import asyncio
from pathlib import Path

import psutil
import pytest

from config.models import ModelStore
from gateway.stt.base import Final
from gateway.stt.whisper import WhisperRecogniser, WhisperRecognisers
from media.formats import ULAW_8K
from media.g711 import pcm_to_ulaw
from media.transcode import Inbound
from media.wav import load

FRAME_S = 0.02


def telephone_line(name: str, silence_s: float) -> bytes:
    return pcm_to_ulaw(load(Path(__file__).parent / "speech" / name, 8000)) + ULAW_8K.encoding.silence * round(
        8000 * silence_s
    )


async def play_turn(ears: WhisperRecogniser, line: bytes) -> Final:
    """Feed the line in real time, commit at its end, and return the final."""
    inbound = Inbound(ULAW_8K, 16_000)

    async def play() -> None:
        for place in range(0, len(line), 160):
            ears.feed(inbound.feed(line[place : place + 160]))
            await asyncio.sleep(FRAME_S)
        ears.commit()

    async def final() -> Final:
        async for event in ears.events():
            if isinstance(event, Final):
                return event
        raise AssertionError("the events ended without a final")

    async with asyncio.timeout(30):
        return (await asyncio.gather(final(), play()))[0]


@pytest.mark.models
async def test_with_the_real_model_a_final_is_ready_at_the_commit_and_survives_the_death_of_the_process() -> None:
    factory = WhisperRecognisers(ModelStore().locate("whisper-base"))
    ears = factory.recogniser("en")
    await ears.open()  # the model loads while the caller speaks
    heard = await play_turn(ears, telephone_line("question.wav", silence_s=0.5))
    assert "bring my little brother to the lesson on saturday" in heard.text.lower()
    assert heard.took_s < 0.5
    assert await factory.ready()

    (process,) = [child for child in psutil.Process().children() if "whisper_process" in " ".join(child.cmdline())]
    process.kill()
    assert (await play_turn(ears, telephone_line("yes.wav", silence_s=0.5))).text.lower().startswith("yes")

    await ears.close()
    await factory.close()
    assert not await factory.ready()
