"""A Whisper process that is none: takes the time it is told, says the words it is told, dies when it is told."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from gateway.errors import SttError
from gateway.stt.whisper_engine import Worker, WorkerLost
from gateway.stt.whisper_wire import Transcript


def duration_text(pcm: bytes) -> str:
    """The words of audio are how long it is, in tenths of a second."""
    return f"{len(pcm) / 3200:.0f}" if pcm.strip(b"\0") else ""


@dataclass
class FakeWorkers:
    """Starts workers: `answer` makes the words, or raises; `takes_s` is how long each job lasts."""

    answer: Callable[[bytes], str] = duration_text
    takes_s: float = 0.2
    sure: bool = True
    loads_s: float = 0.0
    fails_to_start: int = 0
    started: int = 0
    running: int = 0
    heard: list[bytes] = field(default_factory=list)

    async def start(self) -> Worker:
        self.started += 1
        await asyncio.sleep(self.loads_s)
        if self.started <= self.fails_to_start:
            raise WorkerLost("stt_process_missing")
        self.running += 1
        return _FakeWorker(self)


class _FakeWorker:
    def __init__(self, workers: FakeWorkers) -> None:
        self._workers = workers

    async def transcribe(self, language: str, pcm: bytes) -> Transcript:
        self._workers.heard.append(pcm)
        await asyncio.sleep(self._workers.takes_s)
        workers = self._workers
        return Transcript(workers.answer(pcm), language or "xx", workers.takes_s, sure=workers.sure)

    async def stop(self) -> None:
        self._workers.running -= 1


def failing(count: int, error: Exception) -> Callable[[bytes], str]:
    """An answer that raises `error` the first `count` times."""
    left = [error] * count

    def answer(pcm: bytes) -> str:
        if left:
            raise left.pop()
        return duration_text(pcm)

    return answer


JOB_FAILED = SttError("stt_job_failed", retryable=True)
DIED = WorkerLost("stt_process_died")
