"""The call's ears: wire audio in; recogniser behind it; happenings and recognised words out."""

from collections.abc import Callable

import structlog

from gateway.call.exchange import Exchange
from gateway.call.hearing.echo import EchoGate
from gateway.call.turn import Happening
from gateway.errors import SttError
from gateway.stt.base import STT_RATE_HZ, Final, Partial, Prosody, Recogniser, SpeechPaused, SpeechStarted, SttEvent
from gateway.stt.pause import Pause
from media.formats import BYTES_PER_SAMPLE_PCM16, AudioFormat
from media.transcode import Inbound

log = structlog.get_logger(__name__)

# A partial covers the end of speech when it reaches this near to it: the shortest word is as long.
_NEAR_S = 0.25
# A text of fewer words may be no sentence, and proves nothing about a recogniser that sets no full stop behind it.
_SENTENCE_WORDS = 4


class Listener:
    """Follows one recogniser, which its owner closes."""

    def __init__(
        self,
        ears: Recogniser,
        wire_format: AudioFormat,
        exchange: Exchange,
        happen: Callable[[Happening], None],
        echo: EchoGate | None = None,
        prosody: Prosody | None = None,
    ) -> None:
        self._ears = ears
        self._inbound = Inbound(wire_format, STT_RATE_HZ)
        self._exchange = exchange
        self._happen = happen
        self._echo = echo
        self._pause = Pause(prosody, lambda: happen(Happening.PROSODY)) if prosody is not None else None
        self._fed_s = 0.0
        self._began_s = self._ended_s = self._lead_s = 0.0  # the caller's present or last sound
        self._upto_s = 0.0  # what `words` cover
        self._taken = False  # `words` belong to an utterance that is committed or discarded
        self.partials = ears.partials
        self.speaking = False
        self.owes_words = False  # there was a sound since the last commit or discard
        self.deciding = False  # the answer to a commit is awaited
        self.words = ""  # of the utterance, as far as they are known
        self.sure = True  # whether the recogniser would stand by `words`
        self.punctuates = ears.partials  # until a whole sentence comes without a mark
        self.heard: Callable[[Final], None] = lambda final: None  # before its words count as said
        self.is_own_voice: Callable[[str], bool] = lambda text: False  # whether final words are the bot's

    @property
    def silence_ms(self) -> int:
        """How long the caller has been silent; 0 while there is a sound."""
        return 0 if self.speaking else max(0, round(1000 * (self._fed_s - self._ended_s)))

    @property
    def sound_ms(self) -> int:
        """How long the present sound has lasted, or the last one did."""
        return max(0, round(1000 * ((self._fed_s if self.speaking else self._ended_s) - self._began_s)))

    @property
    def lead_ms(self) -> int:
        """How long a sound without voice led to it, a first consonant perhaps; `sound_ms` does not count that."""
        return round(1000 * self._lead_s)

    @property
    def words_are_fresh(self) -> bool:
        """Whether `words` are those of the present utterance up to the last sound's end."""
        return not self._taken and self._upto_s >= self._ended_s - _NEAR_S

    @property
    def sounds_open(self) -> bool:
        """Whether the caller's voice, at the present pause, is not that of one who is done."""
        return self._pause is not None and self._pause.sounds_final is False

    @property
    def echoing(self) -> bool:
        """Whether the caller's side carries the bot's own voice just now."""
        return self._echo is not None and self._echo.echoing

    def feed(self, payload: bytes, now_s: float = 0.0) -> None:
        """Take audio as it came from the wire, at `now_s` of the call."""
        if self._echo is not None:
            payload = self._echo.passed(payload, now_s)
        pcm = self._inbound.feed(payload)
        self._fed_s += len(pcm) / (BYTES_PER_SAMPLE_PCM16 * STT_RATE_HZ)
        self._ears.feed(pcm)
        if self._pause is not None:
            self._pause.feed(pcm)

    def commit(self) -> None:
        """The caller's turn is over: ask for the final words."""
        self._exchange.committed()
        self._taken = self.deciding = True
        self.owes_words = False
        if self._pause is not None:
            self._pause.decided()
        self._ears.commit()

    def discard(self) -> None:
        """The sound was no turn."""
        self._taken = True
        self.owes_words = False
        if self._pause is not None:
            self._pause.decided()
        self._ears.discard()

    async def run(self) -> None:
        """Open the recogniser and follow it until it closes.

        A failure at one turn counts as a turn without words. When it fails for good the call is deaf, and all that is
        left is to say goodbye.
        """
        try:
            await self._ears.open()
            while await self._follow():
                pass
        except SttError as error:
            log.error("stt_failed", code=error.code, error=str(error))
            self._exchange.turn.failure = error.code
            self._happen(Happening.FAREWELL)

    async def _follow(self) -> bool:
        """Hand on events until the recogniser closes; True when it failed at one turn and goes on."""
        try:
            async for event in self._ears.events():
                self._take(event)
        except SttError as error:
            if not error.retryable:
                raise
            log.warning("stt_failed", code=error.code, error=str(error))
            self._exchange.turn.failure = error.code
            self._recognised("")
            return True
        return False

    def _take(self, event: SttEvent) -> None:
        match event:
            case SpeechStarted(at_s, lead_s):
                self.speaking = self.owes_words = True
                self._began_s, self._lead_s = at_s, lead_s
                if self._taken:
                    self.words, self._taken, self._upto_s, self.sure = "", False, at_s, True
                if self._pause is not None:
                    self._pause.speech(at_s)
                self._happen(Happening.SPEECH_STARTED)
            case SpeechPaused(at_s):
                self.speaking, self._ended_s = False, at_s
                if self._pause is not None:
                    self._pause.silence(at_s)
                self._exchange.caller_paused(self.silence_ms / 1000)
                self._happen(Happening.SPEECH_PAUSED)
            case Partial(text, upto_s, sure):
                if not self._taken:
                    self.words, self._upto_s, self.sure = text, upto_s, sure
                    self._happen(Happening.PARTIAL)
            case Final():
                log.debug("caller_said", words=event.text, took_s=round(event.took_s, 3))
                if not self.is_own_voice(event.text):
                    self.heard(event)
                self._recognised(event.text)

    def _recognised(self, text: str) -> None:
        if text.strip() and self._taken:
            self.words = text
        if len(text.split()) >= _SENTENCE_WORDS:
            self.punctuates = self.partials and not text.rstrip()[-1:].isalnum()
        self._exchange.caller_said("" if self.is_own_voice(text) else text)
        self._happen(Happening.WORDS if self._exchange.unanswered else Happening.NO_WORDS)
