"""Timers: each happening happens once, when it is due, unless it was stopped."""

import asyncio
from collections.abc import Awaitable, Callable

from gateway.call.timers import Timers
from gateway.call.turn import Happening
from tests.rig.clock import run_leaping

H = Happening


def ringing(script: Callable[[Timers], Awaitable[None]]) -> list[tuple[float, Happening]]:
    rang: list[tuple[float, Happening]] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        await script(Timers(lambda happening: rang.append((round(loop.time(), 3), happening))))
        await asyncio.sleep(10.0)

    run_leaping(main())
    return rang


def test_each_rings_once_when_it_is_due() -> None:
    async def script(timers: Timers) -> None:
        timers.start(H.END_SILENCE, 600)
        timers.start(H.BARGE_IN, 250)

    assert ringing(script) == [(0.25, H.BARGE_IN), (0.6, H.END_SILENCE)]


def test_starting_anew_replaces_the_running_one() -> None:
    async def script(timers: Timers) -> None:
        timers.start(H.END_SILENCE, 600)
        await asyncio.sleep(0.5)
        timers.start(H.END_SILENCE, 600)

    assert ringing(script) == [(1.1, H.END_SILENCE)]


def test_a_stopped_one_never_rings_and_stopping_twice_is_nothing() -> None:
    async def script(timers: Timers) -> None:
        timers.start(H.END_SILENCE, 600)
        timers.stop(H.END_SILENCE)
        timers.stop(H.END_SILENCE)
        timers.start(H.BARGE_IN, 100)
        timers.stop_all()

    assert ringing(script) == []


def test_what_is_overdue_rings_at_once() -> None:
    async def script(timers: Timers) -> None:
        timers.start(H.END_SILENCE, -300)

    assert ringing(script) == [(0.0, H.END_SILENCE)]


def test_a_happening_may_start_its_own_timer_again() -> None:
    rang: list[float] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()

        def happen(happening: Happening) -> None:
            rang.append(round(loop.time(), 3))
            if len(rang) < 3:
                timers.start(happening, 100)

        timers = Timers(happen)
        timers.start(H.BARGE_IN, 100)
        await asyncio.sleep(2.0)

    run_leaping(main())
    assert rang == [0.1, 0.2, 0.3]


def test_a_timer_runs_until_it_rings_or_is_stopped() -> None:
    async def script(timers: Timers) -> None:
        assert not timers.running(H.END_SILENCE)
        timers.start(H.END_SILENCE, 100)
        timers.start(H.BARGE_IN, 300)
        assert timers.running(H.END_SILENCE)
        await asyncio.sleep(0.2)
        assert not timers.running(H.END_SILENCE)
        timers.stop(H.BARGE_IN)
        assert not timers.running(H.BARGE_IN)

    ringing(script)
