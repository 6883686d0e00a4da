"""Whole calls heard by a service in the cloud, under the leaping clock: what it hears, and what its troubles cost."""

import asyncio

import pytest

from gateway.call.record import CallRecord
from gateway.errors import SttError
from gateway.gateway import Gateway
from gateway.simulator.caller import CallerTurn, recorded_turn
from gateway.stt.cloud.recogniser import CloudRecogniser
from media.resample import StreamResampler
from tests.gateway.stt.cloud.hearing import loudness
from tests.rig.call import ANSWER, GREETING, WIRE_RATE_HZ, Rig
from tests.rig.clock import run_leaping
from tests.rig.cloud import MemoryDeepgram
from tests.rig.tones import RATE_HZ, silence, spoken

AWAY = SttError("deepgram_unreachable", "nobody", retryable=True)


class CloudEars:
    """Recognisers over one service in memory."""

    def __init__(self, service: MemoryDeepgram) -> None:
        self.service = service

    def recogniser(self, language: str) -> CloudRecogniser:
        return CloudRecogniser(self.service, loudness(), language)

    async def ready(self) -> bool:
        return await self.service.ready()

    async def close(self) -> None:
        """Nothing is shared."""


def says(words: str) -> CallerTurn:
    """A caller's turn in tones, as the telephone brings them."""
    resampler = StreamResampler(RATE_HZ, WIRE_RATE_HZ)
    pcm = resampler.feed(silence(60) + spoken(words) + silence(60)) + resampler.flush()
    return recorded_turn(words, pcm, WIRE_RATE_HZ, words)


def heard(record: CallRecord) -> list[tuple[str, str]]:
    return [(turn.caller_text, turn.heard_text) for turn in record.turns]


def test_a_caller_is_heard_and_answered_turn_by_turn() -> None:
    service = MemoryDeepgram()
    trace, record = run_leaping(Rig(ears=CloudEars(service)).call([says("what time do you open?"), says("yes")]))
    assert heard(record) == [("", GREETING), ("what time do you open?", ANSWER), ("yes", ANSWER)]
    assert (record.ended, trace.violations) == ("stop", ())
    assert len(service.streams) == 1
    assert record.turns[1].stages_ms()["stt"] == 0.0


@pytest.mark.parametrize("away_for", [0, 3])
def test_f77_a_stream_that_is_lost_in_the_middle_of_a_question_costs_no_words(away_for: int) -> None:
    class Breaking(MemoryDeepgram):
        def lose_the_first(self) -> None:
            self.refusals = [AWAY] * away_for
            self.streams[0].end("NET-0000")

    async def call() -> tuple[CallRecord, Breaking]:
        service = Breaking()
        gateway: Gateway = (rig := Rig(ears=CloudEars(service))).gateway()
        asyncio.get_running_loop().call_later(2.0, service.lose_the_first)
        _, record = await rig.call([says("what time do you open?"), says("yes")], gateway=gateway)
        return record, service

    record, service = run_leaping(call())
    assert heard(record) == [("", GREETING), ("what time do you open?", ANSWER), ("yes", ANSWER)]
    assert len(service.streams) == 2


def test_a_service_that_will_not_have_us_ends_the_call_with_a_goodbye() -> None:
    service = MemoryDeepgram(refusals=[SttError("deepgram_refused", "HTTP 402 at the upgrade")])
    _, record = run_leaping(Rig(ears=CloudEars(service)).call([says("yes")]))
    assert [turn.failure for turn in record.turns if turn.failure] == ["deepgram_refused"]
    assert len(service.asked_at_s) == 1
