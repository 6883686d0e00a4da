"""A loop clock that leaps to the next timer: whole conversations in milliseconds, without real sleeps."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from gateway.bench.leaping import LeapingLoop

T = TypeVar("T")


def run_leaping(main: Coroutine[Any, Any, T]) -> T:
    """Run `main` under the leaping clock and fail if it leaves a task behind."""
    with asyncio.Runner(loop_factory=LeapingLoop) as runner:

        async def checked() -> T:
            result = await main
            await asyncio.sleep(0)
            left = [t for t in asyncio.all_tasks() if t is not asyncio.current_task()]
            assert not left, f"tasks left behind: {left}"
            return result

        return runner.run(checked())
