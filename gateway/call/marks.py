"""Marks that the platform has not acknowledged yet.

They belong to us: a clear forgets them here, and what the platform still says about them is history (F-03, F-04).
"""

import asyncio
from contextlib import suppress


class Marks:
    """The pending marks of one call, each the number of an utterance, by name."""

    def __init__(self) -> None:
        self._pending: dict[str, int] = {}
        self._clears = 0
        self._none_left = asyncio.Event()
        self._none_left.set()

    def add(self, number: int) -> str:
        """Return the name of the mark that ends utterance `number`.

        A clear for a pause has the end of an utterance sent twice: names from before it are not used again.
        """
        name = f"{number}.{self._clears}" if self._clears else str(number)
        self._pending[name] = number
        self._none_left.clear()
        return name

    def reached(self, name: str) -> int | None:
        """Return the utterance of an acknowledged mark; None for unknown, cleared or repeated ones."""
        number = self._pending.pop(name, None)
        if not self._pending:
            self._none_left.set()
        return number

    def clear(self) -> None:
        self._clears += 1
        self._pending.clear()
        self._none_left.set()

    async def confirmed(self, grace_s: float) -> None:
        """Wait until every mark is acknowledged, at most `grace_s`."""
        with suppress(TimeoutError):
            async with asyncio.timeout(grace_s):
                await self._none_left.wait()
