"""How a word is pronounced, where its spelling would mislead a voice: in IPA, beside the text, never inside it.

What a pronunciation may hold is what Kokoro has a sound for, as a symbol of its own or by its nearest, so that nothing
is left out silently; `tts_worker/pronounced.py` turns it into the model's symbols.
"""

import unicodedata
from dataclasses import dataclass, field
from typing import Any

# A long name has 40 sounds.
MAX_IPA_CHARS = 100
# Kokoro's own symbols: sounds, diphthongs by capital letters, stress, length, aspiration, nasality and tones.
_SOUNDS = frozenset(
    "AIOQSTWYabcdefhijklmnopqrstuvwxyzɑɐɒæβɔɕçɖðʤəɚɛɜɟɡɥɨɪʝɯɰŋɳɲɴøɸθœɹɾɻʁɽʂʃʈʧʊʋʌɣɤχʎʒʔʣʥʦʨᵊᵻ"
    "gɝɫɭɬɮʟɱɺʑʐħɦʍʉɵɘɞɶɓʙɗɠɢʄʕʏ"  # and those that have a near one
)
_MARKS = frozenset("ˈˌːˑʰʱʲʷ\u0303↓→↗↘")
# Written for the reader: stress and length as typewriters have them, ties, borders of syllables and words.
_WRITING = frozenset("':.\u0361\u035c ")


@dataclass(frozen=True, slots=True)
class Pronunciation:
    """Characters [start_char, end_char) of a text are spoken as `ipa`."""

    start_char: int
    end_char: int
    ipa: str = field(repr=False)

    def as_json(self) -> dict[str, Any]:
        return {"start_char": self.start_char, "end_char": self.end_char, "ipa": self.ipa}


def check_ipa(ipa: str) -> str:
    """Return the text in the form that `Pronunciation` holds; ValueError says what cannot be spoken of it."""
    plain = unicodedata.normalize("NFC", ipa).strip()
    if len(plain) > MAX_IPA_CHARS:
        raise ValueError(f"it has {len(plain)} characters of IPA; {MAX_IPA_CHARS} is the limit")
    foreign = [symbol for symbol in plain if not _is_known(symbol)]
    if foreign:
        raise ValueError(f"the voice has no sound for {foreign[0]!r} (U+{ord(foreign[0]):04X}); write a near one")
    if not _SOUNDS.intersection(unicodedata.normalize("NFD", plain)):
        raise ValueError("there is no sound in it; write IPA, such as ʃaʊˈmiː")
    return plain


def _is_known(symbol: str) -> bool:
    if symbol in _SOUNDS or symbol in _MARKS or symbol in _WRITING:
        return True
    letters = unicodedata.normalize("NFD", symbol)
    return len(letters) > 1 and all(letter in _SOUNDS or letter in _MARKS for letter in letters)
