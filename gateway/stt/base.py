"""What a recogniser is: caller audio in, events out, never blocking.

Times are seconds of caller audio since the first byte fed, so they mean the same in real time and in tests.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

# What every recogniser is fed: mono s16le at this rate, upsampled once from the wire (F-80).
STT_RATE_HZ = 16_000


@dataclass(frozen=True, slots=True)
class SpeechStarted:
    """The caller began to speak at `at_s`; a sound without voice, such as the s of "seven", led to it for `lead_s`."""

    at_s: float
    lead_s: float = 0.0


@dataclass(frozen=True, slots=True)
class SpeechPaused:
    """The caller has been silent since `at_s`; speech may resume (then SpeechStarted follows).

    Said early, after 100 to 150 ms of silence, so that the words can be made ready; it is no end of turn.
    """

    at_s: float


@dataclass(frozen=True, slots=True)
class Partial:
    """Words of the current utterance so far, covering audio up to `upto_s`; a later Partial replaces it.

    `sure` is false where the recogniser thinks little of the latest of them: a hum may have been read as words.
    """

    text: str = field(repr=False)
    upto_s: float
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Final:
    """The answer to one commit: everything said since the last one; blank when no words were found."""

    text: str = field(repr=False)
    speech_end_s: float
    # How long the commit waited for it; 0.0 when the words were ready.
    took_s: float
    language: str = ""
    # How likely that language is among those the caller may speak; 1.0 where there is no other.
    language_share: float = 1.0


SttEvent = SpeechStarted | SpeechPaused | Partial | Final


class Recogniser(Protocol):
    """One call's ears. Audio fed before the engine is ready is kept, up to a named bound."""

    @property
    def partials(self) -> bool:
        """Whether words are told before a commit, at the latest at each pause; without them only sound is judged."""
        ...

    async def open(self) -> None:
        """Begin; SttError when the engine cannot be had."""
        ...

    def feed(self, pcm: bytes) -> None:
        """Take any amount of audio (16 kHz s16le); returns at once."""
        ...

    def commit(self) -> None:
        """The turn has ended: exactly one Final will follow, or the error that stands for it."""
        ...

    def discard(self) -> None:
        """Forget the utterance so far (it was judged noise); no Final follows."""
        ...

    def events(self) -> AsyncIterator[SttEvent]:
        """Events in order until close; for one reader.

        Raises SttError where a commit cannot be answered: it stands for that Final. When it is `retryable`, iterating
        events() again goes on with what follows; when not, the engine has failed for good.
        """
        ...

    async def close(self) -> None:
        """Stop; nothing of this call is left running afterwards. Idempotent."""
        ...


class RecogniserFactory(Protocol):
    """Makes one recogniser a call; owns what calls share (models, threads)."""

    def recogniser(self, language: str) -> Recogniser: ...

    async def ready(self) -> bool: ...

    async def close(self) -> None: ...


class Prosody(Protocol):
    """Hears by the voice alone whether a turn is over. All calls share one."""

    def ask(self, pcm: bytes, tell: Callable[[float], None]) -> None:
        """Have `tell` called later with how likely the speaker is done, 0 to 1.

        `pcm` is the last seconds up to now, the beginning of the pause included (16 kHz s16le). Nothing is told when
        too many ask at once, or when it cannot be; the words decide then.
        """
        ...

    async def close(self) -> None: ...


@runtime_checkable
class Polyglot(Recogniser, Protocol):
    """Hears several languages, and tells with each Final which one it was."""

    def expect(self, language: str) -> None:
        """From now on take what could be either for this one, which it was made for among others."""
        ...


@runtime_checkable
class PolyglotFactory(RecogniserFactory, Protocol):
    """Can also make one that hears several languages."""

    def polyglot(self, languages: Sequence[str]) -> Polyglot:
        """`languages` are those the caller may speak, the expected one first."""
        ...
