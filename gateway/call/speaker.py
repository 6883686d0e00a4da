"""The call's mouth: sentences and prompts in; TTS session, playout and the account of what was heard behind it."""

import asyncio
from collections.abc import Callable

import structlog

from gateway.call.heard import Heard
from gateway.call.playout import Playout
from gateway.call.prompts import Prompts
from gateway.errors import TtsError
from gateway.tts.base import SpeechAudio, SpeechDone, SpeechFailed, SpeechSession, SpeechWords
from media.dtmf import ToneTiming, tones

log = structlog.get_logger(__name__)


class Speaker:
    """Speaks one reply at a time. `pump` moves audio from the voice to the playout and must be running."""

    def __init__(
        self, voice: SpeechSession, playout: Playout, prompts: Prompts, key_sound: ToneTiming | None = None
    ) -> None:
        self._voice = voice
        self._playout = playout
        self.prompts = prompts
        self._heard = Heard()
        self._unspoken: set[int] = set()  # asked of the voice, not answered to the end
        self._all_spoken = asyncio.Event()
        self._last = 0
        self._prompt_number = 0
        self._aside = 0
        self._key_sound = key_sound
        self._keys = 0  # the utterance that is keys, while it is to be heard
        self.paused = False
        self.failure = ""  # code of the last sentence the voice could not speak, since `begin`
        self.on_first_audio: Callable[[int], None] = lambda number: None

    def begin(self) -> None:
        """A new reply or prompt: what was heard is counted from here."""
        self._playout.settle()
        self._heard = Heard()
        self._all_spoken.set()
        self._last = 0
        self.failure = ""

    def say(self, written: str) -> None:
        """Speak a sentence behind the others; one with nothing to say (an emoji) counts as said."""
        spoken = self.prompts.spoken(written)
        if not spoken.text:
            return
        try:
            number = self._voice.speak(spoken.text, self.prompts.delivery(spoken))
        except TtsError as error:  # refused for good: nothing can be asked of it any more
            self._fail(error.code, error.detail)
            return
        self._heard.begin(number, written, spoken)
        self._unspoken.add(number)
        self._all_spoken.clear()
        self._last = number

    def prompt(self, text: str) -> None:
        """Speak a fixed sentence: from memory where it is kept, so that it is heard even when the voice has failed."""
        prompt = self.prompts.get(text)
        if prompt is None:
            self.say(text)
            return
        number = self._next_prompt()
        self._heard.begin(number, text, prompt.spoken)
        self._heard.timed(number, prompt.words)
        self._playout.feed(number, prompt.pcm)
        self._heard.queued(number, self._playout.finish(number), whole=True)

    def aside(self, text: str) -> bool:
        """Speak a kept sentence that does not count as said, before what comes; False when it is not kept.

        Asked of the voice it would queue there, in front of the reply that it is to bridge the wait for.
        """
        prompt = self.prompts.get(text)
        if prompt is None:
            return False
        self._aside = self._next_prompt()
        self._playout.feed(self._aside, prompt.pcm)
        self._playout.finish(self._aside)
        return True

    def is_aside(self, number: int) -> bool:
        """Whether this is the number of an aside."""
        return number == self._aside != 0

    def _next_prompt(self) -> int:
        self._prompt_number -= 1  # the voice counts upwards from 1
        self._last = self._prompt_number
        return self._last

    @property
    def busy(self) -> bool:
        """Whether something sounds, or is on its way."""
        return bool(self._unspoken) or self._playout.left_s > 0.0

    async def press(self, digits: str) -> None:
        """Play keys behind everything asked so far; return when they have sounded, or were cut.

        A pause does not break them: a key that goes on after one is two keys at the far end.
        """
        await self._all_spoken.wait()
        number = self._keys = self._next_prompt()
        self._playout.feed(number, tones(digits, self._voice.rate_hz, self._key_sound))
        self._playout.finish(number)
        await self._playout.played_out(number)
        if self._keys == number:
            self._keys = 0

    def is_keys(self, number: int) -> bool:
        """Whether this is the number of keys that are on their way."""
        return number == self._keys != 0

    @property
    def waiting(self) -> bool:
        """Whether the caller hears nothing of the reply now, be it that an aside sounds."""
        return not self.busy or (not self._unspoken and self.is_aside(self._last))

    @property
    def left_s(self) -> float:
        """How much of what has been synthesised is still to be heard."""
        return self._playout.left_s

    def pause(self) -> None:
        """Fall silent, to go on later."""
        if not self._keys:
            self.paused = True
            self._playout.pause()

    def resume(self) -> None:
        """Go on where `pause` fell silent."""
        self.paused = False
        self._playout.resume()

    async def spoken(self) -> None:
        """Return when the voice has answered for every sentence asked so far."""
        await self._all_spoken.wait()

    async def played(self) -> None:
        """Return when everything said since `begin` has sounded to its end, or was cut."""
        await self._all_spoken.wait()
        if self._last:
            await self._playout.played_out(self._last)

    def heard(self) -> str:
        """What the caller has heard since `begin`."""
        return self._account()

    def written(self) -> str:
        """Everything that was to be said since `begin`."""
        return self._heard.written()

    def cut(self) -> str:
        """Stop now: drop what is being synthesised and what is queued, here and there. Returns what was heard."""
        heard = self._account(cut=True)
        self.paused = False
        self._voice.cancel()
        self._unspoken.clear()
        self._all_spoken.set()
        self._playout.clear()
        return heard

    def _account(self, cut: bool = False) -> str:
        for number, seconds in self._playout.settle(cut):
            self._heard.played(number, seconds)
        return self._heard.text()

    def acknowledge(self, mark: str) -> None:
        """The platform returned a mark; late, repeated and cleared ones mean nothing."""
        number = self._playout.marks.reached(mark)
        if number is not None:
            self._heard.reached(number)

    async def pump(self) -> None:
        """Move speech to the playout until the session closes, no faster than the playout has room."""
        begun = 0
        async for event in self._voice.events():
            if event.request_id not in self._unspoken:
                continue
            if isinstance(event, SpeechAudio):
                if event.request_id != begun:
                    begun = event.request_id
                    self.on_first_audio(begun)
                self._playout.feed(event.request_id, event.pcm)
                await self._playout.room()
            elif isinstance(event, SpeechWords):
                self._heard.timed(event.request_id, event.words)
            elif isinstance(event, SpeechDone):
                self._finish(event.request_id, whole=True)
            elif isinstance(event, SpeechFailed):
                self._fail(event.code, event.detail)
                self._finish(event.request_id, whole=False)

    def _fail(self, code: str, detail: str) -> None:
        log.warning("speech_failed", code=code, detail=detail)
        self.failure = code

    def _finish(self, number: int, whole: bool) -> None:
        """All audio of the sentence has come; `whole` unless it stands for a part of the text only."""
        self._heard.queued(number, self._playout.finish(number), whole)
        self._unspoken.discard(number)
        if not self._unspoken:
            self._all_spoken.set()
