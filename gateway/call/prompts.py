"""Fixed sentences kept as audio: they sound at once, and even while the TTS worker is away."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field

import structlog

from gateway.errors import TtsError
from gateway.text.spans import Spoken
from gateway.text.speakable import speak
from gateway.tts.base import SpeechAudio, SpeechDone, SpeechFactory, SpeechFailed, SpeechWords
from media.tts_wire import Word

log = structlog.get_logger(__name__)

# One sentence takes a second or two on a laptop; a worker that is still loading is asked again later.
PREPARE_TIMEOUT_S = 60.0
RETRY_EVERY_S = 1.0


@dataclass(frozen=True, slots=True)
class Prompt:
    """One sentence, spoken: PCM at the TTS session's rate and its word times."""

    spoken: Spoken = field(repr=False)
    pcm: bytes = field(repr=False)
    words: tuple[Word, ...] = field(default=(), repr=False)


class Prompts:
    """The sentences of one bot, by their text. Empty until `prepare` has run; a call may come before that."""

    def __init__(self, voice: str, language: str, speed: float) -> None:
        self._voice = voice
        self.language = language
        self._speed = speed
        self._kept: dict[str, Prompt] = {}
        # Whether `prepare` has still to bring the first sentence, the greeting: a caller would wait for it.
        self.waiting = False

    def get(self, text: str) -> Prompt | None:
        return self._kept.get(text)

    async def prepare(self, factory: SpeechFactory, texts: Iterable[str]) -> None:
        """Have every text spoken once, trying until the worker answers. Cancel to give up."""
        missing = [text for text in dict.fromkeys(texts) if text.strip()]
        self.waiting = bool(missing)
        told = False
        while missing:
            try:
                async with asyncio.timeout(PREPARE_TIMEOUT_S * len(missing)):
                    await self._speak_all(factory, missing)
                return
            except (TtsError, TimeoutError) as error:
                if not told:
                    log.warning("prompts_not_ready", error=str(error) or "timeout", retry_s=RETRY_EVERY_S)
                    told = True
                await asyncio.sleep(RETRY_EVERY_S)

    async def _speak_all(self, factory: SpeechFactory, texts: list[str]) -> None:
        session = factory.session(self._voice, self.language, self._speed)
        try:
            await session.open()
            spoken = {text: speak(text, self.language) for text in texts}
            asked = {session.speak(spoken[text].text): text for text in texts if spoken[text].text}
            pcm: dict[int, list[bytes]] = {number: [] for number in asked}
            words: dict[int, tuple[Word, ...]] = {}
            if not asked:
                self.waiting = False
                return
            async for event in session.events():
                if isinstance(event, SpeechAudio):
                    pcm[event.request_id].append(event.pcm)
                elif isinstance(event, SpeechWords):
                    words[event.request_id] = event.words
                elif isinstance(event, SpeechFailed):
                    raise TtsError(event.code, event.detail, retryable=True)
                elif isinstance(event, SpeechDone):
                    text = asked.pop(event.request_id)
                    audio = b"".join(pcm.pop(event.request_id))
                    self._kept[text] = Prompt(spoken[text], audio, words.get(event.request_id, ()))
                    self.waiting = False  # they come in order
                    if not asked:
                        return
        finally:
            await session.close()
