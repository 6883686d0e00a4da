"""The real recogniser under a leaping clock.

The clock stands still while it works, and each job is charged a fixed time, so that the figures do
not depend on what else the machine does. What recognition took in truth is told beside them.
"""

import asyncio
from pathlib import Path

from gateway.bench.leaping import LeapingLoop
from gateway.stt.whisper import WhisperRecognisers
from gateway.stt.whisper_engine import Worker
from gateway.stt.whisper_wire import Transcript

# What a job is charged: Whisper base, int8, one thread, takes 0.15 s on two cores with nothing else to do (p95 0.22).
CHARGED_S = 0.25


class StandingWhisper(WhisperRecognisers):
    """Makes ears for a leaping loop. They outlive the gateway of one call: `end` closes them for good."""

    def __init__(self, model_dir: Path, charged_s: float = CHARGED_S) -> None:
        super().__init__(model_dir)
        self.charged_s = charged_s
        self.took_s: list[float] = []  # the engine's own time for each job

    async def start_worker(self) -> Worker:
        with _loop().standing_still():
            return _StandingWorker(await super().start_worker(), self)

    async def close(self) -> None:
        """Nothing: the next call goes on with the same process."""

    async def end(self) -> None:
        await super().close()


class _StandingWorker:
    def __init__(self, inner: Worker, ears: StandingWhisper) -> None:
        self._inner = inner
        self._ears = ears

    async def transcribe(self, language: str, pcm: bytes) -> Transcript:
        with _loop().standing_still():
            found = await self._inner.transcribe(language, pcm)
        self._ears.took_s.append(found.took_s)
        await asyncio.sleep(self._ears.charged_s)
        return found

    async def stop(self) -> None:
        with _loop().standing_still():
            await self._inner.stop()


def _loop() -> LeapingLoop:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, LeapingLoop)
    return loop
