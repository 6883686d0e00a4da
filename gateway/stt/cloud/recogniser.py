"""Recognition by a service in the cloud: words while the caller speaks, over one stream a call.

Sound is judged here, by the same voice activity detection as everywhere; the service only tells the words. Where it can
be asked to it tells them at each pause, so at a commit they are usually known; else they are waited for a little.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

from gateway.errors import SttError
from gateway.stt.base import Final, Partial, SpeechPaused, SpeechStarted, SttEvent
from gateway.stt.cloud.base import CloudService, Result
from gateway.stt.cloud.stream import CloudStream
from gateway.stt.cloud.words import Words
from gateway.stt.event_queue import EventQueue
from gateway.stt.silero import FRAME_SAMPLES, SileroScore, load_silero
from gateway.stt.vad import VoiceActivity

# A result covers the end of speech when it reaches this near to it: less than a short word, more than the two clocks
# (the service's words, our voice activity) differ by.
NEAR_S = 0.12
# Services are half a second behind the caller; words that are not told by then were none.
WORDS_WITHIN_S = 1.2
# A waiting commit is looked at so often; by the first look a service that was flushed has answered, or will not, and
# words that may still change have to do.
LOOK_S = 0.4
# While there is no stream the words may still come, when it hears the audio again.
COMMIT_DEADLINE_S = 8.0


@dataclass(frozen=True, slots=True, eq=False)
class _Commit:
    from_s: float
    to_s: float
    speech_end_s: float
    at_s: float
    timer: asyncio.TimerHandle


class CloudRecogniser:
    """One call's ears. Used from the loop's thread only."""

    partials = True

    def __init__(self, service: CloudService, activity: VoiceActivity, language: str) -> None:
        self._service = service
        self._activity = activity
        self._language = language
        self._words = Words(language)
        self._stream = CloudStream(service, language, self._heard, self._restarted, self._failed)
        self._events = EventQueue()
        self._commits: deque[_Commit] = deque()
        self._floor_s = 0.0  # what began before has been answered for, or forgotten
        self._speech_end_s = 0.0
        self._told = ""

    async def open(self) -> None:
        """Begin to connect; audio is kept meanwhile. SttError for a language that is not configured."""
        self._service.code(self._language)
        self._stream.start()

    def feed(self, pcm: bytes) -> None:
        self._stream.feed(pcm)
        for transition in self._activity.feed(pcm):
            match transition:
                case SpeechStarted(at_s):
                    self._stream.speech(at_s)
                case SpeechPaused(at_s):
                    self._stream.speech(None)
                    self._stream.flush()
                    self._speech_end_s = at_s
            self._events.put(transition)

    def commit(self) -> None:
        """End the utterance: its words are those that began before now."""
        loop = asyncio.get_running_loop()
        now_s = self._stream.fed_s
        speech_end_s = now_s if self._activity.speaking else self._speech_end_s
        timer = loop.call_later(LOOK_S, self._waited)
        self._commits.append(_Commit(self._floor_s, now_s, speech_end_s, loop.time(), timer))
        self._begin_utterance(now_s)
        self._settle()
        if self._commits:
            self._stream.flush()

    def discard(self) -> None:
        self._begin_utterance(self._stream.fed_s)

    def events(self) -> AsyncIterator[SttEvent]:
        """A retryable SttError stands for one Final; iterate anew to go on."""
        return self._events

    async def close(self) -> None:
        while self._commits:
            self._commits.popleft().timer.cancel()
        await self._stream.close()
        self._events.close()
        await asyncio.sleep(0)  # lets the reader see the end

    def _begin_utterance(self, at_s: float) -> None:
        self._floor_s, self._told = at_s, ""

    def _restarted(self, at_s: float) -> None:
        """A new stream hears again what there is from `at_s` on; of a pause behind it, or an end, it has to be told."""
        self._words.restart(at_s)
        if self._commits or not self._activity.speaking:
            self._stream.flush()

    def _heard(self, results: list[Result]) -> None:
        self._words.take(results)
        self._settle()
        text = self._words.text(self._floor_s)
        if text and text != self._told:
            self._told = text
            self._events.put(Partial(text, self._words.upto_s))
        oldest_s = self._commits[0].from_s if self._commits else self._floor_s
        self._stream.keep_from(max(oldest_s, self._words.final_upto_s))

    def _settle(self) -> None:
        """Answer the commits whose words are known: for good, where the service can be asked for that."""
        while self._commits:
            known_s = self._words.final_upto_s if self._service.flush else self._words.upto_s
            if known_s < self._commits[0].speech_end_s - NEAR_S:
                return
            self._answer()

    def _waited(self) -> None:
        """Look at the oldest commit: its words may do, or there were none, or its audio waits for a new stream."""
        commit = self._commits[0]
        waited_s = round(asyncio.get_running_loop().time() - commit.at_s, 3)
        if self._stream.down is not None or waited_s >= COMMIT_DEADLINE_S:
            self._commits.popleft()
            detail = f"no words in {COMMIT_DEADLINE_S:g} s"
            self._events.put(SttError(f"{self._service.name}_overdue", detail, retryable=True))
        elif self._words.upto_s >= commit.speech_end_s - NEAR_S or min(waited_s, self._stream.up_s) >= WORDS_WITHIN_S:
            self._answer()
        else:
            timer = asyncio.get_running_loop().call_later(LOOK_S, self._waited)
            self._commits[0] = replace(commit, timer=timer)

    def _answer(self) -> None:
        commit = self._commits.popleft()
        commit.timer.cancel()
        text = self._words.text(commit.from_s, commit.to_s)
        took_s = round(asyncio.get_running_loop().time() - commit.at_s, 3)
        self._events.put(Final(text, commit.speech_end_s, took_s, self._words.spoken))

    def _failed(self, error: SttError) -> None:
        self._events.put(SttError(error.code, error.detail))


class CloudRecognisers:
    """Makes one recogniser a call."""

    def __init__(self, service: CloudService, *, pause_ms: int = 120) -> None:
        """SttError `vad_weights` when the VAD is not installed."""
        self._service = service
        self._silero = load_silero()
        self._pause_ms = pause_ms

    def recogniser(self, language: str) -> CloudRecogniser:
        activity = VoiceActivity(SileroScore(self._silero), pause_ms=self._pause_ms, frame_samples=FRAME_SAMPLES)
        return CloudRecogniser(self._service, activity, language)

    async def ready(self) -> bool:
        """Whether streams can be had, as the service knows."""
        return await self._service.ready()

    async def close(self) -> None:
        """Nothing is shared but the way in."""
