"""Whole calls with voices that do not stop when told to: what was cancelled is never heard."""

import asyncio

import pytest

from gateway.call.record import CallRecord
from gateway.llm.scripted import ScriptedModel
from gateway.simulator.call import CallTrace
from gateway.tts.base import SpeechSession
from tests.rig.call import GREETING, Rig, sound
from tests.rig.clock import run_leaping
from tests.rig.voice import CHAR_S, TestVoice, TestVoices

LIST = " ".join(f"Item number {n} is on the list." for n in range(1, 11))


class Stubborn(TestVoice):
    """Goes on sending what was cancelled, as fast as it can or sentence by sentence."""

    __test__ = False

    def cancel(self) -> None:
        self.cancels = getattr(self, "cancels", 0) + 1


class StubbornVoices(TestVoices):
    __test__ = False

    def session(self, voice: str, language: str, speed: float) -> SpeechSession:
        made = Stubborn(self._delay_s, lambda _: False, False)
        self.made.append(made)
        return made


def interrupted(voices: TestVoices) -> tuple[CallTrace, CallRecord]:
    rig = Rig(model=ScriptedModel([LIST, "Fine."]), voices=voices)
    return run_leaping(rig.call([sound(0.5, "a"), sound(1.0, "b", interrupt_after_s=1.0)]))


@pytest.mark.parametrize("delay_s", [0.0, 0.3, 1.0])
def test_f30_audio_of_a_cancelled_reply_is_denied_also_while_no_other_is_asked_for(delay_s: float) -> None:
    trace, record = interrupted(StubbornVoices(delay_s=delay_s))
    cut = record.turns[1]
    assert cut.interrupted
    assert LIST.startswith(cut.heard_text)
    last = trace.spoken[1]
    assert trace.playback.audible(last.start_s + 0.45, last.end_s + 0.4) is None
    after = trace.playback.audible(last.end_s)
    assert after is not None
    assert record.turns[-1].heard_text == "Fine."
    assert after[1] - after[0] == pytest.approx(len("Fine.") * CHAR_S, abs=0.1)


def test_f32_f33_a_long_list_is_cancelled_once_and_nothing_more_of_it_is_asked() -> None:
    voices = StubbornVoices(delay_s=0.4)
    interrupted(voices)
    (voice,) = voices.made
    assert isinstance(voice, Stubborn)
    assert voice.cancels == 1
    assert voice._count <= len(LIST.split(". ")) + 2  # the greeting, the list, the answer


def test_f36_two_calls_at_once_hear_their_own_words_only() -> None:
    async def main() -> list[tuple[CallTrace, CallRecord]]:
        rig = Rig(model=ScriptedModel(["Short.", "A much longer answer than that."]))
        gateway = rig.gateway()
        calls = [rig.call([sound(0.5)], gateway=gateway, number=number) for number in (1, 2)]
        return await asyncio.gather(*calls)

    results = run_leaping(main())
    assert {record.turns[1].heard_text for _, record in results} == {"Short.", "A much longer answer than that."}
    for trace, record in results:
        assert record.turns[0].heard_text == GREETING
        heard = trace.playback.audible(trace.spoken[0].end_s)
        assert heard is not None
        assert heard[1] - heard[0] == pytest.approx(len(record.turns[1].heard_text) * CHAR_S, abs=0.1)
