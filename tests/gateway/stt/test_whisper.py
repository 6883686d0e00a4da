import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from config.models import ModelStore
from gateway.errors import SttError
from gateway.stt.base import Final, Partial, SpeechPaused, SpeechStarted, SttEvent
from gateway.stt.commits import COMMIT_DEADLINE_S
from gateway.stt.utterance import LONGEST_PIECE_S
from gateway.stt.vad import VoiceActivity
from gateway.stt.whisper import WhisperRecogniser, WhisperRecognisers
from gateway.stt.whisper_engine import WhisperEngine
from gateway.stt.whisper_jobs import MAX_FINALS_PER_CALL
from media.formats import ULAW_8K
from media.g711 import pcm_to_ulaw
from media.transcode import Inbound
from media.wav import load
from tests.gateway.stt.workers import JOB_FAILED, FakeWorkers, failing
from tests.rig.clock import run_leaping

FRAME_S = 0.02
VOICE = b"\1" * 640
SILENCE = bytes(640)


class Call:
    """A recogniser, what is fed to it in the clock's time, and everything it said."""

    def __init__(self, engine: WhisperEngine, language: str = "en") -> None:
        activity = VoiceActivity(
            lambda frame: float(frame != SILENCE), min_speech_ms=80, pause_ms=120, frame_samples=len(VOICE) // 2
        )
        self.ears = WhisperRecogniser(engine, activity, language)
        self.said: list[SttEvent | SttError] = []
        self._reading: asyncio.Task[None] | None = None

    async def open(self) -> None:
        await self.ears.open()
        self._reading = asyncio.create_task(self._read())

    async def close(self) -> None:
        await self.ears.close()
        assert self._reading is not None
        await self._reading

    async def hear(self, frame: bytes, duration_s: float) -> None:
        for _ in range(round(duration_s / FRAME_S)):
            self.ears.feed(frame)
            await asyncio.sleep(FRAME_S)

    async def speak(self, duration_s: float) -> None:
        await self.hear(VOICE, duration_s)

    async def silent(self, duration_s: float) -> None:
        await self.hear(SILENCE, duration_s)

    def all_of(self, kind: type[SttEvent] | type[SttError]) -> list[SttEvent | SttError]:
        return [event for event in self.said if isinstance(event, kind)]

    @property
    def finals(self) -> list[str]:
        return [event.text for event in self.said if isinstance(event, Final)]

    @property
    def partials(self) -> list[Partial]:
        return [event for event in self.said if isinstance(event, Partial)]

    async def _read(self) -> None:
        while True:
            try:
                async for event in self.ears.events():
                    self.said.append(event)
                return
            except SttError as error:
                self.said.append(error)


@asynccontextmanager
async def call_with(workers: FakeWorkers, language: str = "en") -> AsyncIterator[Call]:
    engine = WhisperEngine(workers.start)
    call = Call(engine, language)
    await call.open()
    yield call
    await call.close()
    await engine.close()
    assert workers.running == 0


def seconds(text: str) -> float:
    """The fake's words are the length of the audio in tenths of a second."""
    return int(text) / 10


def test_the_words_of_a_pause_are_the_final_when_the_turn_ends_there() -> None:
    async def scene() -> None:
        async with call_with(FakeWorkers()) as call:
            await call.silent(0.5)
            await call.speak(1.0)
            await call.silent(0.5)
            call.ears.commit()
            await asyncio.sleep(0)
            start, *_, pause, partial, final = call.said
            assert start == SpeechStarted(pytest.approx(0.5))
            assert pause == SpeechPaused(pytest.approx(1.5))
            assert isinstance(partial, Partial)
            assert final == Final(partial.text, pytest.approx(1.5), 0.0, "en")
            assert seconds(partial.text) == pytest.approx(1.4, abs=0.05)  # 0.3 s before, 0.12 s of the pause

    run_leaping(scene())


def test_a_commit_before_the_words_are_ready_waits_for_them_only_as_long_as_they_take() -> None:
    async def scene() -> None:
        async with call_with(FakeWorkers(takes_s=0.6)) as call:
            await call.silent(0.5)
            await call.speak(0.4)
            await call.silent(0.3)
            call.ears.commit()
            await asyncio.sleep(1)
            (final,) = call.all_of(Final)
            assert isinstance(final, Final)
            assert final.took_s == pytest.approx(0.42, abs=0.03)

    run_leaping(scene())


def test_speech_that_resumes_is_read_again_together_with_what_came_before() -> None:
    async def scene() -> None:
        async with call_with(FakeWorkers()) as call:
            await call.silent(0.5)
            for _ in range(2):
                await call.speak(1.0)
                await call.silent(0.4)
            call.ears.commit()
            await asyncio.sleep(1)
            assert [type(event) for event in call.said if not isinstance(event, Partial)] == [
                SpeechStarted,
                SpeechPaused,
                SpeechStarted,
                SpeechPaused,
                Final,
            ]
            assert [seconds(text) for text in call.finals] == [pytest.approx(2.8, abs=0.1)]

    run_leaping(scene())


def test_while_the_caller_speaks_there_are_partials_that_grow() -> None:
    async def scene() -> None:
        async with call_with(FakeWorkers()) as call:
            await call.speak(4.0)
            upto_s = [partial.upto_s for partial in call.partials]
            assert len(upto_s) >= 5
            assert upto_s == sorted(upto_s)
            assert all(seconds(p.text) == pytest.approx(p.upto_s, abs=0.06) for p in call.partials)

    run_leaping(scene())


def test_a_slow_engine_gives_fewer_partials_and_no_queue() -> None:
    async def scene() -> None:
        workers = FakeWorkers(takes_s=1.5)
        async with call_with(workers) as call:
            await call.speak(9.0)
            assert len(workers.heard) <= 4
            await call.silent(0.5)
            call.ears.commit()
            await asyncio.sleep(3)
            assert len(call.finals) == 1

    run_leaping(scene())


def test_audio_that_came_before_the_model_was_loaded_is_in_the_final() -> None:
    async def scene() -> None:
        async with call_with(FakeWorkers(loads_s=6.0)) as call:
            await call.speak(2.0)
            await call.silent(0.5)
            call.ears.commit()
            await asyncio.sleep(6)
            assert [seconds(text) for text in call.finals] == [pytest.approx(2.1, abs=0.1)]

    run_leaping(scene())


def test_a_long_utterance_is_closed_at_a_pause_and_not_read_again() -> None:
    async def scene() -> None:
        workers = FakeWorkers()
        async with call_with(workers) as call:
            for _ in range(4):
                await call.speak(7.0)
                await call.silent(0.4)
            call.ears.commit()
            await asyncio.sleep(1)
            (text,) = call.finals
            assert len(text.split()) == 4
            assert sum(map(seconds, text.split())) == pytest.approx(29.0, abs=1.0)
            assert max(map(len, workers.heard)) / 32_000 < 8.0

    run_leaping(scene())


def test_whoever_speaks_without_a_pause_is_read_in_bounded_pieces_and_nothing_is_lost() -> None:
    async def scene() -> None:
        workers = FakeWorkers()
        async with call_with(workers) as call:
            await call.speak(70.0)
            await call.silent(0.5)
            call.ears.commit()
            await asyncio.sleep(1)
            (text,) = call.finals
            assert sum(map(seconds, text.split())) == pytest.approx(70.1, abs=0.2)
            assert max(map(len, workers.heard)) / 32_000 <= LONGEST_PIECE_S + 0.1

    run_leaping(scene())


def test_a_commit_while_the_caller_speaks_splits_the_speech_between_two_finals() -> None:
    async def scene() -> None:
        async with call_with(FakeWorkers()) as call:
            await call.speak(2.0)
            call.ears.commit()
            await call.speak(1.0)
            await call.silent(0.5)
            call.ears.commit()
            await asyncio.sleep(1)
            first, second = map(seconds, call.finals)
            assert (first, second) == (pytest.approx(2.0, abs=0.06), pytest.approx(1.1, abs=0.06))

    run_leaping(scene())


def test_a_commit_without_speech_is_blank_and_in_its_order() -> None:
    async def scene() -> None:
        async with call_with(FakeWorkers(takes_s=0.5)) as call:
            await call.speak(0.5)
            await call.silent(0.2)
            call.ears.commit()
            call.ears.commit()
            await asyncio.sleep(1)
            first, second = call.finals
            assert first
            assert second == ""

    run_leaping(scene())


def test_a_sound_without_words_is_a_blank_final_and_no_partial() -> None:
    async def scene() -> None:
        async with call_with(FakeWorkers(answer=lambda _: "")) as call:
            await call.speak(0.4)
            await call.silent(0.5)
            call.ears.commit()
            await asyncio.sleep(1)
            assert [type(event) for event in call.said] == [SpeechStarted, SpeechPaused, Final]
            assert call.finals == [""]

    run_leaping(scene())


def test_what_was_discarded_is_in_no_final() -> None:
    async def scene() -> None:
        async with call_with(FakeWorkers()) as call:
            await call.speak(3.0)
            await call.silent(0.6)
            call.ears.discard()
            await call.silent(0.2)
            await call.speak(1.0)
            await call.silent(0.5)
            call.ears.commit()
            await asyncio.sleep(1)
            assert [seconds(text) for text in call.finals] == [pytest.approx(1.4, abs=0.06)]

    run_leaping(scene())


def test_a_piece_that_failed_in_advance_is_tried_again_at_the_commit() -> None:
    async def scene() -> None:
        async with call_with(FakeWorkers(answer=failing(1, JOB_FAILED))) as call:
            await call.speak(0.4)
            await call.silent(0.5)
            call.ears.commit()
            await asyncio.sleep(1)
            assert len(call.finals) == 1
            assert call.all_of(SttError) == []

    run_leaping(scene())


def test_a_final_that_fails_is_one_error_and_the_next_turn_is_heard() -> None:
    async def scene() -> None:
        async with call_with(FakeWorkers(answer=failing(2, JOB_FAILED))) as call:
            for _ in range(2):
                await call.speak(0.4)
                await call.silent(0.5)
                call.ears.commit()
                await asyncio.sleep(1)
            (error,) = call.all_of(SttError)
            assert isinstance(error, SttError)
            assert error.retryable
            assert len(call.finals) == 1
            assert call.said.index(error) < call.said.index(call.all_of(Final)[0])

    run_leaping(scene())


def test_a_commit_is_answered_though_the_model_never_loads() -> None:
    async def scene() -> None:
        async with call_with(FakeWorkers(loads_s=1000.0)) as call:
            await call.speak(0.4)
            await call.silent(0.5)
            call.ears.commit()
            await asyncio.sleep(COMMIT_DEADLINE_S + 0.1)
            assert [error.code for error in call.all_of(SttError) if isinstance(error, SttError)] == ["stt_overdue"]

    run_leaping(scene())


def test_opening_a_call_while_the_engine_is_down_is_refused() -> None:
    async def scene() -> None:
        engine = WhisperEngine(FakeWorkers(fails_to_start=1000).start)
        engine.start()
        await asyncio.sleep(10)
        with pytest.raises(SttError, match="stt_engine_down"):
            await Call(engine).ears.open()
        await engine.close()

    run_leaping(scene())


def test_calls_share_the_engine_and_are_all_answered() -> None:
    async def scene() -> None:
        workers = FakeWorkers(takes_s=0.1)
        engine = WhisperEngine(workers.start)
        calls = [Call(engine) for _ in range(5)]

        async def turn(call: Call) -> None:
            await call.open()
            await call.speak(1.0)
            await call.silent(0.5)
            call.ears.commit()
            await asyncio.sleep(1)
            await call.close()

        await asyncio.gather(*map(turn, calls))
        await engine.close()
        assert [len(call.finals) for call in calls] == [1] * 5
        assert workers.started == 1

    run_leaping(scene())


def test_many_commits_at_once_are_each_answered_once() -> None:
    async def scene() -> None:
        async with call_with(FakeWorkers(loads_s=9.0)) as call:
            for _ in range(MAX_FINALS_PER_CALL + 2):
                await call.speak(0.4)
                call.ears.commit()
            await asyncio.sleep(15)
            assert len(call.finals) == MAX_FINALS_PER_CALL
            assert len(call.all_of(SttError)) == 2

    run_leaping(scene())


def test_closing_ends_the_events_and_drops_what_waits() -> None:
    async def scene() -> None:
        workers = FakeWorkers(takes_s=1.0)
        async with call_with(workers) as call:
            await call.speak(0.4)
            await call.silent(0.2)
            call.ears.commit()
            await call.ears.close()
            await call.ears.close()
            await asyncio.sleep(3)
            assert call.finals == []

    run_leaping(scene())


@pytest.mark.parametrize(("language", "asked"), [("id", "id"), ("auto", "xx")])
def test_the_language_is_given_or_found(language: str, asked: str) -> None:
    async def scene() -> None:
        async with call_with(FakeWorkers(), language) as call:
            await call.speak(0.5)
            await call.silent(0.5)
            call.ears.commit()
            await asyncio.sleep(0)
            (final,) = call.all_of(Final)
            assert isinstance(final, Final)
            assert final.language == asked

    run_leaping(scene())


@pytest.mark.models
async def test_a_question_played_in_real_time_is_final_within_half_a_second_of_the_commit() -> None:
    factory = WhisperRecognisers(ModelStore().locate("whisper-base"))
    ears = factory.recogniser("en")
    await ears.open()  # the model loads while the caller speaks
    inbound = Inbound(ULAW_8K, 16_000)
    line = pcm_to_ulaw(load(Path(__file__).parent / "speech" / "question.wav", 8000)) + ULAW_8K.encoding.silence * 4000

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
        _, heard = await asyncio.gather(play(), final())
    assert "bring my little brother to the lesson on saturday" in heard.text.lower()
    assert heard.took_s < 0.5
    assert await factory.ready()
    await ears.close()
    await factory.close()
    assert not await factory.ready()
