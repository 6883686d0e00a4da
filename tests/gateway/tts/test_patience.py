"""What waits too long fails, and only that."""

import asyncio

from gateway.tts.base import SpeechFailed
from gateway.tts.ledger import Ledger
from gateway.tts.patience import Patience
from media.tts_wire import Type, encode_control
from tests.rig.clock import run_leaping

GIVE_UP_S, STALL_S = 5.0, 15.0


def connected_ledger() -> Ledger:
    ledger = Ledger("af_heart", "en", 1.0, 24_000, 1)
    ledger.connect()
    ledger.receive(encode_control(Type.SESSION, framing="tagged", sample_rate=24_000), 0.0)
    return ledger


def test_without_a_worker_each_sentence_fails_when_it_has_waited_long_enough() -> None:
    async def call() -> None:
        ledger, failed_s = Ledger("af_heart", "en", 1.0, 24_000, 3), []
        clock_s = asyncio.get_running_loop().time
        patience = Patience(ledger, GIVE_UP_S, STALL_S, lambda: failed_s.append(clock_s()))
        for _ in range(2):
            ledger.add("Hello.", clock_s())
            patience.arm()
            await asyncio.sleep(2.0)
        await asyncio.sleep(20.0)
        assert failed_s == [5.0, 7.0]
        assert [ledger.next_event(), ledger.next_event()] == [SpeechFailed(n, "worker_lost") for n in (1, 2)]

    run_leaping(call())


def test_a_connected_worker_has_longer_and_loses_only_what_it_has() -> None:
    async def call() -> None:
        ledger, failed_s = connected_ledger(), []
        clock_s = asyncio.get_running_loop().time
        patience = Patience(ledger, GIVE_UP_S, STALL_S, lambda: failed_s.append(clock_s()))
        patience.connected()
        ledger.add("At the worker.", 0.0)
        ledger.add("Waiting here.", 0.0)
        ledger.take()
        patience.arm()
        await asyncio.sleep(16.0)
        assert failed_s == [15.0]
        assert patience.is_stalled
        assert ledger.next_event() == SpeechFailed(1, "worker_stalled")
        assert ledger.next_event() is None
        patience.stop()
        await asyncio.sleep(60.0)
        assert failed_s == [15.0]

    run_leaping(call())


def test_a_delivery_gives_new_time() -> None:
    async def call() -> None:
        ledger, failed_s = connected_ledger(), []
        clock_s = asyncio.get_running_loop().time
        patience = Patience(ledger, GIVE_UP_S, STALL_S, lambda: failed_s.append(clock_s()))
        patience.connected()
        ledger.add("Slow.", 0.0)
        ledger.take()
        patience.arm()
        await asyncio.sleep(10.0)
        ledger.receive(encode_control(Type.SYNTHESIS_START, request_id="1", number=1), clock_s())
        await asyncio.sleep(14.0)
        assert failed_s == []
        await asyncio.sleep(2.0)
        assert failed_s == [25.0]
        patience.stop()

    run_leaping(call())
