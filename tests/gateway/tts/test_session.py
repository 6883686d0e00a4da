"""A call's voice, joined through memory to a real worker session."""

import asyncio
import json

import pytest

from gateway.errors import TtsError
from gateway.tts.base import Socket, SpeechAudio, SpeechBegan, SpeechDone, SpeechEvent, SpeechFailed, SpeechWords
from gateway.tts.ledger import Ledger
from gateway.tts.session import PersistentSession, SpeechTiming
from media.tts_wire import tag_audio
from tests.rig.clock import run_leaping
from tests.rig.speech_pair import InlineSpeakers, MemoryWorker, audio_of, collect, tone_of

LIST_OF_TEN = [f"Item number {n} of the list." for n in range(1, 11)]


def test_a_sentence_comes_back_as_began_words_audio_and_done() -> None:
    async def call() -> None:
        session = MemoryWorker().client()
        await session.open()
        assert session.speak("Good morning.") == 1
        events = await collect(session, ends=1)
        await session.close()
        kinds = [type(event) for event in events]
        assert kinds == [SpeechBegan, SpeechWords, SpeechAudio, SpeechAudio, SpeechDone]
        assert audio_of(events, 1) == tone_of("Good morning.")
        assert events[-1] == SpeechDone(1, len(tone_of("Good morning.")) // 2)

    run_leaping(call())


def test_word_times_grow_with_the_pieces_and_point_into_the_text() -> None:
    text = "one two three four five six seven eight nine ten " * 4

    async def call() -> None:
        session = MemoryWorker().client()
        await session.open()
        session.speak(text)
        events = await collect(session, ends=1)
        await session.close()
        told = [event.words for event in events if isinstance(event, SpeechWords)]
        assert len(told) == 2
        assert told[1][: len(told[0])] == told[0]
        assert [text[word.start_char : word.end_char] for word in told[1]] == text.split()
        starts = [word.start_s for word in told[1]]
        assert starts == sorted(starts)
        assert starts[-1] == pytest.approx(text.rindex("ten") * 0.06)

    run_leaping(call())


def test_sentences_are_spoken_in_order_and_only_a_few_are_at_the_worker() -> None:
    async def call() -> None:
        worker = MemoryWorker()
        session = worker.client(outstanding=2)
        await session.open()
        for text in LIST_OF_TEN:
            session.speak(text)
        await asyncio.sleep(0.05)
        assert worker.speakers.accepted == LIST_OF_TEN[:2]
        events = await collect(session, ends=10)
        await session.close()
        assert [e.request_id for e in events if isinstance(e, SpeechDone)] == list(range(1, 11))
        assert worker.speakers.spoken == LIST_OF_TEN

    run_leaping(call())


def test_a_cancel_in_a_long_list_stops_the_worker_within_a_piece() -> None:
    """F-32."""

    async def call() -> None:
        worker = MemoryWorker()
        session = worker.client()
        await session.open()
        for text in LIST_OF_TEN:
            session.speak(text)
        await asyncio.sleep(0.15)
        assert worker.speakers.spoken == LIST_OF_TEN[:1]
        session.cancel()
        await asyncio.sleep(5.0)
        assert worker.speakers.spoken == LIST_OF_TEN[:1]
        assert await collect(session, ends=1, timeout_s=1.0) == []
        await session.close()

    run_leaping(call())


def test_nothing_of_a_cancelled_sentence_is_delivered_even_if_the_worker_keeps_sending() -> None:
    """F-30: three late chunks, no new request yet."""

    async def call() -> None:
        worker = MemoryWorker()
        session = worker.client()
        await session.open()
        session.speak("This will be cut short.")
        await asyncio.sleep(0.15)
        session.cancel()
        worker.sockets[0].deliver_late(*[tag_audio(1, b"\x01\x02" * 100)] * 3)
        assert await collect(session, ends=1, timeout_s=1.0) == []
        session.speak("And this is new.")
        events = await collect(session, ends=1)
        await session.close()
        assert {event.request_id for event in events} == {2}
        assert audio_of(events, 2) == tone_of("And this is new.")

    run_leaping(call())


def test_a_cancel_during_synthesis_leaves_the_session_usable() -> None:
    """F-33."""

    async def call() -> None:
        worker = MemoryWorker(InlineSpeakers(piece_s=1.0))
        session = worker.client()
        await session.open()
        session.speak("word " * 100)
        await asyncio.sleep(1.5)
        session.cancel()
        session.speak("Yes?")
        events = await collect(session, ends=1)
        await session.close()
        assert events[-1] == SpeechDone(2, len(tone_of("Yes?")) // 2)
        assert len(worker.speakers.spoken) == 2

    run_leaping(call())


@pytest.mark.parametrize("steps", range(20))
def test_after_cancel_returns_a_waiting_reader_gets_nothing_of_the_old_sentence(steps: int) -> None:
    """Whatever step of the loop the cancel falls into while the first audio is being handed over."""

    async def call() -> None:
        session = MemoryWorker().client()
        await session.open()
        seen: list[SpeechEvent] = []

        async def read() -> None:
            async for event in session.events():
                seen.append(event)

        reader = asyncio.create_task(read())
        session.speak("Good morning everybody, this is long enough for several chunks of audio.")
        await asyncio.sleep(0.1)
        for _ in range(steps):
            await asyncio.sleep(0)
        session.cancel()
        before = len(seen)
        session.speak("Yes?")
        await asyncio.sleep(1.0)
        await session.close()
        await reader
        assert {event.request_id for event in seen[:before]} == {1}
        assert {event.request_id for event in seen[before:]} == {2}

    run_leaping(call())


def test_a_lost_worker_costs_no_word_and_repeats_none() -> None:
    """F-37: the socket dies after two chunks of five, the next three connects are refused."""
    text = "This is one long sentence that has to survive the death of its worker in the middle of it."

    async def call() -> None:
        worker = MemoryWorker(cut_after=2)
        session = worker.client()
        await session.open()
        worker.refusals = 3
        session.speak(text)
        session.speak("The next one.")
        events = await collect(session, ends=2)
        await session.close()
        assert audio_of(events, 1) == tone_of(text)
        assert audio_of(events, 2) == tone_of("The next one.")
        assert [type(e) for e in events].count(SpeechBegan) == 2
        assert [e for e in events if isinstance(e, SpeechDone)] == [
            SpeechDone(1, len(tone_of(text)) // 2),
            SpeechDone(2, len(tone_of("The next one.")) // 2),
        ]
        pauses = [b - a for a, b in zip(worker.connects[1:], worker.connects[2:], strict=False)]
        assert len(worker.connects) == 5
        assert pauses == sorted(pauses)

    run_leaping(call())


@pytest.mark.parametrize("cut_after", range(8))
def test_wherever_the_connection_breaks_the_audio_is_whole(cut_after: int) -> None:
    texts = ["First sentence, quite long indeed, it has chunks.", "👍", "Second."]

    async def call() -> None:
        worker = MemoryWorker(cut_after=cut_after)
        session = worker.client(rate_hz=8_000)
        await session.open()
        for text in texts:
            session.speak(text)
        events = await collect(session, ends=3)
        await session.close()
        samples = [e.samples for e in events if isinstance(e, SpeechDone)]
        assert samples == [len(tone_of(text)) // 6 for text in texts[:1]] + [0, len(tone_of(texts[2])) // 6]
        assert [len(audio_of(events, n)) // 2 for n in (1, 2, 3)] == samples

    run_leaping(call())


def test_a_worker_that_stays_away_fails_what_waits_and_serves_what_comes_later() -> None:
    async def call() -> None:
        worker = MemoryWorker(cut_after=1)
        session = worker.client(timing=SpeechTiming(give_up_s=5.0))
        await session.open()
        worker.refusals = 6  # 0.2 + 0.4 + 0.8 + 1.6 + 2 + 2 + 2 s: away for nine seconds
        for text in ("One two three four five six.", "Seven."):
            session.speak(text)
        lost = await collect(session, ends=2)
        failures = [e for e in lost if isinstance(e, SpeechFailed)]
        assert failures == [SpeechFailed(1, "worker_lost"), SpeechFailed(2, "worker_lost")]
        assert 5.0 <= asyncio.get_running_loop().time() < 6.0
        await asyncio.sleep(3.0)
        session.speak("Are you back?")
        events = await collect(session, ends=1)
        await session.close()
        assert audio_of(events, 3) == tone_of("Are you back?")

    run_leaping(call())


def test_a_worker_that_accepts_and_delivers_nothing_is_given_up() -> None:
    async def call() -> None:
        worker = MemoryWorker(InlineSpeakers(piece_s=1000.0))
        session = worker.client(outstanding=1, timing=SpeechTiming(stall_s=15.0))
        await session.open()
        session.speak("Stuck.")
        session.speak("Waiting.")
        worker.speakers.piece_s = 1000.0
        first = await collect(session, ends=1)
        assert first[-1] == SpeechFailed(1, "worker_stalled")
        assert asyncio.get_running_loop().time() == pytest.approx(15.0, abs=1.0)
        await asyncio.sleep(1.0)
        assert len(worker.sockets) == 2
        assert worker.speakers.accepted == ["Stuck.", "Waiting."]
        await session.close()

    run_leaping(call())


def test_a_busy_worker_is_left_for_another_and_the_sentence_is_spoken() -> None:
    async def call() -> None:
        worker = MemoryWorker()
        session = worker.client()
        await session.open()
        worker.speakers.is_full = True
        session.speak("Hello.")
        await asyncio.sleep(0.05)
        worker.speakers.is_full = False
        events = await collect(session, ends=1)
        await session.close()
        assert audio_of(events, 1) == tone_of("Hello.")
        assert len(worker.sockets) > 1

    run_leaping(call())


def test_opening_tries_again_until_the_worker_is_there() -> None:
    async def call() -> None:
        worker = MemoryWorker(refusals=3)
        session = worker.client()
        await session.open()
        await session.close()
        assert len(worker.connects) == 4

    run_leaping(call())


def test_opening_gives_up_in_time_and_the_session_goes_on_trying_until_closed() -> None:
    async def call() -> None:
        session = MemoryWorker(refusals=1000).client(timing=SpeechTiming(give_up_s=5.0))
        with pytest.raises(TtsError) as caught:
            await session.open()
        assert caught.value.code == "worker_unreachable"
        assert caught.value.retryable
        assert asyncio.get_running_loop().time() == pytest.approx(5.0)
        await session.close()
        with pytest.raises(TtsError, match="session_closed"):
            await session.open()

    run_leaping(call())


def test_opening_again_joins_the_same_connection() -> None:
    async def call() -> None:
        worker = MemoryWorker(refusals=2)
        session = worker.client()
        early = asyncio.create_task(session.open())
        await asyncio.sleep(0)
        early.cancel()  # whoever opened first may lose interest
        await session.open()
        await session.open()
        assert len(worker.connects) == 3  # two refusals and one connection
        await session.close()

    run_leaping(call())


def test_an_unknown_voice_fails_the_opening_at_once() -> None:
    async def call() -> None:
        session = MemoryWorker().client(voice="nobody")
        with pytest.raises(TtsError) as caught:
            await session.open()
        assert caught.value.code == "unknown_voice"
        assert not caught.value.retryable
        assert asyncio.get_running_loop().time() == 0.0

    run_leaping(call())


def test_a_worker_that_accepts_no_session_is_unreachable() -> None:
    class Mute:
        async def send(self, message: str) -> None:
            pass

        async def recv(self) -> str | bytes:
            await asyncio.sleep(3600.0)
            return ""

        async def close(self) -> None:
            pass

    async def call() -> None:
        async def connect_mute() -> Mute:
            return Mute()

        session = PersistentSession(Ledger("af_heart", "en", 1.0, 24_000, 3), connect_mute, SpeechTiming())
        with pytest.raises(TtsError) as caught:
            await session.open()
        assert caught.value.code == "worker_unreachable"
        await session.close()

    run_leaping(call())


def test_two_sessions_never_hear_each_other() -> None:
    """F-36: two calls, two voices, one engine."""

    async def call() -> None:
        worker = MemoryWorker()
        calls = [worker.client(voice="low"), worker.client(voice="high")]
        for session in calls:
            await session.open()
        for session in calls:
            for n in range(5):
                session.speak(f"This is sentence {n}.")
        heard = await asyncio.gather(*(collect(session, ends=5) for session in calls))
        for session in calls:
            await session.close()
        for events, voice in zip(heard, ("low", "high"), strict=True):
            for n in range(5):
                assert audio_of(events, n + 1) == tone_of(f"This is sentence {n}.", voice)

    run_leaping(call())


def test_two_hundred_cancelled_sentences_leave_nothing_behind() -> None:
    """F-103."""

    async def call() -> None:
        worker = MemoryWorker()
        session = worker.client()
        await session.open()
        for n in range(200):
            session.speak(f"Sentence {n} that nobody will hear to its end.")
            session.speak("And one more.")
            await asyncio.sleep((n % 7) * 0.03)
            session.cancel()
        session.speak("Done.")
        events = await collect(session, ends=1)
        assert audio_of(events, 401) == tone_of("Done.")
        sent = [json.loads(message)["type"] for message in worker.sockets[0].sent]
        assert len(worker.sockets) == 1
        assert sent.count("cancel") <= 200
        await session.close()

    run_leaping(call())


def test_text_without_speech_is_done_at_once() -> None:
    """F-93."""

    async def call() -> None:
        session = MemoryWorker().client()
        await session.open()
        session.speak("👍")
        events = await collect(session, ends=1)
        await session.close()
        assert events == [SpeechBegan(1), SpeechDone(1, 0)]
        assert asyncio.get_running_loop().time() == 0.0

    run_leaping(call())


def test_a_reader_that_takes_nothing_stops_the_worker_and_loses_nothing() -> None:
    texts = ["word " * 60] * 8  # 18 s of speech each

    async def call() -> None:
        worker = MemoryWorker(InlineSpeakers(piece_s=0.01))
        session = worker.client()
        await session.open()
        for text in texts:
            session.speak(text)
        await asyncio.sleep(10.0)
        assert worker.speakers.held
        assert len(worker.speakers.spoken) < 10
        events = await collect(session, ends=8)
        await session.close()
        assert [audio_of(events, n) for n in range(1, 9)] == [tone_of(texts[0])] * 8

    run_leaping(call())


def test_closing_ends_the_events_and_refuses_more() -> None:
    async def call() -> None:
        session = MemoryWorker().client()
        await session.open()
        reader = asyncio.ensure_future(collect(session, ends=1))
        await asyncio.sleep(0.01)
        await session.close()
        await session.close()
        assert await reader == []
        with pytest.raises(TtsError):
            session.speak("Too late.")

    run_leaping(call())


def test_a_fault_of_the_session_itself_reaches_the_reader() -> None:
    async def call() -> None:
        worker = MemoryWorker()

        async def connect_once() -> Socket:
            if worker.sockets:
                raise ZeroDivisionError
            return await worker.connect()

        session = PersistentSession(Ledger("af_heart", "en", 1.0, 24_000, 3), connect_once, SpeechTiming())
        await session.open()
        worker.sockets[0].lose()
        with pytest.raises(TtsError, match="session_broken"):
            await collect(session, ends=1)
        await session.close()

    run_leaping(call())


def test_closing_in_the_moment_the_worker_dies_comes_back() -> None:
    async def call() -> None:
        for steps in range(12):
            worker = MemoryWorker()
            session = worker.client()
            await session.open()
            worker.sockets[0].lose()
            for _ in range(steps):
                await asyncio.sleep(0)
            async with asyncio.timeout(1.0):
                await session.close()

    run_leaping(call())
