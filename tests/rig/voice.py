"""A small working voice: every character is 60 ms of a steady tone, with exact word times, at a chosen pace."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable

import numpy as np

from gateway.errors import TtsError
from gateway.tts.base import (
    Delivery,
    SpeechAudio,
    SpeechBegan,
    SpeechDone,
    SpeechEvent,
    SpeechFailed,
    SpeechSession,
    SpeechWords,
)
from media.tts_wire import Word

RATE_HZ = 24_000
CHAR_S = 0.06
_CHUNK_BYTES = 4_801  # odd on purpose (F-53)


def tone(seconds: float) -> bytes:
    """A 300 Hz tone at the voice's rate."""
    at = np.arange(round(seconds * RATE_HZ)) / RATE_HZ
    return (8000 * np.sin(2 * np.pi * 300 * at)).astype("<i2").tobytes()


def words_of(text: str) -> tuple[Word, ...]:
    return tuple(
        Word(m[0], m.start() * CHAR_S, m.end() * CHAR_S, m.start(), m.end()) for m in re.finditer(r"\S+", text)
    )


class TestVoice:
    """One call's SpeechSession. `fails` says which texts cannot be spoken; `delay_s` passes before each sentence.

    Closing takes `close_s`; a voice that is `shut` has been refused by its worker for good.
    """

    __test__ = False
    rate_hz = RATE_HZ

    def __init__(
        self, delay_s: float, fails: Callable[[str], bool], refuses: bool, close_s: float = 0.0, shut: bool = False
    ) -> None:
        self._delay_s = delay_s
        self._fails = fails
        self._refuses = refuses
        self._close_s = close_s
        self._shut = shut
        self._asked: asyncio.Queue[tuple[int, str] | None] = asyncio.Queue()
        self._cancelled_upto = 0
        self._count = 0
        self.spoken: list[str] = []
        self.deliveries: list[Delivery] = []  # of every sentence that was asked
        self.open_count = 0
        self.closing = False
        self.closed = False

    async def open(self) -> None:
        self.open_count += 1
        if self._shut:
            self._asked.put_nowait(None)
            raise TtsError("worker_refused")
        if self._refuses:
            raise TtsError("worker_unreachable", retryable=True)

    def speak(self, text: str, delivery: Delivery | None = None) -> int:
        if self._shut:
            raise TtsError("session_closed")
        self._count += 1
        self.deliveries.append(delivery or Delivery())
        self._asked.put_nowait((self._count, text))
        return self._count

    def cancel(self) -> None:
        self._cancelled_upto = self._count

    async def events(self) -> AsyncIterator[SpeechEvent]:
        while (asked := await self._asked.get()) is not None:
            async for event in self._events_of(*asked):
                if asked[0] <= self._cancelled_upto:
                    break
                yield event

    async def close(self) -> None:
        self.closing = True
        await asyncio.sleep(self._close_s)
        self.closed = True
        self._asked.put_nowait(None)

    async def _events_of(self, number: int, text: str) -> AsyncIterator[SpeechEvent]:
        await asyncio.sleep(self._delay_s)
        if self._fails(text):
            yield SpeechFailed(number, "engine_failed")
            return
        self.spoken.append(text)
        yield SpeechBegan(number)
        pcm = tone(len(text) * CHAR_S)
        for start in range(0, len(pcm), _CHUNK_BYTES):
            yield SpeechAudio(number, pcm[start : start + _CHUNK_BYTES])
            await asyncio.sleep(0)
        yield SpeechWords(number, words_of(text))
        yield SpeechDone(number, len(pcm) // 2)


class TestVoices:
    """The factory; every session it made is in `made`."""

    __test__ = False

    def __init__(
        self,
        delay_s: float = 0.0,
        fails: Callable[[str], bool] = lambda _: False,
        refuses: bool = False,
        close_s: float = 0.0,
        shut: bool = False,
    ) -> None:
        self._delay_s = delay_s
        self._fails = fails
        self._refuses = refuses
        self._close_s = close_s
        self._shut = shut
        self.made: list[TestVoice] = []

    def session(self, voice: str, language: str, speed: float) -> SpeechSession:
        session = TestVoice(self._delay_s, self._fails, self._refuses, self._close_s, self._shut)
        self.made.append(session)
        return session

    async def ready(self) -> bool:
        return not self._refuses

    async def close(self) -> None:
        """Nothing is shared."""
