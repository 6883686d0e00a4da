"""The gateway's parts together: readiness, answers, and the end."""

import asyncio

import pytest

from gateway.errors import Refused
from gateway.platforms.base import WebhookRequest
from tests.rig.call import ANSWER, GREETING, Rig, sound
from tests.rig.clock import run_leaping
from tests.rig.voice import TestVoices


def webhook(call_id: str = "CA1") -> WebhookRequest:
    return WebhookRequest("POST", "https://bot.example.com/twilio/voice", {}, (("CallSid", call_id),))


def test_it_is_ready_when_every_part_is_and_there_is_room() -> None:
    async def main() -> None:
        ready = {"stt": True, "llm": True, "tts": True, "room": True}
        assert await Rig().gateway().readiness() == ready
        assert await Rig(voices=TestVoices(refuses=True)).gateway().readiness() == {**ready, "tts": False}
        gateway = Rig().gateway()
        await gateway.stop(0.0)
        assert await gateway.readiness() == {**ready, "room": False}

    run_leaping(main())


def test_fixed_sentences_are_prepared_at_the_start_and_sound_without_the_voice() -> None:
    async def main() -> None:
        rig = Rig()
        gateway = rig.gateway()
        await gateway.start()
        await asyncio.sleep(10.0)
        assert rig.voices.made[0].spoken[0] == GREETING
        trace, record = await rig.call([sound(0.5)], gateway=gateway)
        assert [turn.heard_text for turn in record.turns] == [GREETING, ANSWER]
        assert rig.voices.made[1].spoken == ["We open at nine.", "On Saturday we open at ten."]
        await gateway.stop(0.0)

    run_leaping(main())


def test_stopping_ends_a_preparation_that_never_succeeds() -> None:
    async def main() -> None:
        gateway = Rig(voices=TestVoices(refuses=True)).gateway()
        await gateway.start()
        await asyncio.sleep(20.0)
        await gateway.stop(0.0)

    run_leaping(main())


def test_an_answer_that_cannot_be_given_gives_the_place_back() -> None:
    async def main() -> None:
        rig = Rig(max_calls=1)
        gateway = rig.gateway()
        with pytest.raises(ValueError, match="query"):
            gateway.answer(gateway.platform("twilio"), webhook(), "wss://bot.example.com/stream?x=1")
        await gateway.stop(0.0)

    run_leaping(main())


def test_an_unknown_platform_is_not_found_by_a_short_name() -> None:
    async def main() -> None:
        with pytest.raises(Refused) as caught:
            Rig().gateway().platform("x" * 1000)
        assert caught.value.http_status == 404
        assert len(str(caught.value)) < 200

    run_leaping(main())
