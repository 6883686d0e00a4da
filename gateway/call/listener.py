"""The call's ears: wire audio in; recogniser behind it; happenings and recognised words out."""

from collections.abc import Callable

import structlog

from gateway.call.exchange import Exchange
from gateway.call.turn import Happening
from gateway.errors import SttError
from gateway.stt.base import STT_RATE_HZ, Final, Recogniser, SpeechPaused, SpeechStarted
from media.formats import BYTES_PER_SAMPLE_PCM16, AudioFormat
from media.transcode import Inbound

log = structlog.get_logger(__name__)


class Listener:
    """Follows one recogniser, which its owner closes."""

    def __init__(
        self, ears: Recogniser, wire_format: AudioFormat, exchange: Exchange, happen: Callable[[Happening], None]
    ) -> None:
        self._ears = ears
        self._inbound = Inbound(wire_format, STT_RATE_HZ)
        self._exchange = exchange
        self._happen = happen
        self._fed_s = 0.0
        self.silence_ms = 0  # how long the caller had been silent when the last pause was noticed

    def feed(self, payload: bytes) -> None:
        """Take audio as it came from the wire."""
        pcm = self._inbound.feed(payload)
        self._fed_s += len(pcm) / (BYTES_PER_SAMPLE_PCM16 * STT_RATE_HZ)
        self._ears.feed(pcm)

    def commit(self) -> None:
        """The caller's turn is over: ask for the final words."""
        self._exchange.committed()
        self._ears.commit()

    def discard(self) -> None:
        """The sound was no turn."""
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
                if isinstance(event, SpeechStarted):
                    self._happen(Happening.SPEECH_STARTED)
                elif isinstance(event, SpeechPaused):
                    silence_s = max(0.0, self._fed_s - event.at_s)
                    self.silence_ms = round(silence_s * 1000)
                    self._exchange.caller_paused(silence_s)
                    self._happen(Happening.SPEECH_PAUSED)
                elif isinstance(event, Final):
                    log.debug("caller_said", words=event.text, took_s=round(event.took_s, 3))
                    self._recognised(event.text)
        except SttError as error:
            if not error.retryable:
                raise
            log.warning("stt_failed", code=error.code, error=str(error))
            self._exchange.turn.failure = error.code
            self._recognised("")
            return True
        return False

    def _recognised(self, text: str) -> None:
        self._exchange.caller_said(text)
        self._happen(Happening.WORDS if self._exchange.unanswered else Happening.NO_WORDS)
