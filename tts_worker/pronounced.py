"""Words whose pronunciation the request brings along, put in the place of what the language's reader made of them."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace

from media.pronunciation import Pronunciation
from tts_worker.pieces import Unit
from tts_worker.symbols import Alphabet

# IPA as people write it -> Kokoro's symbols. Two letters are one sound where IPA always means one; t and s only where a
# tie says so.
_JOINED = {
    "aɪ": "I", "aʊ": "W", "eɪ": "A", "oʊ": "O", "əʊ": "Q", "ɔɪ": "Y", "dʒ": "ʤ", "tʃ": "ʧ", "dʑ": "ʥ", "tɕ": "ʨ",
    "d\u0361z": "ʣ", "t\u0361s": "ʦ", "d\u035cz": "ʣ", "t\u035cs": "ʦ",
    "'": "ˈ", ":": "ː", "ˑ": "ː", ".": "", "\u0361": "", "\u035c": "", "ʷ": "w",
}  # fmt: skip
# The tie of any other pair is for the reader's eye.
_TIED = re.compile("(?<![dt])[\u0361\u035c]|[\u0361\u035c](?![zs])")
# IPA marks the stress where its syllable begins, the model was trained with it in front of the vowel.
_VOWELS = "AIOQWYaeiouyɑɐɒæəɚɛɜɨɪøœɔʊʌɤɯᵊᵻ"
_STRESS = re.compile(f"([ˈˌ])([^{_VOWELS}ˈˌ ]+)(?=[{_VOWELS}])")
_JOIN = re.compile("|".join(re.escape(key) for key in sorted(_JOINED, key=len, reverse=True)))


def kokoro_phonemes(ipa: str, language: str, alphabet: Alphabet) -> str:
    """Return IPA that `check_ipa` passed in the model's symbols; r is the English sound in English."""
    if language.startswith("en"):
        ipa = ipa.replace("r", "ɹ")
    joined = _JOIN.sub(lambda match: _JOINED[match[0]], _TIED.sub("", unicodedata.normalize("NFC", ipa)))
    return _STRESS.sub(r"\2\1", alphabet.spell(joined))


def overlay(
    units: Sequence[Unit],
    text: str,
    spoken: Sequence[tuple[Pronunciation, str]],
    read: Callable[[str], list[Unit]],
) -> list[Unit]:
    """Return the units of `text` with each pronunciation's characters spoken by its phonemes.

    `spoken` is in order, and its places do not overlap. What a unit has beside such a place, the 's of a name, is
    `read` on its own.
    """
    result: list[Unit] = []
    rest = list(units)
    for place, phonemes in spoken:
        before = [unit for unit in rest if unit.end_char <= place.start_char]
        over = [unit for unit in rest if unit.start_char < place.end_char and unit.end_char > place.start_char]
        rest = [unit for unit in rest if unit.start_char >= place.end_char]
        begin = min([place.start_char, *(unit.start_char for unit in over)])
        end = max([place.end_char, *(unit.end_char for unit in over)])
        tail = _shifted(read(text[place.end_char : end]), place.end_char)
        space = text[place.end_char : place.end_char + 1].isspace() or (not tail and over[-1:] and over[-1].space)
        result += before
        result += _shifted(read(text[begin : place.start_char]), begin)
        result.append(Unit(phonemes, place.start_char, place.end_char, True, bool(space)))
        if tail and over and over[-1].space:
            tail[-1] = replace(tail[-1], space=True)
        rest = tail + rest
    return result + rest


def _shifted(units: Sequence[Unit], chars: int) -> list[Unit]:
    return [replace(unit, start_char=unit.start_char + chars, end_char=unit.end_char + chars) for unit in units]
