"""Whisper under the leaping clock: what it takes in truth does not count, what it is charged does."""

import asyncio

import pytest

from config.models import ModelStore
from gateway.bench.caller_set import every_caller
from gateway.bench.leaping import leap
from gateway.bench.standing_whisper import StandingWhisper
from gateway.stt.base import STT_RATE_HZ, Final
from media.resample import StreamResampler


@pytest.mark.models
def test_loading_takes_no_time_and_a_job_what_it_is_charged() -> None:
    turn = next(caller for caller in every_caller() if caller.name == "opening-hours").turn()
    pcm = StreamResampler(8000, STT_RATE_HZ).feed(turn.pcm) + bytes(2 * STT_RATE_HZ)

    async def main() -> tuple[str, float]:
        ears = StandingWhisper(ModelStore().locate("whisper-base"), charged_s=1.25)
        recogniser = ears.recogniser("en")
        await recogniser.open()
        recogniser.feed(pcm)
        recogniser.commit()
        text = ""
        async for event in recogniser.events():
            if isinstance(event, Final):
                text = event.text
                break
        await recogniser.close()
        await ears.close()
        assert await ears.ready(), "a call's end is not the end of the ears"
        await ears.end()
        assert ears.took_s
        return text, asyncio.get_running_loop().time()

    text, took_s = leap(main())
    assert "open on Saturday" in text
    assert took_s == pytest.approx(1.25, abs=0.5)
