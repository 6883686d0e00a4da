"""Hearing without a model: speech is what is loud, and the words are canned. For load tests and rehearsals."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import cycle

from gateway.stt.base import Final, SpeechPaused, SpeechStarted, SttEvent
from gateway.stt.event_queue import EventQueue
from gateway.stt.vad import VoiceActivity
from media.level import rms_dbfs

# A frame as the phone sends them; shorter ones cost more, longer ones see a pause later.
_FRAME_SAMPLES = 320
# Canned words may say which language they are: "[id] Jam berapa buka?"
_MARKED = re.compile(r"(?:\[(?P<code>[a-z]{2})\] *)?(?P<text>.*)", re.DOTALL)


class EnergyRecogniser:
    """One call's ears: the same pauses and commits as a real recogniser, at no cost worth measuring."""

    partials = False

    def __init__(self, activity: VoiceActivity, words: Iterator[str], language: str) -> None:
        self._activity = activity
        self._words = words
        self._language = language
        self._events = EventQueue()
        self._heard = False
        self._speech_end_s = 0.0

    async def open(self) -> None:
        """Nothing to wait for."""

    def feed(self, pcm: bytes) -> None:
        for transition in self._activity.feed(pcm):
            match transition:
                case SpeechStarted():
                    self._heard = True
                case SpeechPaused(at_s):
                    self._speech_end_s = at_s
            self._events.put(transition)

    def commit(self) -> None:
        """Answer at once: the next canned words when there was speech, else blank."""
        marked = _MARKED.fullmatch(next(self._words) if self._heard else "")
        language, text = (marked["code"], marked["text"]) if marked else ("", "")
        self._heard = self._activity.speaking
        self._events.put(Final(text, self._speech_end_s, took_s=0.0, language=language or self._language))

    def expect(self, language: str) -> None:
        self._language = language

    def discard(self) -> None:
        self._heard = self._activity.speaking

    def events(self) -> AsyncIterator[SttEvent]:
        return self._events

    async def close(self) -> None:
        self._events.close()
        await asyncio.sleep(0)  # lets the reader see the end


class EnergyRecognisers:
    """Makes one a call. Each call hears `words` from the first on, over and over."""

    def __init__(
        self,
        words: Sequence[str],
        *,
        start_dbfs: float = -40.0,
        end_dbfs: float = -46.0,
        min_speech_ms: int = 80,
        pause_ms: int = 120,
    ) -> None:
        """ValueError when there are no words."""
        if not words:
            raise ValueError("energy endpointing needs at least one canned text")
        self._words = tuple(words)
        self._start_dbfs = start_dbfs
        self._end_dbfs = end_dbfs
        self._min_speech_ms = min_speech_ms
        self._pause_ms = pause_ms

    def polyglot(self, languages: Sequence[str]) -> EnergyRecogniser:
        return self.recogniser(languages[0])

    def recogniser(self, language: str) -> EnergyRecogniser:
        activity = VoiceActivity(
            rms_dbfs,
            start_threshold=self._start_dbfs,
            end_threshold=self._end_dbfs,
            min_speech_ms=self._min_speech_ms,
            pause_ms=self._pause_ms,
            frame_samples=_FRAME_SAMPLES,
        )
        return EnergyRecogniser(activity, cycle(self._words), language)

    async def ready(self) -> bool:
        return True

    async def close(self) -> None:
        """Nothing is shared."""
