"""The real prosody model under a leaping clock, which stands still meanwhile; each look is charged a fixed time."""

import asyncio
from collections.abc import Callable

from gateway.stt.smart_turn import SmartTurn

# What a look is charged: half of what a recognition is (standing_whisper.py), as measured beside it.
CHARGED_S = 0.12


class StandingSmartTurn(SmartTurn):
    """Made for a leaping loop. Outlives the gateway of one call: `end` closes it for good."""

    def ask(self, pcm: bytes, tell: Callable[[float], None]) -> None:
        loop = asyncio.get_running_loop()

        def later(finality: float) -> None:
            loop.call_later(CHARGED_S, tell, finality)

        super().ask(pcm, later)

    async def close(self) -> None:
        """Nothing: the next call goes on with the same network."""

    async def end(self) -> None:
        await super().close()
