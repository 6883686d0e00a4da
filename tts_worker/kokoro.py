"""Kokoro-82M: what its engines share. Only the network that turns tokens into samples is their own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from dataclasses import field as data_field
from typing import Protocol

import numpy as np
import structlog

from media.pcm import float_to_pcm16
from media.pronunciation import Pronunciation
from media.tts_wire import ErrorCode, Word
from tts_worker.engine import BatchLimit, Engine, EngineError, Interrupted, Piece, PieceAudio
from tts_worker.g2p import Phonemizer
from tts_worker.languages import LANGUAGES, resolve_language
from tts_worker.pieces import cut
from tts_worker.trim import RATE_HZ, Frames, Samples, Trimmed, trim
from tts_worker.voices import Style, VoiceBook

log = structlog.get_logger(__name__)

# The token at both ends of every input.
_EDGE = 0
_WARM_UP_TEXT = "Hello, this is how the voice begins."


@dataclass(frozen=True, slots=True)
class Utterance:
    """What the network said: samples at 24 kHz, and the frames (of 600 samples) each token took."""

    samples: Samples = data_field(repr=False)
    durations: Frames = data_field(repr=False)


@dataclass(frozen=True, slots=True)
class Asked:
    """What the network is to say: tokens, edges included, with one style of shape (1, 256)."""

    tokens: list[int] = data_field(repr=False)
    style: Style = data_field(repr=False)
    speed: float


class Network(Protocol):
    """The model itself. `load` once, then `speak` from one thread, then `close`. Networks inherit from this one."""

    @property
    def batch_limit(self) -> BatchLimit:
        """What one `speak` may be asked for; final after `load`."""
        return BatchLimit()

    def load(self) -> None:
        """Bring the weights into memory; ConfigError when they are missing or not Kokoro's."""
        ...

    def speak(self, asked: Sequence[Asked], wanted: Callable[[int], bool]) -> Sequence[Utterance | None]:
        """Say all of `asked`; None for those that `wanted` refused before their turn. Raises Interrupted."""
        ...

    def interrupt(self) -> None:
        """Let `speak` raise Interrupted soon, where possible. Called from any thread."""
        return None

    def close(self) -> None: ...


class KokoroEngine(Engine):
    """An engine around a network, the voices and the phonemizer."""

    def __init__(self, name: str, network: Network, voices: VoiceBook, phonemizer: Phonemizer) -> None:
        self._name = name
        self._network = network
        self._voices = voices
        self._phonemizer = phonemizer

    @property
    def name(self) -> str:
        return self._name

    @property
    def sample_rate_hz(self) -> int:
        return RATE_HZ

    @property
    def voices(self) -> frozenset[str]:
        return self._voices.names

    @property
    def languages(self) -> frozenset[str]:
        return LANGUAGES

    def warm_up(self) -> None:
        """Load dictionaries and network and speak once; ConfigError when a part is missing, the fallback too (F-97)."""
        self._phonemizer.load()
        self._network.load()
        for piece in self.plan(_WARM_UP_TEXT, min(self.voices), "en-us", 1.0):
            self.synthesize(piece)

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
        self._voices.check(voice)
        resolved = resolve_language(language, voice)
        if resolved is None:
            raise EngineError(ErrorCode.UNKNOWN_LANGUAGE, f"no such language; there are {', '.join(sorted(LANGUAGES))}")
        units = self._phonemizer.units(text, resolved, pronunciations)
        return cut(text, units, voice, resolved, speed, early=early)

    @property
    def batch_limit(self) -> BatchLimit:
        return self._network.batch_limit

    def synthesize(self, piece: Piece) -> PieceAudio:
        (audio,) = self.synthesize_batch([piece], lambda item: True)
        assert audio is not None, "what is wanted is spoken"
        return audio

    def synthesize_batch(self, pieces: Sequence[Piece], wanted: Callable[[int], bool]) -> list[PieceAudio | None]:
        try:
            said = self._network.speak([self._asked(piece) for piece in pieces], wanted)
        except Interrupted:
            raise
        except Exception as error:  # each runtime raises its own kinds, out of memory among them
            log.exception("network_failed", engine=self._name, phonemes=[len(piece.phonemes) for piece in pieces])
            raise EngineError(ErrorCode.ENGINE_FAILED, "the speech model failed; see the worker's log") from error
        return [
            None if utterance is None else self._audio(piece, utterance)
            for piece, utterance in zip(pieces, said, strict=True)
        ]

    def interrupt(self) -> None:
        self._network.interrupt()

    def _asked(self, piece: Piece) -> Asked:
        tokens = [_EDGE, *self._phonemizer.alphabet.tokens(piece.phonemes), _EDGE]
        return Asked(tokens, self._voices.style(piece.voice, len(piece.phonemes)), piece.speed)

    def _audio(self, piece: Piece, said: Utterance) -> PieceAudio:
        if not np.isfinite(said.samples).all():
            log.error("network_gave_no_numbers", engine=self._name, phonemes=len(piece.phonemes))
            raise EngineError(ErrorCode.ENGINE_FAILED, "the speech model gave no audio; see the worker's log")
        trimmed = trim(said.samples, said.durations, piece.phonemes, piece.speed)
        return PieceAudio(float_to_pcm16(trimmed.samples).pcm, _words(piece, trimmed))

    def close(self) -> None:
        self._network.close()


def _words(piece: Piece, trimmed: Trimmed) -> tuple[Word, ...]:
    return tuple(
        Word(
            word.text,
            float(trimmed.starts_s[word.start_phoneme]),
            float(trimmed.ends_s[word.end_phoneme - 1]),
            word.start_char,
            word.end_char,
        )
        for word in piece.words
    )
