"""Fixed sentences kept as audio: they sound at once, and even while the TTS worker is away."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import structlog

from gateway.errors import TtsError
from gateway.text.spans import Spoken
from gateway.text.speakable import speak
from gateway.tts.base import Delivery, SpeechAudio, SpeechDone, SpeechFactory, SpeechFailed, SpeechWords
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
    """How one bot speaks one language, and its sentences as audio, by their text.

    None are kept until `prepare` has run; a call may come before that.
    """

    def __init__(self, voice: str, language: str, speed: float, lexicon: Mapping[str, str] | None = None) -> None:
        self._voice = voice
        self._language = language
        self._speed = speed
        self._lexicon = lexicon or {}
        self._kept: dict[str, Prompt] = {}
        # Whether `prepare` has still to bring the first sentence, the greeting: a caller would wait for it.
        self.waiting = False

    def get(self, text: str) -> Prompt | None:
        return self._kept.get(text)

    def spoken(self, written: str) -> Spoken:
        """The text as this bot says it."""
        return speak(written, self._language, self._lexicon)

    def delivery(self, spoken: Spoken) -> Delivery:
        """In which voice, and with which sounds, it is to be asked of a session."""
        return Delivery(self._voice, self._language, self._speed, spoken.pronunciations)

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
        session = factory.session(self._voice, self._language, self._speed)
        try:
            await session.open()
            spoken = {text: self.spoken(text) for text in texts}
            said = [text for text in texts if spoken[text].text]
            asked = {session.speak(spoken[text].text, self.delivery(spoken[text])): text for text in said}
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
