"""One call's ears under the leaping clock: fed frame by frame, and everything they said kept."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from gateway.errors import SttError
from gateway.stt.base import Final, Partial, SttEvent
from gateway.stt.vad import VoiceActivity
from gateway.stt.whisper import WhisperRecogniser
from gateway.stt.whisper_engine import WhisperEngine
from tests.gateway.stt.workers import FakeWorkers

FRAME_S = 0.02
VOICE = b"\1" * 640
SILENCE = bytes(640)


class Call:
    """A recogniser, what is fed to it in the clock's time, and everything it said."""

    def __init__(self, engine: WhisperEngine, *languages: str) -> None:
        activity = VoiceActivity(
            lambda frame: float(frame != SILENCE), min_speech_ms=80, pause_ms=120, frame_samples=len(VOICE) // 2
        )
        self.ears = WhisperRecogniser(engine, activity, *(languages or ("en",)))
        self.said: list[SttEvent | SttError] = []
        self._reading: asyncio.Task[None] | None = None

    async def open(self) -> None:
        await self.ears.open()
        self._reading = asyncio.create_task(self._read())

    async def close(self) -> None:
        await self.ears.close()
        assert self._reading is not None
        await self._reading

    async def hear(self, frame: bytes, duration_s: float) -> None:
        for _ in range(round(duration_s / FRAME_S)):
            self.ears.feed(frame)
            await asyncio.sleep(FRAME_S)

    async def speak(self, duration_s: float) -> None:
        await self.hear(VOICE, duration_s)

    async def silent(self, duration_s: float) -> None:
        await self.hear(SILENCE, duration_s)

    def all_of(self, kind: type[SttEvent] | type[SttError]) -> list[SttEvent | SttError]:
        return [event for event in self.said if isinstance(event, kind)]

    @property
    def finals(self) -> list[str]:
        return [event.text for event in self.said if isinstance(event, Final)]

    @property
    def partials(self) -> list[Partial]:
        return [event for event in self.said if isinstance(event, Partial)]

    async def _read(self) -> None:
        while True:
            try:
                async for event in self.ears.events():
                    self.said.append(event)
                return
            except SttError as error:
                self.said.append(error)


@asynccontextmanager
async def call_with(workers: FakeWorkers, *languages: str) -> AsyncIterator[Call]:
    engine = WhisperEngine(workers.start)
    call = Call(engine, *languages)
    await call.open()
    yield call
    await call.close()
    await engine.close()
    assert workers.running == 0


def seconds(text: str) -> float:
    """The fake's words are the length of the audio in tenths of a second."""
    return int(text) / 10
