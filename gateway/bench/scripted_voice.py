"""A voice of tones with exact word times: what was heard of it can be read from how long it was audible."""

import asyncio
import re
from collections.abc import AsyncIterator

import numpy as np

from gateway.tts.base import Delivery, SpeechAudio, SpeechBegan, SpeechDone, SpeechEvent, SpeechSession, SpeechWords
from media.tts_wire import Word

RATE_HZ = 24_000
CHAR_S = 0.06
_CHUNK_BYTES = 9_600


def word_times(text: str) -> tuple[Word, ...]:
    """When each word of a text sounds."""
    return tuple(
        Word(m[0], m.start() * CHAR_S, m.end() * CHAR_S, m.start(), m.end()) for m in re.finditer(r"\S+", text)
    )


class ScriptedVoice:
    """One call's SpeechSession: the first audio of a sentence comes `first_audio_s` after it was asked for."""

    rate_hz = RATE_HZ

    def __init__(self, first_audio_s: float) -> None:
        self._first_audio_s = first_audio_s
        self._asked: asyncio.Queue[tuple[int, str, float] | None] = asyncio.Queue()
        self._count = self._cancelled_upto = 0

    async def open(self) -> None:
        """Nothing to wait for."""

    def speak(self, text: str, delivery: Delivery | None = None) -> int:
        self._count += 1
        self._asked.put_nowait((self._count, text, asyncio.get_running_loop().time() + self._first_audio_s))
        return self._count

    def cancel(self) -> None:
        self._cancelled_upto = self._count

    async def events(self) -> AsyncIterator[SpeechEvent]:
        while (asked := await self._asked.get()) is not None:
            number, text, due_s = asked
            await asyncio.sleep(max(0.0, due_s - asyncio.get_running_loop().time()))
            for event in _spoken(number, text):
                if number <= self._cancelled_upto:
                    break
                yield event
                await asyncio.sleep(0)

    async def close(self) -> None:
        self._asked.put_nowait(None)


def _spoken(number: int, text: str) -> list[SpeechEvent]:
    at = np.arange(round(len(text) * CHAR_S * RATE_HZ)) / RATE_HZ
    # The pitch wanders: a steady tone would be its own echo at every lag.
    pcm = (8000 * np.sin(2 * np.pi * (300 * at + 40 * np.sin(7 * at) + 15 * np.sin(31 * at)))).astype("<i2").tobytes()
    pieces = [SpeechAudio(number, pcm[i : i + _CHUNK_BYTES]) for i in range(0, len(pcm), _CHUNK_BYTES)]
    return [SpeechBegan(number), SpeechWords(number, word_times(text)), *pieces, SpeechDone(number, len(pcm) // 2)]


class ScriptedVoices:
    """The factory."""

    def __init__(self, first_audio_s: float = 0.15) -> None:
        self._first_audio_s = first_audio_s

    def session(self, voice: str, language: str, speed: float) -> SpeechSession:
        return ScriptedVoice(self._first_audio_s)

    async def ready(self) -> bool:
        return True

    async def close(self) -> None:
        """Nothing is shared."""
