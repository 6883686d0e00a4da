"""Text to Kokoro's phonemes, each word with its place in the text."""

import re
from collections.abc import Sequence
from typing import Any, Protocol

import structlog

from media.pronunciation import Pronunciation
from media.tts_wire import ErrorCode
from tts_worker.engine import EngineError
from tts_worker.english import EnglishReader, load_tagger
from tts_worker.espeak import ESPEAK_LOCK, HAN, EspeakReader
from tts_worker.pieces import Unit
from tts_worker.pronounced import kokoro_phonemes, overlay
from tts_worker.symbols import Alphabet

log = structlog.get_logger(__name__)

# Half an hour of speech. Longer requests are refused, as phonemising one holds up every other session.
MAX_TEXT_CHARS = 20_000


# Emoji and their variants: espeak-ng would read out their names (F-93). One space each, so that offsets stay.
_PICTURES = re.compile("[\u2600-\u27bf\ufe00-\ufe0f\U0001f000-\U0001faff\U000e0020-\U000e007f]")
# Languages with a script of their own: their readers have nothing to learn from a word that they need not read.
_UNLATIN = frozenset({"hi", "ja", "zh"})
_LETTER = re.compile(r"\S")
_JOINERS = re.compile("[\u200b-\u200d\u2060]")


class _Reader(Protocol):
    def units(self, text: str) -> list[Unit]: ...


class Phonemizer:
    """Reads every language of `languages.LANGUAGES`. One text at a time, whoever asks (F-96)."""

    def __init__(self, alphabet: Alphabet) -> None:
        self.alphabet = alphabet
        self._readers: dict[str, _Reader] = {}
        self._tagger: Any = None

    def load(self) -> None:
        """Load the dictionaries and try them. Raises ConfigError when a part is missing: then nothing may be served."""
        with ESPEAK_LOCK:
            for language in ("en-us", "en-gb", "id"):
                self._reader(language)

    def units(self, text: str, language: str, pronunciations: Sequence[Pronunciation] = ()) -> list[Unit]:
        """Return the words and punctuation of `text`; `language` is a key of ESPEAK_VOICES.

        The characters of each pronunciation are one word, spoken so; they are in order and do not overlap.

        Raises EngineError: text_too_long, or bad_field for Japanese in kanji.
        """
        if len(text) > MAX_TEXT_CHARS:
            raise EngineError(
                ErrorCode.TEXT_TOO_LONG,
                f"text has {len(text)} characters, {MAX_TEXT_CHARS} at most; send it by sentence",
            )
        text = _without_foreign(text, language, pronunciations)
        if language == "ja" and HAN.search(text):
            # espeak-ng would say "Chinese letter" for each.
            raise EngineError(ErrorCode.BAD_FIELD, "Japanese is read from kana; text holds kanji, convert it first")
        if language != "zh":
            text = _without_han(text)
        if language != "hi":  # whose letters are joined and parted by the same signs as emoji
            text = _JOINERS.sub(" ", text)
        text = _PICTURES.sub(" ", text)
        spoken = [(place, kokoro_phonemes(place.ipa, language, self.alphabet)) for place in pronunciations]
        with ESPEAK_LOCK:
            reader = self._reader(language)
            return overlay(reader.units(text), text, spoken, reader.units)

    def _reader(self, language: str) -> _Reader:
        if language not in self._readers:
            if language.startswith("en-"):
                self._tagger = self._tagger or load_tagger()
                self._readers[language] = EnglishReader(language == "en-gb", self._tagger, self.alphabet)
            else:
                self._readers[language] = EspeakReader(language, self.alphabet)
        return self._readers[language]


def _without_foreign(text: str, language: str, pronunciations: Sequence[Pronunciation]) -> str:
    """Blank out pronounced words in letters that the language is not written in: they would mislead its reader."""
    for place in pronunciations:
        word = text[place.start_char : place.end_char]
        said = (_LETTER if language in _UNLATIN else HAN).sub(" ", word)
        text = text[: place.start_char] + said + text[place.end_char :]
    return text


def _without_han(text: str) -> str:
    """Blank out Chinese characters, which espeak-ng would name instead of read; offsets stay."""
    blanked, count = HAN.subn(" ", text)
    if count:
        log.warning("unreadable_characters_left_out", count=count)
    return blanked
