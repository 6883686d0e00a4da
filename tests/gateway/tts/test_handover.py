"""A fresh connection takes over between two sentences; joined through memory to a real worker session."""

import asyncio

import pytest

from gateway.errors import TtsError
from gateway.tts.base import SpeechBegan
from gateway.tts.session import SpeechTiming
from tests.rig.clock import run_leaping
from tests.rig.speech_pair import MemoryWorker, audio_of, collect, tone_of

LASTS = SpeechTiming(lasts_s=10.0)


def test_a_silent_connection_is_exchanged_when_its_time_has_come() -> None:
    async def call() -> None:
        worker = MemoryWorker()
        session = worker.client(timing=LASTS)
        await session.open()
        await asyncio.sleep(9.9)
        assert len(worker.sockets) == 1
        await asyncio.sleep(0.2)
        assert [socket.is_lost for socket in worker.sockets] == [True, False]
        session.speak("Good morning.")
        events = await collect(session, ends=1)
        await session.close()
        assert audio_of(events, 1) == tone_of("Good morning.")
        assert all(socket.is_lost for socket in worker.sockets)

    run_leaping(call())


def test_a_sentence_is_never_cut_by_the_exchange_and_the_next_goes_to_the_fresh_connection() -> None:
    texts = [f"word {n} " * 100 for n in range(6)]  # several pieces each

    async def call() -> None:
        worker = MemoryWorker()
        worker.speakers.piece_s = 1.0
        session = worker.client(outstanding=2, timing=LASTS)
        await session.open()
        for text in texts:
            session.speak(text)
        events = await collect(session, ends=6)
        await session.close()
        assert [audio_of(events, n) for n in range(1, 7)] == [tone_of(text) for text in texts]
        assert [type(event) for event in events].count(SpeechBegan) == 6
        assert len(worker.sockets) >= 3
        assert worker.speakers.accepted == texts  # none was asked twice

    run_leaping(call())


def test_the_successor_is_connected_before_the_old_connection_is_left() -> None:
    async def call() -> None:
        worker = MemoryWorker()
        session = worker.client(timing=LASTS)
        await session.open()
        worker.refusals = 2
        await asyncio.sleep(19.0)  # refused at 10 and 15 s, accepted at 20 s
        session.speak("Still the old one.")
        events = await collect(session, ends=1)
        assert len(worker.sockets) == 1
        await asyncio.sleep(1.0)
        assert [socket.is_lost for socket in worker.sockets] == [True, False]
        await session.close()
        assert audio_of(events, 1) == tone_of("Still the old one.")

    run_leaping(call())


def test_a_cancel_frees_a_connection_that_waited_for_its_sentence() -> None:
    async def call() -> None:
        worker = MemoryWorker()
        worker.speakers.piece_s = 1.0
        session = worker.client(timing=LASTS)
        await session.open()
        await asyncio.sleep(9.5)
        session.speak("word " * 500)
        await asyncio.sleep(1.0)
        assert [socket.is_lost for socket in worker.sockets] == [False, False]
        session.cancel()
        session.speak("Yes?")
        events = await collect(session, ends=1)
        assert worker.sockets[0].is_lost
        await session.close()
        assert audio_of(events, 2) == tone_of("Yes?")

    run_leaping(call())


def test_a_successor_lost_before_its_turn_is_replaced() -> None:
    async def call() -> None:
        worker = MemoryWorker()
        worker.speakers.piece_s = 1.0
        session = worker.client(timing=LASTS)
        await session.open()
        await asyncio.sleep(9.5)
        session.speak("word " * 100)
        await asyncio.sleep(1.0)
        worker.sockets[1].lose()
        session.speak("And on.")
        events = await collect(session, ends=2)
        await session.close()
        assert audio_of(events, 1) == tone_of("word " * 100)
        assert audio_of(events, 2) == tone_of("And on.")

    run_leaping(call())


def test_closing_with_a_successor_in_waiting_closes_both() -> None:
    async def call() -> None:
        worker = MemoryWorker()
        worker.speakers.piece_s = 5.0
        session = worker.client(timing=LASTS)
        await session.open()
        await asyncio.sleep(9.5)
        session.speak("A sentence.")
        await asyncio.sleep(1.0)
        await session.close()
        assert [socket.is_lost for socket in worker.sockets] == [True, True]
        with pytest.raises(TtsError, match="session_closed"):
            session.speak("Too late.")

    run_leaping(call())
