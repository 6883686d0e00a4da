"""Hindi in the letters that Urdu would write it with, so that what Whisper hears can be compared in either script.

Whisper base hears Hindi and mostly writes Urdu, which has no letters for short vowels. Both scripts are put into the
sounds that both write: consonants and long vowels, in Latin letters. Not compared, then: short vowels, e against ai and
i, o against au and u, doubled consonants, f against ph.
"""

import re
import unicodedata


def _table(pairs: str) -> dict[str, str]:
    return {letter: sound for letter, _, sound in (pair.partition("=") for pair in pairs.split())}


_CONSONANTS = _table("""
    क=k ख=kh ग=g घ=gh ङ=n च=c छ=ch ज=j झ=jh ञ=n ट=T ठ=Th ड=D ढ=Dh ण=n त=t थ=th द=d ध=dh न=n प=p फ=f ब=b
    भ=bh म=m य=y र=r ल=l व=v श=S ष=S स=s ह=h
""")
_SIGNS = _table("""
    ा=a ि= ी=y ु= ू=v े=y ै=y ो=v ौ=v ॉ=a ृ=r ं=n ँ=n ः=h
""")
# A vowel at the beginning of a word leans on an alef; one after another vowel does not.
_FIRST = _table("""
    अ=a आ=a इ=a ई=ay उ=a ऊ=av ए=ay ऐ=ay ओ=av औ=av ऑ=a ऋ=r
""")
_LATER = _table("""
    अ=a आ=a इ=y ई=y उ=v ऊ=v ए=y ऐ=y ओ=v औ=v ऑ=a ऋ=r
""")
_URDU = _table("""
    ا=a آ=a ب=b پ=p ت=t ٹ=T ث=s ج=j چ=c ح=h خ=kh د=d ڈ=D ذ=j ر=r ڑ=D ز=j ژ=j س=s ش=S ص=s ض=j ط=t ظ=j ع=_
    غ=g ف=f ق=k ک=k ك=k گ=g ل=l م=m ن=n ں=n و=v ؤ=v ہ=h ه=h ھ=h ة=h ۃ=h ی=y ي=y ے=y ۓ=y ئ=_ ء=_
""")
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
    sounds = re.sub(r"n(?=[bp])", "m", re.sub(r"yy+", "y", sounds).replace("ph", "f"))
    return re.sub(r"(?<=[bcdfgjklmnprstDST])h$", "a", sounds)


def _rest(letter: str) -> str:
    return "" if unicodedata.category(letter)[0] == "M" else letter
