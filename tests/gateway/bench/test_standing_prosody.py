"""Each look takes a fixed time of the leaping clock, however long it takes here."""

import asyncio

import pytest

from config.models import ModelStore
from gateway.bench.leaping import leap
from gateway.bench.standing_prosody import CHARGED_S, StandingSmartTurn


@pytest.mark.models
def test_a_look_is_charged_and_a_gateways_end_is_not_its_own() -> None:
    prosody = StandingSmartTurn(ModelStore().locate("smart-turn"))

    async def look() -> float:
        loop = asyncio.get_running_loop()
        for _ in range(2):
            answer: asyncio.Future[float] = loop.create_future()
            asked_s = loop.time()
            prosody.ask(bytes(32_000), answer.set_result)
            await answer
            await prosody.close()
        took_s = loop.time() - asked_s
        await prosody.end()
        return took_s

    assert leap(look()) == pytest.approx(CHARGED_S)
