"""The leaping clock: an hour takes no time, and waiting for nothing is noticed."""

import asyncio
import time

import pytest

from gateway.bench.leaping import leap


def test_an_hour_passes_in_no_time() -> None:
    async def main() -> float:
        await asyncio.sleep(3600)
        return asyncio.get_running_loop().time()

    began_s = time.monotonic()
    assert leap(main()) == pytest.approx(3600)
    assert time.monotonic() - began_s < 1.0


def test_the_clock_stands_still_while_a_thread_works() -> None:
    async def main() -> float:
        async with asyncio.timeout(5.0):
            await asyncio.to_thread(time.sleep, 0.05)
        return asyncio.get_running_loop().time()

    assert leap(main()) < 5.0


def test_a_timer_a_day_away_means_that_nothing_will_come() -> None:
    with pytest.raises(RuntimeError, match="every task waits"):
        leap(asyncio.sleep(100_000))
