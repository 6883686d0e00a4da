"""What a speech engine is: text planned into pieces, pieces synthesised one or several at a time, all synchronous.

The worker calls `plan` from one planning thread, `interrupt` from its event loop, and everything else from one
inference thread, so an engine needs no locks of its own. Planning and synthesis overlap: nothing `plan` touches may be
shared with `synthesize` unprotected.

    warm_up -> (plan -> synthesize every piece in order) ... -> close
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from media.pronunciation import Pronunciation
from media.tts_wire import ErrorCode, Word

# Kokoro cuts silently beyond this many phonemes (F-94); planning never makes a longer piece.
MAX_PIECE_PHONEMES = 510


class EngineError(Exception):
    """A request the engine cannot speak. `message` names the remedy and never repeats the text; the worker goes on."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message

    def __str__(self) -> str:
        return f"{self.code.value}: {self.message}"


def as_engine_error(error: Exception) -> EngineError:
    """Return what the client is told; what the engine did not foresee may quote the caller, so only its type is."""
    if isinstance(error, EngineError):
        return error
    message = f"the engine failed ({type(error).__name__}); send it again"
    return EngineError(ErrorCode.ENGINE_FAILED, message)


class Interrupted(Exception):
    """Synthesis was given up because nobody wants its result."""


@dataclass(frozen=True, slots=True)
class PlannedWord:
    """A word of the request's text (`start_char`..`end_char`) and the phonemes of its piece that speak it."""

    text: str = field(repr=False)
    start_char: int
    end_char: int
    start_phoneme: int
    end_phoneme: int


@dataclass(frozen=True, slots=True)
class Piece:
    """The least amount of speech that is synthesised in one go, at most MAX_PIECE_PHONEMES long."""

    phonemes: str = field(repr=False)
    voice: str
    language: str
    speed: float
    words: tuple[PlannedWord, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class PieceAudio:
    """Speech of one piece: mono s16le at the engine's rate, and its words timed from the start of this piece."""

    pcm: bytes = field(repr=False)
    words: tuple[Word, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class BatchLimit:
    """The most that one `synthesize_batch` should take."""

    pieces: int = 1
    # The longest piece times the pieces: what lies behind a shorter one's end costs time and memory like speech.
    phonemes: int = MAX_PIECE_PHONEMES


class Engine(Protocol):
    """A voice. Construction is quick and checks that files and voices are there; `warm_up` does the slow part.

    Engines that inherit from this one speak batches one by one and cannot be interrupted.
    """

    @property
    def name(self) -> str:
        """The registry's name of this engine, for logs and `/ping`."""
        ...

    @property
    def sample_rate_hz(self) -> int:
        """Rate of every piece; 24000 for Kokoro."""
        ...

    @property
    def voices(self) -> frozenset[str]:
        """Names a request may ask for; known before `warm_up`."""
        ...

    @property
    def languages(self) -> frozenset[str]:
        """Every language tag a request may use, lower case, short forms included (en, en-us, en-gb, es, ja ...)."""
        ...

    def warm_up(self) -> None:
        """Load the model and speak once in silence, so that the first request is as quick as the tenth."""
        ...

    def plan(
        self,
        text: str,
        voice: str,
        language: str,
        speed: float,
        *,
        early: bool = True,
        pronunciations: Sequence[Pronunciation] = (),
    ) -> list[Piece]:
        """Phonemise and split `text`; [] when it has nothing to say.

        With `early` the first piece is short, to sound early; without, its listener still hears what came before.
        `language` may be "" for the voice's own. The words in the places of `pronunciations`, which are in order and do
        not overlap, sound so. Raises EngineError: unknown_voice, unknown_language, text_too_long.
        """
        ...

    @property
    def batch_limit(self) -> BatchLimit:
        """What a batch may hold; final after `warm_up`."""
        return BatchLimit()

    def synthesize(self, piece: Piece) -> PieceAudio:
        """Speak one piece. Raises EngineError (engine_failed) when the model does, and Interrupted."""
        ...

    def synthesize_batch(self, pieces: Sequence[Piece], wanted: Callable[[int], bool]) -> Sequence[PieceAudio | None]:
        """Speak several pieces, each as `synthesize` would; None for those that `wanted` refused before their turn.

        Raises EngineError when the model fails on any of them, and Interrupted.
        """
        return [self.synthesize(piece) if wanted(item) else None for item, piece in enumerate(pieces)]

    def interrupt(self) -> None:
        """Nobody wants what is being spoken: raise Interrupted soon, where possible. Called from any thread."""
        return None

    def close(self) -> None:
        """Free what was loaded; nothing is called afterwards. Idempotent."""
        ...
