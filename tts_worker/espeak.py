"""espeak-ng in Kokoro's phonemes, word by word.

espeak-ng keeps its state in the process and corrupts the phonemes of threads that use it at once (F-96): every call
into it, misaki's included, is made under ESPEAK_LOCK.
"""

import re
import threading
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Any

from config.errors import ConfigError
from tts_worker import indonesian
from tts_worker.languages import ESPEAK_VOICES
from tts_worker.pieces import Unit
from tts_worker.symbols import Alphabet

ESPEAK_LOCK = threading.Lock()
REMEDY = "install the project's `local` extra (phonemizer-fork and espeakng-loader)"

# Punctuation of a text -> Kokoro's. Empty: it is not spoken and makes no pause.
_MARKS = {
    "。": ".", "．": ".", "।": ".", "॥": ".", "，": ",", "、": ",", "،": ",", "・": ",", "！": "!", "？": "?", "؟": "?",
    "；": ";", "：": ":", "‥": "…", "–": "—", "―": "—", "«": "“", "»": "”", "「": "“", "」": "”", "『": "“", "』": "”",
    "（": "(", "）": ")", "¿": "", "¡": "", '"': '"', "“": "“", "”": "”", "(": "(", ")": ")", "—": "—", "…": "…",
    ".": ".", ",": ",", "!": "!", "?": "?", ";": ";", ":": ":",
}  # fmt: skip
# . , : inside a number or a name (3.5, 9:30) belong to it.
_MARK = re.compile(r"[.,:](?![^\W_])|[" + re.escape("".join(set(_MARKS) - set(".,:"))) + "]")
# A Han character is a syllable; a kana with its small companions is one too. Elsewhere words are what spaces part.
_KANA = r"[ぁ-ゖァ-ヺ][ゃゅょぁぃぅぇぉャュョァィゥェォー]*"
_HAN = r"[\u3400-\u9fff\uf900-\ufaff]"
_WORD = re.compile(rf"{_HAN}|{_KANA}|(?:(?!{_HAN}|[ぁ-ゖァ-ヺ])\S)+")
HAN = re.compile(_HAN)

# What espeak-ng writes -> the symbols Kokoro was trained with; longest first. ^ ties two letters into one sound.
_SOUNDS = {
    "a^ɪ": "I", "a^ʊ": "W", "e^ɪ": "A", "o^ʊ": "O", "ə^ʊ": "Q", "ɔ^ɪ": "Y",
    "d^z": "ʣ", "d^ʒ": "ʤ", "d^ʑ": "ʥ", "t^s": "ʦ", "t^ʃ": "ʧ", "t^ɕ": "ʨ", "s^s": "S",
    "t^ɕ^h": "ʨʰ", "t^s^h": "ʦʰ", "t^s.^h": "ʈʂʰ", "t^s.": "ʈʂ",
    "k^h": "kʰ", "p^h": "pʰ", "t^h": "tʰ", "ɕ^h": "ɕʰ", "s^h": "sʰ",
    "s.": "ʂ", "z.": "ɻ", "r.": "ɽ", "t.": "ʈ", "d.": "ɖ", "n.": "ɳ", "l.": "l",
}  # fmt: skip
# Symbols that modify the sound before or after them.
_FOLLOWERS = "ː\u0303ʰʲᵝ↓→↗↘"
_LEADERS = "ˈˌ"
# A liaison moves a boundary between words by a sound or two.
_NEAR_SYMBOLS = 3
_CLOSE_UP = frozenset(".,!?;:…")
_LANGUAGE_SOUNDS = {
    # Indonesian writes sy for the sound of English sh; espeak-ng gives the German ich sound.
    "id": {"ç": "ʃ"},
    # Tones 2 and 3. espeak-ng prints tones 1 and 4 alike and the neutral one as 1, so those stay unmarked.
    "zh": {"ɜ": "↗", "2": "↓", "5": "", "1": "", "3": "", "4": ""},
}
# What a language's spelling hides from espeak-ng is put right word by word.
_RESPELLINGS: dict[str, Callable[[str], str]] = {"id": indonesian.respell}
_REFINEMENTS: dict[str, Callable[[str, str], str]] = {"id": indonesian.refine}


class EspeakReader:
    """Reads one language. Build and call it under ESPEAK_LOCK."""

    def __init__(self, language: str, alphabet: Alphabet) -> None:
        self._backend = _backend(ESPEAK_VOICES[language])
        self._sounds = {**_SOUNDS, **_LANGUAGE_SOUNDS.get(language, {})}
        self._sound = re.compile("|".join(re.escape(key) for key in sorted(self._sounds, key=len, reverse=True)))
        self._respell = _RESPELLINGS.get(language, str)
        self._refine = _REFINEMENTS.get(language)
        self._alphabet = alphabet

    def units(self, text: str) -> list[Unit]:
        """Return the units of `text` in order; punctuation between them included."""
        units: list[Unit] = []
        position = 0
        for mark in _MARK.finditer(text):
            units += self._words(text, position, mark.start())
            symbol = self._alphabet.spell(_MARKS[mark.group()])
            if symbol in _CLOSE_UP and units:  # French puts a space before ? and !
                units[-1] = replace(units[-1], space=False)
            if symbol:
                units.append(Unit(symbol, mark.start(), mark.end(), False, _space_after(text, mark.end(), symbol)))
            position = mark.end()
        return units + self._words(text, position, len(text))

    def _words(self, text: str, start: int, end: int) -> list[Unit]:
        """Read the words of text[start:end], which holds no marks, together: they influence each other."""
        places = [(match.start(), match.end()) for match in _WORD.finditer(text, start, end)]
        spoken = self._read(_WORD.sub(lambda match: self._respell(match[0]), text[start:end])).split()
        if len(spoken) == len(places):
            parts = [f"{self._refined(text[a:b], part)} " for part, (a, b) in zip(spoken, places, strict=True)]
        else:
            parts = _deal([len(self._read(text[a:b])) for a, b in places], " ".join(spoken))
        last = len(parts) - 1
        return _joined(
            Unit(part.strip(), a, b, bool(part.strip()), text[b : b + 1].isspace() if i == last else part.endswith(" "))
            for i, (part, (a, b)) in enumerate(zip(parts, places, strict=True))
        )

    def _refined(self, word: str, phonemes: str) -> str:
        return self._refine(self._respell(word), phonemes) if self._refine else phonemes

    def _read(self, run: str) -> str:
        spoken = "".join(self._backend.phonemize([run], strip=True)[:1])
        return self._alphabet.spell(self._sound.sub(lambda match: self._sounds[match.group()], spoken))


def _joined(units: Iterable[Unit]) -> list[Unit]:
    """Give a character that was dealt no sound, such as the n of denwa, to the one before it, which speaks it."""
    joined: list[Unit] = []
    for unit in units:
        if joined and not unit.phonemes and joined[-1].end_char == unit.start_char:
            joined[-1] = replace(joined[-1], end_char=unit.end_char, space=joined[-1].space or unit.space)
        else:
            joined.append(unit)
    return joined


def _deal(shares: Sequence[int], spoken: str) -> list[str]:
    """Deal phonemes spoken together out to words by the length each has alone; the parts joined are the whole.

    A boundary near a space goes there, and none falls inside a sound.
    """
    if not shares:
        return []
    total = sum(shares) or 1
    gaps = [index + 1 for index, symbol in enumerate(spoken) if symbol == " "]
    bounds = [0]
    for share in list(accumulate(shares))[:-1]:
        bounds.append(max(bounds[-1], _near(gaps, spoken, share * len(spoken) // total)))
    bounds.append(len(spoken))
    return [spoken[a:b] for a, b in pairwise(bounds)]


def _near(gaps: Sequence[int], spoken: str, place: int) -> int:
    index = bisect_left(gaps, place)
    nearest = min(gaps[max(index - 1, 0) : index + 1], key=lambda gap: abs(gap - place), default=-_NEAR_SYMBOLS - 1)
    if abs(nearest - place) <= _NEAR_SYMBOLS:
        return nearest
    while 0 < place < len(spoken) and (spoken[place] in _FOLLOWERS or spoken[place - 1] in _LEADERS):
        place += 1
    return place


def _space_after(text: str, position: int, symbol: str) -> bool:
    # Chinese and Japanese write no space after a mark; Kokoro was trained with one.
    return text[position : position + 1].isspace() or (
        symbol in ".,!?;:…" and position < len(text) and not text[position].isascii()
    )


def use_installed_library() -> None:
    """Point phonemizer at the espeak-ng of the espeakng-loader package; ImportError or OSError when it is missing.

    Newer releases of misaki do this when they are imported, the last one for Python 3.13 does not.
    """
    import espeakng_loader
    from phonemizer.backend.espeak.wrapper import EspeakWrapper

    EspeakWrapper.set_library(espeakng_loader.get_library_path())
    EspeakWrapper.set_data_path(espeakng_loader.get_data_path())


def _backend(voice: str) -> Any:
    try:
        from phonemizer.backend import EspeakBackend

        use_installed_library()
        return EspeakBackend(voice, with_stress=True, tie="^", language_switch="remove-flags")
    except (ImportError, OSError, RuntimeError) as error:
        raise ConfigError(f"espeak-ng cannot be used for {voice} ({error}); {REMEDY}.") from error
