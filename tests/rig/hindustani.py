"""Hindi in the letters that Urdu would write it with, so that what Whisper hears can be compared in either script.

Whisper base hears Hindi and mostly writes Urdu, which has no letters for short vowels. Both scripts are put into the
sounds that both write: consonants and long vowels, in Latin letters. Not compared, then: short vowels, e against ai and
i, o against au and u, doubled consonants.
"""

import re
import unicodedata

_CONSONANTS = dict(
    zip(
        "कखगघङचछजझञटठडढणतथदधनपफबभमयरलवशषसह",
        [
            "k",
            "kh",
            "g",
            "gh",
            "n",
            "c",
            "ch",
            "j",
            "jh",
            "n",
            "T",
            "Th",
            "D",
            "Dh",
            "n",
            "t",
            "th",
            "d",
            "dh",
            "n",
            "p",
            "f",
            "b",
            "bh",
            "m",
            "y",
            "r",
            "l",
            "v",
            "S",
            "S",
            "s",
            "h",
        ],
        strict=True,
    )
)
_SIGNS = dict(zip("ािीुूेैोौॉृंँः", ["a", "", "y", "", "v", "y", "y", "v", "v", "a", "r", "n", "n", "h"], strict=True))
# A vowel at the beginning of a word leans on an alef; one after another vowel does not.
_FIRST = dict(zip("अआइईउऊएऐओऔऑऋ", ["a", "a", "a", "ay", "a", "av", "ay", "ay", "av", "av", "a", "r"], strict=True))
_LATER = dict(zip("अआइईउऊएऐओऔऑऋ", ["a", "a", "y", "y", "v", "v", "y", "y", "v", "v", "a", "r"], strict=True))
_URDU = dict(
    zip(
        "اآبپتٹثجچحخدڈذرڑزژسشصضطظعغفقکكگلمنںوؤہهھةۃیيےۓئء",
        [
            "a",
            "a",
            "b",
            "p",
            "t",
            "T",
            "s",
            "j",
            "c",
            "h",
            "kh",
            "d",
            "D",
            "j",
            "r",
            "D",
            "j",
            "j",
            "s",
            "S",
            "s",
            "j",
            "t",
            "j",
            "_",
            "g",
            "f",
            "k",
            "k",
            "k",
            "g",
            "l",
            "m",
            "n",
            "n",
            "v",
            "v",
            "h",
            "h",
            "h",
            "h",
            "h",
            "y",
            "y",
            "y",
            "y",
            "_",
            "_",
        ],
        strict=True,
    )
)

# A doubled consonant is written once in Urdu.
_DOUBLED = re.compile(r"(.)\u094d\1")


def shared_letters(text: str) -> str:
    """Return the words of Devanagari or Urdu text in the sounds that both scripts write; other letters stay."""
    return " ".join(_word(word) for word in unicodedata.normalize("NFD", text).split())


def _word(word: str) -> str:
    sounds, word = "", _DOUBLED.sub(r"\1", word)
    for index, letter in enumerate(word):
        vowels = _LATER if index else _FIRST
        sounds += next(
            (table[letter] for table in (_CONSONANTS, _SIGNS, vowels, _URDU) if letter in table), _rest(letter)
        )
    sounds = sounds.replace("_", "")
    # Urdu writes a last a with h as well: hamara, hamarah.
    return re.sub(r"(?<=[bcdfgjklmnprstDST])h$", "a", re.sub(r"yy+", "y", sounds))


def _rest(letter: str) -> str:
    return "" if unicodedata.category(letter)[0] == "M" else letter
