"""Kokoro's alphabet: a phoneme symbol ends up in the model's vocabulary, or is left out, counted and logged once."""

import json
import unicodedata
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import structlog

from config.errors import ConfigError

log = structlog.get_logger(__name__)

SENTENCE_MARKS = ".!?…"
CLAUSE_MARKS = ",;:—"
CLOSING_MARKS = ')”"'

# Symbols the model does not know, by the nearest one it does. Empty: carries no sound of its own.
_NEAREST = {
    "g": "ɡ", "ɝ": "ɜɹ", "ɫ": "l", "ɭ": "l", "ɬ": "l", "ɮ": "l", "ʟ": "l", "ɱ": "m", "ɺ": "ɾ",
    "ʑ": "ʒ", "ʐ": "ʒ", "ħ": "h", "ɦ": "h", "ʍ": "w", "ʷ": "w", "ʉ": "u", "ɵ": "ø", "ɘ": "ə", "ɞ": "ɜ", "ɶ": "œ",
    "ɓ": "b", "ʙ": "b", "ɗ": "d", "ɠ": "ɡ", "ɢ": "ɡ", "ʄ": "ɟ", "ʕ": "ʔ", "ʱ": "ʰ", "ˑ": "ː", "ʏ": "y",
    "’": "", "'": "", "-": "", "_": "", "[": "", "]": "", "^": "", "ʼ": "", "ˠ": "", "ˤ": "",
    "\u0329": "", "\u030d": "", "\u032a": "", "\u031e": "", "\u0308": "", "\u0325": "", "\u032f": "", "\u0361": "",
    "*": "", "~": "", "|": "", "/": "", "\\": "", "#": "", "<": "", ">": "", "=": "", "{": "", "}": "", "`": "",
}  # fmt: skip


class Alphabet:
    """The model's vocabulary: symbol to token. `dropped` counts what was left out, by symbol."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self._tokens = dict(vocabulary)
        self.dropped: Counter[str] = Counter()

    @classmethod
    def load(cls, config: Path) -> "Alphabet":
        """Read Kokoro's config.json; ConfigError when it is not one."""
        try:
            vocabulary = json.loads(config.read_text(encoding="utf-8"))["vocab"]
            return cls({str(symbol): int(token) for symbol, token in vocabulary.items()})
        except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
            raise ConfigError(f"{config} is not Kokoro's config.json ({error}); run `voicebot models`.") from error

    def spell(self, phonemes: str) -> str:
        """Return `phonemes` in the model's symbols."""
        return "".join(self._spell_symbol(symbol) for symbol in phonemes)

    def tokens(self, phonemes: str) -> list[int]:
        """Return one token for each symbol of a string that `spell` returned; KeyError for any other."""
        return [self._tokens[symbol] for symbol in phonemes]

    def _spell_symbol(self, symbol: str) -> str:
        if symbol in self._tokens:
            return symbol
        if symbol in _NEAREST:
            return _NEAREST[symbol]
        base = unicodedata.normalize("NFD", symbol)
        if len(base) > 1:  # ä, ũ: the letter and its marks one by one
            return self.spell(base)
        if symbol not in self.dropped:
            log.warning("phoneme_symbol_left_out", symbol=f"U+{ord(symbol):04X}")
        self.dropped[symbol] += 1
        return ""
