"""Ears that hear by loudness and answer each commit when, and with what, a test wants."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Sequence
from typing import Any

from gateway.errors import SttError
from gateway.stt.base import Final, SttEvent
from gateway.stt.energy import EnergyRecogniser, EnergyRecognisers

# One commit's answer: the words or the error, and how long the caller waits for it.
Answer = tuple[str | SttError, float]


class SlowRecogniser:
    """An energy recogniser whose finals are replaced, in order; the last answer repeats."""

    partials = False

    def __init__(self, inner: EnergyRecogniser, answers: Sequence[Answer]) -> None:
        self._inner = inner
        self._answers = list(answers)
        self._events: asyncio.Queue[SttEvent | SttError | None] = asyncio.Queue()
        self._tasks: set[asyncio.Task[None]] = set()
        self.closed = False

    async def open(self) -> None:
        self._keep(self._follow())

    def feed(self, pcm: bytes) -> None:
        self._inner.feed(pcm)

    def commit(self) -> None:
        self._inner.commit()

    def discard(self) -> None:
        self._inner.discard()

    async def events(self) -> AsyncIterator[SttEvent]:
        while (event := await self._events.get()) is not None:
            if isinstance(event, SttError):
                raise event
            yield event

    async def close(self) -> None:
        self.closed = True
        await self._inner.close()
        for task in list(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        self._events.put_nowait(None)

    async def _follow(self) -> None:
        async for event in self._inner.events():
            if isinstance(event, Final):
                answer, delay_s = self._answers[0] if len(self._answers) == 1 else self._answers.pop(0)
                self._keep(self._answer(event, answer, delay_s))
            else:
                self._events.put_nowait(event)

    async def _answer(self, final: Final, answer: str | SttError, delay_s: float) -> None:
        await asyncio.sleep(delay_s)
        self._events.put_nowait(answer if isinstance(answer, SttError) else Final(answer, final.speech_end_s, delay_s))

    def _keep(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


class SlowRecognisers(EnergyRecognisers):
    """Makes one a call; those it made are in `made`."""

    def __init__(self, *answers: Answer) -> None:
        super().__init__(["unused"])
        self._answers = answers
        self.made: list[SlowRecogniser] = []

    def recogniser(self, language: str) -> SlowRecogniser:  # type: ignore[override]  # a Recogniser all the same
        made = SlowRecogniser(super().recogniser(language), self._answers)
        self.made.append(made)
        return made
