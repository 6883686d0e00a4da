"""Kinds of characters that decide where text may be cut."""

import unicodedata
from functools import lru_cache

LINE_ENDS = frozenset("\n\r\v\f\x85\u2028\u2029")
# Marks after which a sentence may be over.
STOPS = frozenset(".…?!‽⁇⁈⁉。．！？｡।॥؟")
# Marks that need no space after them.
UNSPACED_STOPS = frozenset("。！？｡।॥")
ELLIPSES = frozenset(".…")
# What may stand between the mark and the end of its sentence.
CLOSERS = frozenset("\"'”’»›)]}）】」』》〉〕］｝*_`~>")
# What may stand between a space and the first letter of a sentence.
OPENERS = frozenset("\"'“‘«‹„([{（【「『《〈〔［｛*_`~#>-–—•·¿¡‣◦")
CLAUSE_MARKS = frozenset(",;:–—、，；：")
UNSPACED_CLAUSE_MARKS = frozenset("—、，；：")
# Emoji that point at what follows belong to the next sentence, all others to the one before.
POINTS_AHEAD = frozenset("👉➡→▶⏩👇⬇➜➤")
_EMOJI_PARTS = frozenset("\u200d\ufe0e\ufe0f\u20e3")
_FIRST_EMOJI = 0x2190


@lru_cache(maxsize=4096)  # a language uses a few hundred characters; the bound keeps hostile text from growing it
def is_emoji(char: str) -> bool:
    """Whether the character is an emoji or part of one (joiner, variation selector, skin tone)."""
    if char in _EMOJI_PARTS:
        return True
    return ord(char) >= _FIRST_EMOJI and unicodedata.category(char) in ("So", "Sk", "Sm") and char not in POINTS_AHEAD


def starts_uncased(char: str) -> bool:
    """Whether the character is a letter of a script without capitals."""
    return char.isalpha() and char.lower() == char.upper()


@lru_cache(maxsize=4096)
def is_cjk(char: str) -> bool:
    """Whether the character belongs to Chinese or Japanese text, which has no spaces between words."""
    return "\u3000" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff" or "\uff00" <= char <= "\uffef"


@lru_cache(maxsize=4096)
def phonemes(char: str) -> int:
    """How many phonemes a character may cost, measured on dense text of its kind with espeak-ng in seven languages.

    Digits are said as words (Indonesian sevens: 13 phonemes each), signs and spelled capitals likewise; the marks
    inside addresses and codes have names; a Chinese or Japanese character is a syllable or more.
    """
    if char.isdecimal():
        return 14
    if char in ".-/":
        return 6
    if "\u3040" <= char <= "\u30ff":
        return 3
    if is_cjk(char) and char.isalpha():
        return 6
    if "\u0900" <= char <= "\u0dff":
        return 2
    if char in "@#%&+=_" or unicodedata.category(char)[0] == "S":
        return 9
    return 7 if char.isupper() else 1
