"""The two threads around the engine."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from media.tts_wire import ErrorCode
from tests.tts_worker.gated import WAIT_S, GatedEngine
from tts_worker.engine import BatchLimit, Piece, PieceAudio
from tts_worker.job import Busy
from tts_worker.request import Delivery, SpeechRequest
from tts_worker.scheduler import HANG_S, MAX_UNDELIVERED_PIECES, Scheduler
from tts_worker.tone import ToneEngine
from tts_worker.watchdog import MAX_FAILURES_IN_A_ROW


class Ear:
    """A listener that remembers."""

    def __init__(self) -> None:
        self.pieces: list[PieceAudio] = []
        self.ended = asyncio.Event()
        self.failure: tuple[ErrorCode, str] | None = None
        self.thread = ""

    def piece(self, audio: PieceAudio) -> None:
        self.thread = threading.current_thread().name
        self.pieces.append(audio)

    def done(self) -> None:
        assert not self.ended.is_set()
        self.ended.set()

    def failed(self, code: ErrorCode, message: str) -> None:
        self.failure = (code, message)
        self.done()

    async def end(self) -> None:
        await asyncio.wait_for(self.ended.wait(), WAIT_S)


def request(text: str) -> SpeechRequest:
    return SpeechRequest(text, Delivery())


@asynccontextmanager
async def running(engine: ToneEngine, max_queued: int = 100, hang_s: float = HANG_S) -> AsyncIterator[Scheduler]:
    scheduler = Scheduler(engine, max_queued, hang_s)
    scheduler.start()
    assert scheduler.warmed_up is not None
    await asyncio.wait([scheduler.warmed_up])
    try:
        yield scheduler
    finally:
        await scheduler.stop()


async def test_a_request_is_planned_spoken_and_heard_on_the_right_threads() -> None:
    engine, ear = GatedEngine(), Ear()
    engine.open()
    async with running(engine) as scheduler:
        scheduler.submit("A", request("word " * 60), ear)
        await ear.end()
        assert scheduler.queued_requests == 0
    assert [len(audio.words) for audio in ear.pieces] == [24, 24, 12]
    assert ear.thread == threading.current_thread().name
    speak = {"tts-speak"}
    assert engine.threads == {"plan": {"tts-plan"}, "synthesize": speak, "warm_up": speak, "close": speak}


async def test_a_new_session_is_heard_after_one_piece_of_a_busy_one() -> None:
    engine = GatedEngine()
    busy, new = [Ear() for _ in range(50)], Ear()
    async with running(engine) as scheduler:
        for n, ear in enumerate(busy):
            scheduler.submit("busy", request(f"old {n}"), ear)
        engine.gate.release(2)
        await engine.speaks(2)
        scheduler.submit("new", request("hello"), new)
        await asyncio.sleep(0.05)
        engine.open()
        await asyncio.gather(new.end(), *(ear.end() for ear in busy))
    assert engine.spoken.index("hello") <= 3
    assert [text for text in engine.spoken if text != "hello"] == [f"old {n}" for n in range(50)]


async def test_a_cancelled_request_is_silent_and_its_other_pieces_are_not_spoken() -> None:
    engine, ear, next_ear = GatedEngine(), Ear(), Ear()
    async with running(engine) as scheduler:
        job = scheduler.submit("A", request("word " * 200), ear)
        engine.gate.release(1)
        await engine.speaks(1)
        job.cancel()
        job.cancel()
        heard = len(ear.pieces)
        scheduler.submit("A", request("next"), next_ear)
        engine.open()
        await next_ear.end()
        assert scheduler.queued_requests == 0
    assert len(ear.pieces) == heard
    assert not ear.ended.is_set()
    assert len(engine.spoken) <= 3


async def test_a_request_cancelled_before_it_is_planned_is_never_spoken() -> None:
    engine, ear = GatedEngine(), Ear()
    engine.open()
    async with running(engine) as scheduler:
        for _ in range(100):
            scheduler.submit("A", request("never"), ear).cancel()
        await asyncio.sleep(0.05)
    assert ear.pieces == []
    assert not ear.ended.is_set()


async def test_text_without_speech_is_done_without_the_inference_thread() -> None:
    """F-93: even while a long piece is in work."""
    engine, ear = GatedEngine(), Ear()
    async with running(engine) as scheduler:
        scheduler.submit("A", request("long"), Ear())
        scheduler.submit("B", request("👍"), ear)
        await ear.end()
        assert engine.spoken == []
        engine.open()


async def test_a_refusal_of_the_engine_reaches_the_listener_as_it_is() -> None:
    engine, ear = GatedEngine(), Ear()
    async with running(engine) as scheduler:
        scheduler.submit("A", request("refuse"), ear)
        await ear.end()
    assert ear.failure == (ErrorCode.TEXT_TOO_LONG, "split it")


@pytest.mark.parametrize("text", ["crash", "broken " * 100])
async def test_a_fault_of_the_engine_ends_one_request_and_tells_nothing_of_its_text(text: str) -> None:
    engine, ear, next_ear = GatedEngine(), Ear(), Ear()
    engine.open()
    async with running(engine) as scheduler:
        scheduler.submit("A", request(text), ear)
        scheduler.submit("A", request("next"), next_ear)
        await asyncio.gather(ear.end(), next_ear.end())
    assert ear.failure is not None
    code, message = ear.failure
    assert code is ErrorCode.ENGINE_FAILED
    assert "secret" not in message
    assert len(engine.spoken) <= 2
    assert next_ear.failure is None


@pytest.mark.parametrize("fault", [MemoryError, ZeroDivisionError])
async def test_an_engine_that_fails_each_time_fails_each_request_and_none_for_ever(fault: type[Exception]) -> None:
    class Failing(ToneEngine):
        fails = True

        def synthesize(self, piece: Piece) -> PieceAudio:
            if self.fails:
                raise fault
            return super().synthesize(piece)

    engine, ears, last = Failing(), [Ear() for _ in range(30)], Ear()
    async with running(engine) as scheduler:
        for n, ear in enumerate(ears):
            scheduler.submit(n % 3, request("word " * 60), ear)
        await asyncio.gather(*(ear.end() for ear in ears))
        engine.fails = False
        scheduler.submit("A", request("word " * 60), last)
        await last.end()
    assert {ear.failure[0] for ear in ears if ear.failure} == {ErrorCode.ENGINE_FAILED}
    assert all(ear.failure for ear in ears)
    assert (last.failure, len(last.pieces)) == (None, 3)


async def test_an_engine_that_hangs_is_given_up_and_everybody_is_told() -> None:
    engine, ears = GatedEngine(), [Ear() for _ in range(5)]
    async with running(engine, hang_s=0.2) as scheduler:
        for n, ear in enumerate(ears):
            scheduler.submit(n % 2, request(f"caller {n}"), ear)
        await engine.begins()
        scheduler.submit("left", request("left"), Ear()).cancel()
        await asyncio.gather(*(ear.end() for ear in ears))
        assert [ear.failure and ear.failure[0] for ear in ears] == [ErrorCode.ENGINE_LOST] * 5
        assert scheduler.lost is not None
        assert "synthesize does not return: " in scheduler.lost.result()
        assert "gated.py" in scheduler.lost.result()
        assert (scheduler.ready, scheduler.is_lost, scheduler.queued_requests) == (False, True, 0)
        with pytest.raises(Busy):
            scheduler.submit("A", request("x"), Ear())
        engine.open()
        await engine.speaks(1)
    assert [ear.pieces for ear in ears] == [[]] * 5
    assert engine.spoken == ["caller 0"]


async def test_a_planning_that_hangs_is_given_up_too() -> None:
    class Pondering(GatedEngine):
        def plan(self, text: str, voice: str, language: str, speed: float, **how: Any) -> list[Piece]:
            self.gate.acquire(timeout=WAIT_S)
            return super().plan(text, voice, language, speed, **how)

    engine, ear = Pondering(), Ear()
    async with running(engine, hang_s=0.2) as scheduler:
        scheduler.submit("A", request("why"), ear)
        await ear.end()
        assert scheduler.lost is not None
        assert "plan does not return" in scheduler.lost.result()
        engine.open()
    assert ear.failure is not None
    assert ear.failure[0] is ErrorCode.ENGINE_LOST


async def test_an_engine_that_is_only_slow_is_kept() -> None:
    engine, ear = ToneEngine(realtime_factor=0.02), Ear()
    async with running(engine, hang_s=0.5) as scheduler:
        scheduler.submit("A", request("word " * 240), ear)  # ten pieces, 0.14 s each
        await ear.end()
        assert not scheduler.is_lost
    assert ear.failure is None


async def test_an_engine_that_only_fails_is_given_up() -> None:
    class Broken(ToneEngine):
        def synthesize(self, piece: Piece) -> PieceAudio:
            raise RuntimeError

    ears = [Ear() for _ in range(MAX_FAILURES_IN_A_ROW)]
    async with running(Broken(), hang_s=0.2) as scheduler:
        for ear in ears:
            scheduler.submit(ear, request("x"), ear)
        await asyncio.gather(*(ear.end() for ear in ears))
        assert scheduler.lost is not None
        assert "in a row failed" in await asyncio.wait_for(asyncio.shield(scheduler.lost), WAIT_S)
        assert not scheduler.ready


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
async def test_a_thread_that_ends_unforeseen_leaves_nobody_waiting() -> None:
    class Leaving(ToneEngine):
        def synthesize(self, piece: Piece) -> PieceAudio:
            raise SystemExit

    ears = [Ear(), Ear()]
    async with running(Leaving()) as scheduler:
        for ear in ears:
            scheduler.submit(ear, request("x"), ear)
        await asyncio.gather(*(ear.end() for ear in ears))
        assert not scheduler.ready
    assert [ear.failure and ear.failure[0] for ear in ears] == [ErrorCode.ENGINE_LOST] * 2


WIDE = BatchLimit(pieces=4, phonemes=1_000)


async def test_what_became_ready_while_the_engine_was_at_work_is_spoken_together() -> None:
    engine, ears = GatedEngine(batch_limit=WIDE), [Ear() for _ in range(6)]
    async with running(engine) as scheduler:
        for n, ear in enumerate(ears):
            scheduler.submit(n, request(f"caller {n}"), ear)
            if n == 0:
                await engine.begins()
        await asyncio.sleep(0.05)
        engine.open()
        await asyncio.gather(*(ear.end() for ear in ears))
    assert engine.batches == [["caller 0"], ["caller 1", "caller 2", "caller 3", "caller 4"], ["caller 5"]]
    assert all(len(ear.pieces) == 1 for ear in ears)


async def test_who_leaves_while_a_batch_is_in_work_is_not_spoken_and_does_not_end_it() -> None:
    engine, ears = GatedEngine(batch_limit=WIDE), [Ear() for _ in range(3)]
    async with running(engine) as scheduler:
        scheduler.submit("first", request("first"), Ear())
        await engine.begins()
        jobs = [scheduler.submit(n, request(f"caller {n}"), ear) for n, ear in enumerate(ears)]
        await asyncio.sleep(0.05)
        engine.gate.release(1)
        await engine.begins()
        jobs[1].cancel()
        engine.open()
        await asyncio.gather(ears[0].end(), ears[2].end())
    assert engine.spoken == ["first", "caller 0", "caller 2"]
    assert engine.interrupted == 0
    assert ears[1].pieces == []


async def test_the_engine_is_interrupted_when_nobody_waits_for_what_it_speaks() -> None:
    engine, ears = GatedEngine(batch_limit=WIDE), [Ear() for _ in range(3)]
    async with running(engine) as scheduler:
        scheduler.submit("first", request("first"), Ear()).cancel()
        jobs = [scheduler.submit(n, request(f"caller {n}"), ear) for n, ear in enumerate(ears[:2])]
        await engine.begins()
        jobs[0].cancel()
        jobs[1].cancel()
        scheduler.submit("next", request("next"), ears[2])
        engine.open()
        await ears[2].end()
    assert engine.interrupted == 1
    assert [ear.pieces for ear in ears[:2]] == [[], []]
    assert len(ears[2].pieces) == 1


async def test_one_requests_fault_does_not_spoil_the_batch_it_was_in() -> None:
    engine, ears = GatedEngine(batch_limit=WIDE), [Ear() for _ in range(3)]
    async with running(engine) as scheduler:
        scheduler.submit("first", request("first"), Ear())
        await engine.begins()
        for n, (text, ear) in enumerate(zip(("good", "broken", "also good"), ears, strict=True)):
            scheduler.submit(n, request(text), ear)
        await asyncio.sleep(0.05)
        engine.open()
        await asyncio.gather(*(ear.end() for ear in ears))
    assert [ear.failure is None for ear in ears] == [True, False, True]
    assert [len(ear.pieces) for ear in ears] == [1, 0, 1]


async def test_only_what_opens_a_turn_is_hurried() -> None:
    engine, ears = GatedEngine(), [Ear() for _ in range(4)]
    async with running(engine) as scheduler:
        for text, ear in zip(("first", "second", "third"), ears, strict=False):
            scheduler.submit("A", request(text), ear)
        await engine.begins()
        scheduler.submit("B", request("new turn"), ears[3])
        await asyncio.sleep(0.05)
        engine.open()
        await asyncio.gather(*(ear.end() for ear in ears))
        assert engine.spoken == ["first", "new turn", "second", "third"]
        last = Ear()
        scheduler.submit("A", request("next turn"), last)
        await last.end()
    assert engine.early == [True, False, False, True, True]


async def test_a_held_session_is_not_spoken_until_released() -> None:
    engine, ear = GatedEngine(), Ear()
    engine.open()
    async with running(engine) as scheduler:
        scheduler.hold("A")
        scheduler.submit("A", request("later"), ear)
        await asyncio.sleep(0.05)
        assert engine.spoken == []
        scheduler.release("A")
        await ear.end()


async def test_an_engine_that_is_faster_than_the_loop_waits_for_it() -> None:
    class Counting(ToneEngine):
        spoken = 0

        def synthesize_batch(
            self, pieces: Sequence[Piece], wanted: Callable[[int], bool]
        ) -> Sequence[PieceAudio | None]:
            self.spoken += len(pieces)
            return super().synthesize_batch(pieces, wanted)

    engine, ears = Counting(), [Ear() for _ in range(3 * MAX_UNDELIVERED_PIECES)]
    async with running(engine, max_queued=len(ears)) as scheduler:
        for ear in ears:
            scheduler.submit(ear, request("One."), ear)
        time.sleep(0.5)  # noqa: ASYNC251 - the loop is what is slow here
        assert MAX_UNDELIVERED_PIECES <= engine.spoken < MAX_UNDELIVERED_PIECES + engine.batch_limit.pieces
        for ear in ears:
            await ear.end()
    assert engine.spoken == len(ears)


async def test_the_queue_is_bounded() -> None:
    engine = GatedEngine()
    async with running(engine, max_queued=3) as scheduler:
        jobs = [scheduler.submit("A", request("x"), Ear()) for _ in range(3)]
        with pytest.raises(Busy, match="3 requests"):
            scheduler.submit("B", request("x"), Ear())
        jobs[2].cancel()
        scheduler.submit("B", request("x"), Ear())
        engine.open()


async def test_nothing_is_taken_before_the_engine_is_warm_or_after_the_stop() -> None:
    scheduler = Scheduler(ToneEngine())
    with pytest.raises(Busy, match="not ready"):
        scheduler.submit("A", request("x"), Ear())
    async with running(ToneEngine()) as running_scheduler:
        assert running_scheduler.ready
    assert not running_scheduler.ready
    with pytest.raises(Busy):
        running_scheduler.submit("A", request("x"), Ear())


async def test_an_engine_that_cannot_start_is_never_ready() -> None:
    class Broken(ToneEngine):
        def warm_up(self) -> None:
            raise OSError("no such file")

    async with running(Broken()) as scheduler:
        assert scheduler.warmed_up is not None
        assert isinstance(scheduler.warmed_up.exception(), OSError)
        assert not scheduler.ready


async def test_stopping_ends_both_threads() -> None:
    async with running(ToneEngine()):
        names = {thread.name for thread in threading.enumerate()}
        assert {"tts-plan", "tts-speak"} <= names
    assert not {"tts-plan", "tts-speak"} & {thread.name for thread in threading.enumerate()}


def test_a_result_that_comes_after_the_loop_is_dropped() -> None:
    engine = GatedEngine()

    async def leave_work_behind() -> Scheduler:
        scheduler = Scheduler(engine)
        scheduler.start()
        assert scheduler.warmed_up is not None
        await scheduler.warmed_up
        scheduler.submit("A", request("x"), Ear())
        await engine.begins()
        return scheduler

    scheduler = asyncio.run(leave_work_behind())
    engine.open()
    asyncio.run(scheduler.stop())
    assert not {"tts-plan", "tts-speak"} & {thread.name for thread in threading.enumerate()}


async def test_two_thousand_sentences_of_forty_sessions_take_little_time() -> None:
    ears = [Ear() for _ in range(2000)]
    began_s = time.perf_counter()
    async with running(ToneEngine(), max_queued=2000) as scheduler:
        for n, ear in enumerate(ears):
            scheduler.submit(n % 40, request("A short sentence, as in a call."), ear)
        for ear in ears:
            await ear.end()
    assert time.perf_counter() - began_s < 4.0
