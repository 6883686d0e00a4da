"""The call's ears: what the recogniser says becomes happenings, and its failures become something to answer."""

import asyncio
from collections.abc import Sequence

import pytest

from gateway.call.exchange import Exchange
from gateway.call.hearing.listener import Listener
from gateway.call.record import CallRecord
from gateway.call.turn import Happening
from gateway.errors import SttError
from gateway.stt.base import STT_RATE_HZ, Final, Partial, SpeechPaused, SpeechStarted, SttEvent
from media.formats import ULAW_8K
from tests.rig.clock import run_leaping

H = Happening


class ScriptedEars:
    """Says its events; an error stands where it is raised."""

    partials = True

    def __init__(self, events: Sequence[SttEvent | SttError], refuses: SttError | None = None) -> None:
        self._events = list(events)
        self._refuses = refuses
        self.fed_bytes = 0
        self.asked: list[str] = []

    def say(self, event: SttEvent) -> None:
        self._events.append(event)

    async def open(self) -> None:
        if self._refuses is not None:
            raise self._refuses

    def feed(self, pcm: bytes) -> None:
        self.fed_bytes += len(pcm)

    def commit(self) -> None:
        self.asked.append("commit")

    def discard(self) -> None:
        self.asked.append("discard")

    async def events(self):  # type: ignore[no-untyped-def]  # an async generator of SttEvent
        while self._events:
            event = self._events.pop(0)
            if isinstance(event, SttError):
                raise event
            yield event

    async def close(self) -> None:
        """Nothing is open."""


class Ear:
    """A listener with what it did."""

    def __init__(self, *events: SttEvent | SttError, refuses: SttError | None = None) -> None:
        self.ears = ScriptedEars(events, refuses)
        self.exchange = Exchange(CallRecord("CA1", "twilio", "then"), asyncio.get_running_loop().time)
        self.happened: list[Happening] = []
        self.listener = Listener(self.ears, ULAW_8K, self.exchange, self.happened.append)


def happened(*events: SttEvent | SttError, refuses: SttError | None = None) -> Ear:
    async def main() -> Ear:
        ear = Ear(*events, refuses=refuses)
        await ear.listener.run()
        return ear

    return run_leaping(main())


def test_speech_pauses_and_words_become_happenings() -> None:
    ear = happened(SpeechStarted(0.1), SpeechPaused(0.5), Partial("When", 0.5), Final("When?", 0.5, 0.0))
    assert ear.happened == [H.SPEECH_STARTED, H.SPEECH_PAUSED, H.PARTIAL, H.WORDS]
    assert ear.exchange.turn.caller_text == "When?"


def test_blank_words_are_no_words_unless_something_is_unanswered() -> None:
    assert happened(Final("", 0.5, 0.0)).happened == [H.NO_WORDS]
    assert happened(Final("When?", 0.5, 0.0), Final(" ", 0.9, 0.0)).happened == [H.WORDS, H.WORDS]


def test_the_silence_already_passed_is_told_with_the_pause() -> None:
    async def main() -> None:
        ear = Ear(SpeechPaused(0.3))
        for _ in range(25):
            ear.listener.feed(bytes(160))
        assert ear.ears.fed_bytes / (2 * STT_RATE_HZ) == pytest.approx(0.5, abs=0.04)
        await ear.listener.run()
        assert ear.listener.silence_ms == pytest.approx(200, abs=40)

    run_leaping(main())


def test_a_pause_that_lies_in_the_future_is_no_negative_silence() -> None:
    assert happened(SpeechPaused(9.0)).listener.silence_ms == 0


def test_commit_and_discard_reach_the_recogniser() -> None:
    async def main() -> None:
        ear = Ear()
        ear.listener.commit()
        ear.listener.discard()
        assert ear.ears.asked == ["commit", "discard"]
        assert "committed" in ear.exchange.turn.at_s

    run_leaping(main())


def test_a_failure_at_one_turn_is_a_turn_without_words_and_listening_goes_on() -> None:
    ear = happened(SttError("stt_overdue", retryable=True), Final("Hello?", 0.5, 0.0))
    assert ear.happened == [H.NO_WORDS, H.WORDS]
    assert ear.exchange.turn.failure == "stt_overdue"


@pytest.mark.parametrize("refuses", [None, SttError("stt_engine_down")])
def test_a_recogniser_that_fails_for_good_ends_the_call_politely(refuses: SttError | None) -> None:
    ear = happened(SttError("stt_engine_down"), Final("never", 0.5, 0.0), refuses=refuses)
    assert ear.happened == [H.FAREWELL]
    assert ear.exchange.turn.failure == "stt_engine_down"


def test_f79_f80_every_frame_is_upsampled_and_handed_on_when_it_comes() -> None:
    async def main() -> None:
        ear = Ear()
        fed = []
        for _ in range(10):
            before = ear.ears.fed_bytes
            ear.listener.feed(bytes(160))  # 20 ms at 8 kHz
            fed.append(ear.ears.fed_bytes - before)
        assert all(0 < step <= 2 * 640 for step in fed[2:])
        assert sum(fed) / (2 * STT_RATE_HZ) == pytest.approx(0.2, abs=0.035)

    run_leaping(main())


def test_words_are_those_of_the_utterance_and_fresh_when_they_reach_its_end() -> None:
    async def main() -> None:
        ear = Ear(SpeechStarted(0.1), Partial("When do", 0.6), SpeechPaused(1.2))
        await ear.listener.run()
        assert (ear.listener.words, ear.listener.words_are_fresh) == ("When do", False)
        assert ear.listener.sound_ms == 1100
        again = Ear(SpeechStarted(0.1), SpeechPaused(1.2), Partial("When do you open?", 1.3))
        await again.listener.run()
        assert again.listener.words_are_fresh
        again.listener.commit()
        assert not again.listener.words_are_fresh

    run_leaping(main())


def test_a_new_utterance_forgets_the_words_before_it() -> None:
    async def main() -> None:
        ear = Ear(SpeechStarted(0.1), Partial("When?", 0.6), SpeechPaused(0.7))
        await ear.listener.run()
        assert ear.listener.words == "When?"
        ear.listener.commit()
        ear.ears.say(SpeechStarted(2.0))
        await ear.listener.run()
        assert ear.listener.words == ""

    run_leaping(main())


def test_a_recogniser_that_ends_a_sentence_without_a_mark_sets_none() -> None:
    assert happened(Final("what time do you open", 0.5, 0.0)).listener.punctuates is False
    assert happened(Final("What time do you open?", 0.5, 0.0)).listener.punctuates is True


def test_f44_words_that_are_the_bots_own_are_nobodys() -> None:
    async def main() -> None:
        ear = Ear(Final("We open at nine.", 0.5, 0.0))
        ear.listener.is_own_voice = lambda text: "nine" in text
        await ear.listener.run()
        assert ear.happened == [H.NO_WORDS]
        assert ear.exchange.turn.caller_text == ""

    run_leaping(main())
