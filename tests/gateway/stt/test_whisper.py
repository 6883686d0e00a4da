import asyncio

import pytest

from gateway.stt.base import Final, Partial, SpeechPaused, SpeechStarted
from gateway.stt.utterance import LONGEST_PIECE_S
from gateway.stt.whisper_engine import WorkerLost
from tests.gateway.stt.call import FRAME_S, call_with, seconds
from tests.gateway.stt.workers import FakeWorkers, failing
from tests.rig.clock import run_leaping


def test_the_words_of_a_pause_are_the_final_when_the_turn_ends_there() -> None:
    async def scene() -> None:
        async with call_with(FakeWorkers()) as call:
            await call.silent(0.5)
            await call.speak(1.0)
            await call.silent(0.5)
            call.ears.commit()
            await asyncio.sleep(0)
            start, *_, pause, partial, final = call.said
            assert start == SpeechStarted(25 * FRAME_S)
            assert pause == SpeechPaused(75 * FRAME_S)
            assert isinstance(partial, Partial)
            assert final == Final(partial.text, 75 * FRAME_S, 0.0, "en")
            assert seconds(partial.text) == pytest.approx(1.34, abs=0.05)  # 0.3 s before, 0.04 s of the silence

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
            assert final.took_s == pytest.approx(0.34, abs=0.03)  # asked for 0.04 s after the end of speech

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
            assert len(upto_s) >= 3
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


def test_a_closed_piece_that_still_waits_is_not_replaced_by_the_next_pause() -> None:
    async def scene() -> None:
        async with call_with(FakeWorkers(loads_s=18.0)) as call:
            for _ in range(2):
                await call.speak(7.0)
                await call.silent(0.4)
            call.ears.commit()
            await asyncio.sleep(5)
            (text,) = call.finals
            assert len(text.split()) == 2

    run_leaping(scene())


def test_a_partial_that_still_waits_is_given_up_at_the_pause() -> None:
    async def scene() -> None:
        workers = FakeWorkers(loads_s=4.0)
        async with call_with(workers) as call:
            await call.speak(2.0)
            await call.silent(0.5)
            await asyncio.sleep(5)
            assert len(workers.heard) == 1

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
            assert first == pytest.approx(2.0, abs=0.06)
            assert second == pytest.approx(1.1, abs=0.06)

    run_leaping(scene())


def test_a_fading_that_was_no_pause_is_read_again() -> None:
    async def scene() -> None:
        workers = FakeWorkers()
        async with call_with(workers) as call:
            await call.speak(0.5)
            await call.silent(0.08)
            await call.speak(0.5)
            await call.silent(0.5)
            call.ears.commit()
            await asyncio.sleep(1)
            assert len(call.all_of(SpeechPaused)) == 1
            assert [seconds(text) for text in call.finals] == [pytest.approx(1.12, abs=0.06)]

    run_leaping(scene())


def test_words_asked_for_at_a_fading_are_asked_again_when_the_process_dies_meanwhile() -> None:
    async def scene() -> None:
        workers = FakeWorkers(answer=failing(1, WorkerLost("stt_process_died")), takes_s=0.02)
        async with call_with(workers) as call:
            await call.speak(0.5)
            await call.silent(1.0)
            call.ears.commit()
            await asyncio.sleep(2)
            assert workers.started == 2
            assert len(call.finals) == 1  # of all audio there was by then
            assert seconds(call.finals[0]) >= 0.5

    run_leaping(scene())


def test_what_was_asked_before_the_end_of_speech_is_not_taken_for_all_of_it() -> None:
    async def scene() -> None:
        workers = FakeWorkers(takes_s=0.5)
        async with call_with(workers) as call:
            await call.speak(1.2)  # a partial is under way, up to 1 s
            await call.silent(0.9)
            call.ears.commit()
            await asyncio.sleep(1)
            assert [seconds(text) for text in call.finals] == [pytest.approx(1.3, abs=0.07)]

    run_leaping(scene())


def test_a_hum_is_told_as_words_nobody_would_stand_by() -> None:
    async def scene() -> None:
        async with call_with(FakeWorkers(sure=False)) as call:
            await call.speak(0.5)
            await call.silent(0.5)
            assert [partial.sure for partial in call.partials] == [False]

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
            assert [seconds(text) for text in call.finals] == [pytest.approx(1.34, abs=0.06)]

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


def test_several_languages_are_asked_for_with_the_expected_one_first() -> None:
    async def scene() -> None:
        async with call_with(FakeWorkers(), "en", "id", "es") as call:
            for expected, asked in (("", "en,id,es"), ("es", "es,en,id"), ("id", "id,es,en")):
                if expected:
                    call.ears.expect(expected)
                await call.speak(0.5)
                await call.silent(0.5)
                call.ears.commit()
                await asyncio.sleep(0)
                final = call.all_of(Final)[-1]
                assert isinstance(final, Final)
                assert final.language == asked

    run_leaping(scene())
