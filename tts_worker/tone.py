"""A deterministic engine for tests and load: each voice is a tone, each character lasts a fixed time.

Words sound, what is between them is silent, and word times are exact, so a test can compute what it must hear.
"""

import re
import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from media.pronunciation import Pronunciation
from media.tts_wire import ErrorCode, Word
from tts_worker.engine import Engine, EngineError, Piece, PieceAudio, PlannedWord

SAMPLE_RATE_HZ = 24_000
# About the pace of English speech; 1440 samples, a whole number at every speed that divides it.
MS_PER_CHAR = 60
# One long breath (7 s). Cut at a space where there is one.
MAX_PIECE_CHARS = 120
# Multiples of 50 Hz: whole periods in a character's 60 ms, so words begin and end at a zero crossing.
VOICES_HZ = {
    "af_heart": 400,
    "af_bella": 450,
    "af_nicole": 500,
    "af_sarah": 550,
    "am_adam": 250,
    "am_michael": 300,
    "bf_emma": 600,
    "bm_george": 350,
    "ef_dora": 650,
    "em_alex": 750,
    "ff_siwis": 700,
    "hf_alpha": 800,
    "if_sara": 850,
    "jf_alpha": 900,
    "pf_dora": 950,
    "zm_yunjian": 150,
    "low": 200,
    "high": 1000,
}
LANGUAGES = frozenset({"en", "en-us", "en-gb", "es", "fr", "hi", "it", "ja", "pt", "pt-br", "zh", "id"})
_LEVEL = 8_000  # -12 dB below full scale: loud on a phone, far from clipping
_WORD = re.compile(r"\S*\w\S*")


class ToneEngine(Engine):
    """Speaks in tones. `realtime_factor` is the time a piece takes over the time it lasts, 0 for none."""

    name = "tone"
    sample_rate_hz = SAMPLE_RATE_HZ
    voices = frozenset(VOICES_HZ)
    languages = LANGUAGES

    def __init__(self, ms_per_char: int = MS_PER_CHAR, realtime_factor: float = 0.0) -> None:
        self._samples_per_char = ms_per_char * SAMPLE_RATE_HZ // 1000
        self._realtime_factor = realtime_factor
        self._tones: dict[str, NDArray[np.int16]] = {}

    def warm_up(self) -> None:
        for voice in VOICES_HZ:
            self._tone(voice, MAX_PIECE_CHARS * self._samples_per_char)

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
        """Cut `text` into pieces whose phonemes are its own characters; nothing to say when no word is in it."""
        if voice not in VOICES_HZ:
            raise EngineError(ErrorCode.UNKNOWN_VOICE, f"the tone engine has no such voice; it has {sorted(VOICES_HZ)}")
        if not _WORD.search(text):
            return []
        spans = _spans(text, MAX_PIECE_CHARS)
        return [Piece(text[a:b], voice, language, speed, _words(text, a, b)) for a, b in spans]

    def synthesize(self, piece: Piece) -> PieceAudio:
        per_char = self._samples_per_char / piece.speed
        pcm = np.zeros(round(len(piece.phonemes) * per_char), np.int16)
        tone = self._tone(piece.voice, pcm.size)
        words = []
        for word in piece.words:
            begin, end = round(word.start_phoneme * per_char), round(word.end_phoneme * per_char)
            pcm[begin:end] = tone[: end - begin]
            times = (begin / SAMPLE_RATE_HZ, end / SAMPLE_RATE_HZ)
            words.append(Word(word.text, *times, word.start_char, word.end_char))
        if self._realtime_factor:
            time.sleep(self._realtime_factor * pcm.size / SAMPLE_RATE_HZ)
        return PieceAudio(pcm.astype("<i2", copy=False).tobytes(), tuple(words))

    def close(self) -> None:
        self._tones.clear()

    def _tone(self, voice: str, samples: int) -> NDArray[np.int16]:
        """Return at least `samples` of the voice; kept, since every sentence needs the same."""
        tone = self._tones.get(voice)
        if tone is None or tone.size < samples:
            phase = np.arange(samples) * (2 * np.pi * VOICES_HZ[voice] / SAMPLE_RATE_HZ)
            tone = self._tones[voice] = (_LEVEL * np.sin(phase)).astype(np.int16)
        return tone


def _spans(text: str, limit: int) -> list[tuple[int, int]]:
    """Return spans that cover `text`, none longer than `limit`, cut behind a space where one is near enough."""
    spans, begin = [], 0
    while len(text) - begin > limit:
        cut = text.rfind(" ", begin, begin + limit) + 1
        end = cut if cut > begin else begin + limit
        spans.append((begin, end))
        begin = end
    return [*spans, (begin, len(text))]


def _words(text: str, begin: int, end: int) -> tuple[PlannedWord, ...]:
    found = ((m.group(), m.start(), m.end()) for m in _WORD.finditer(text, begin, end))
    return tuple(PlannedWord(word, start, stop, start - begin, stop - begin) for word, start, stop in found)
