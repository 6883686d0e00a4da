"""Waiting for something that announces itself to nobody."""

import asyncio
from collections.abc import Callable


async def until(condition: Callable[[], object], within_s: float = 30.0, every_s: float = 0.01) -> None:
    """Return once the condition holds; AssertionError when it does not in time."""
    for _ in range(round(within_s / every_s)):
        if condition():
            return
        await asyncio.sleep(every_s)
    raise AssertionError(f"did not come true within {within_s} s")
