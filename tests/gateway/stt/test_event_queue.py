import asyncio

import pytest

from gateway.errors import SttError
from gateway.stt.base import Final, Partial, SpeechPaused, SpeechStarted, SttEvent
from gateway.stt.event_queue import MAX_UNREAD_EVENTS, EventQueue
from tests.rig.clock import run_leaping


async def read(events: EventQueue, count: int) -> list[SttEvent]:
    found: list[SttEvent] = []
    async for event in events:
        found.append(event)
        if len(found) == count:
            break
    return found


def test_events_come_out_in_order_whether_the_reader_waits_or_not() -> None:
    async def scene() -> None:
        events = EventQueue()
        reading = asyncio.create_task(read(events, 3))
        events.put(SpeechStarted(0.1))
        await asyncio.sleep(1)
        events.put(SpeechPaused(0.5))
        events.put(Final("yes", 0.5, 0.0))
        assert await reading == [SpeechStarted(0.1), SpeechPaused(0.5), Final("yes", 0.5, 0.0)]

    run_leaping(scene())


def test_an_unread_partial_is_replaced_by_the_next() -> None:
    async def scene() -> None:
        events = EventQueue()
        for upto_s in (1.0, 2.0, 3.0):
            events.put(Partial("words", upto_s))
        events.put(SpeechPaused(4.0))
        assert await read(events, 2) == [Partial("words", 3.0), SpeechPaused(4.0)]

    run_leaping(scene())


def test_an_error_is_raised_in_its_place_and_reading_may_go_on() -> None:
    async def scene() -> None:
        events = EventQueue()
        events.put(SpeechStarted(0.1))
        events.put(SttError("stt_timeout", retryable=True))
        events.put(SpeechPaused(0.5))
        assert await read(events, 1) == [SpeechStarted(0.1)]
        with pytest.raises(SttError, match="stt_timeout"):
            await read(events, 1)
        assert await read(events, 1) == [SpeechPaused(0.5)]

    run_leaping(scene())


def test_close_ends_a_waiting_reader_and_what_comes_later_is_dropped() -> None:
    async def scene() -> None:
        events = EventQueue()
        reading = asyncio.create_task(read(events, 1))
        await asyncio.sleep(1)
        events.close()
        events.put(SpeechStarted(0.1))
        assert await reading == []
        assert await read(events, 1) == []

    run_leaping(scene())


def test_a_reader_that_has_stopped_costs_bounded_memory_and_the_oldest_events() -> None:
    async def scene() -> None:
        events = EventQueue()
        for second in range(MAX_UNREAD_EVENTS + 10):
            events.put(SpeechStarted(float(second)))
        found = await read(events, MAX_UNREAD_EVENTS)
        assert [found[0], found[-1]] == [SpeechStarted(10.0), SpeechStarted(MAX_UNREAD_EVENTS + 9.0)]

    run_leaping(scene())
