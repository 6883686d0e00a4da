"""Turns what a model wrote into what a voice can say, and remembers where each word came from."""

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

from gateway.text import addresses, amounts, codes, dates, fractions, money, times, wording
from gateway.text.languages import base_code, speech_rules
from gateway.text.markdown import Visible, visible
from gateway.text.numerals import digits
from gateway.text.passage import Claim, Passage, Rule, apply
from gateway.text.spans import Span, Spoken
from media.pronunciation import Pronunciation

# Between words these are pauses or nothing; inside a word they split it.
_UNSPEAKABLE = frozenset("*#_`[]|~^\\<>{}=+$%@&")
_NO_SPACE_BEFORE = frozenset(".,;:!?…)”’»\"'。，！？、；：」』）।-–%")
_NO_SPACE_AFTER = frozenset("(“‘«¿¡「『（-–'’")
_PAUSES = frozenset(".,;:!?…")
# An entry of the lexicon that tells sounds, not letters.
_SOUNDS = re.compile(r"/([^/]+)/")
_CHUNK = re.compile(r"\s+|\S+")


def speak(text: str, language: str = "en", lexicon: Mapping[str, str] | None = None) -> Spoken:
    """The spoken form of a sentence or reply.

    `lexicon` maps words to a spelling that is pronounced right, or to their sounds in IPA between slashes (/ʃaʊˈmiː/).
    A word with sounds stays as it is written, and the sounds stand beside the text.

    Spelled letters come out as single capitals: a voice names those, and takes a small "a" for the article.
    Never raises; text with nothing to say gives "". A language without rules keeps its numbers as written.
    """
    seen = visible(text)
    passage = Passage(seen.text)
    _look_up(lexicon or {}, passage)
    apply(_rules(base_code(language)), passage)
    return _Assembly(seen, language).spoken(passage)


@lru_cache(maxsize=16)  # one entry a language
def _rules(code: str) -> list[Rule]:
    speech = speech_rules(code)
    if speech is None:
        return []
    return [
        *addresses.rules(speech),
        *dates.rules(speech),
        *times.rules(speech),
        *codes.rules(speech),
        *money.rules(speech),
        *fractions.rules(speech),
        *amounts.rules(speech),
        *wording.abbreviation_rules(speech),
        *codes.mixed_rules(speech),
        *amounts.plain_rules(speech),
        *wording.rules(speech),
    ]


def _look_up(lexicon: Mapping[str, str], passage: Passage) -> None:
    """Claim the words of the lexicon, whatever their case."""
    if not lexicon:
        return
    entries = {word.lower(): entry for word, entry in lexicon.items()}
    keys = "|".join(sorted(map(re.escape, entries), key=len, reverse=True))
    for match in re.finditer(rf"(?<!\w)(?:{keys})(?!\w)", passage.text, re.IGNORECASE):
        entry = entries.get(match[0].lower(), "")
        sounds = _SOUNDS.fullmatch(entry)
        if entry:
            passage.claim(match.start(), match.end(), match[0] if sounds else entry, sounds[1] if sounds else "")


class _Assembly:
    """Puts claims and the text between them together, word by word."""

    def __init__(self, seen: Visible, language: str) -> None:
        self._seen = seen
        self._speech = speech_rules(language)
        self._text = ""
        self._spans: list[Span] = []
        self._pronunciations: list[Pronunciation] = []

    def spoken(self, passage: Passage) -> Spoken:
        at = 0
        for claim in sorted(passage.claims, key=lambda claim: claim.start):
            self._between(at, claim.start)
            self._claim(claim)
            at = claim.end
        self._between(at, len(self._seen.text))
        text = self._text.strip()
        if not any(char.isalnum() for char in text):
            return Spoken("", ())
        return Spoken(text, tuple(self._spans), tuple(self._pronunciations))

    def _claim(self, claim: Claim) -> None:
        said = "".join(self._sayable(char) for char in claim.said)
        first = len(self._spans)
        for word in said.split():
            self._add(word, claim.start, claim.end, joined=claim.start > 0)
        if claim.ipa and len(self._spans) > first:
            self._pronunciations.append(Pronunciation(self._spans[first].start, len(self._text), claim.ipa))
        ends = self._seen.text[claim.start : claim.end].endswith(".")
        if ends and (claim.end == len(self._seen.text) or self._seen.text[claim.end] == "\n"):
            self._add(".", claim.start, claim.end, joined=True)

    def _between(self, start: int, end: int) -> None:
        for found in _CHUNK.finditer(self._seen.text, start, end):
            if found[0].isspace():
                if "\n" in found[0]:
                    self._pause(found.start(), found.end())
            else:
                self._words(found.start(), found.end())

    def _pause(self, start: int, end: int) -> None:
        """A line break that no mark precedes is a pause all the same."""
        if self._text[-1:].isalnum():
            self._add(".", start, end, joined=True)

    def _words(self, start: int, end: int) -> None:
        """Unclaimed text without spaces: kept as it is, but for what no voice can say."""
        word, word_at = "", start
        for at in range(start, end):
            char = self._sayable(self._seen.text[at])
            if char == " " or len(char) > 1:
                self._flush(word, word_at, at)
                if char != " ":
                    self._flush(char, at, at + 1)
                word, word_at = "", at + 1
            elif char:
                word_at = at if not word else word_at
                word += char
        self._flush(word, word_at, end)

    def _flush(self, word: str, start: int, end: int) -> None:
        if word:
            touches = start > 0 and not self._seen.text[start - 1].isspace()
            self._add(word, start, end, joined=touches)

    def _sayable(self, char: str) -> str:
        category = unicodedata.category(char)
        if char in _UNSPEAKABLE or category[0] in "SC" or category == "Zs":
            return "" if category in ("Cf", "Sk") or char in "\u200d\ufe0f*`^~" else " "
        if category == "Mn" and "\ufe00" <= char <= "\ufe0f" or char == "\u20e3":
            return ""
        if category[0] == "N" and self._speech is not None:
            value = unicodedata.digit(char, None)
            return f" {digits(self._speech, str(value))} " if value is not None else " "
        return char

    def _add(self, word: str, start: int, end: int, *, joined: bool) -> None:
        """Append a word from [start, end) of the visible text; marks join the word they belong to."""
        word = word.strip()
        if not self._text:
            word = word.lstrip("-–—,.;:!?…)• ")
        if not word:
            return
        mark = not any(char.isalnum() for char in word)
        alone = mark and all(char in _PAUSES for char in word)
        if alone and self._text[-1:] in _PAUSES and word in (",", "."):
            return
        tight = alone or (joined and (word[0] in _NO_SPACE_BEFORE or self._text[-1:] in _NO_SPACE_AFTER))
        origin_start, origin_end = self._seen.origins[start], self._seen.origins[end - 1] + 1
        if self._text and not tight:
            self._text += " "
        begin = len(self._text)
        self._text += word
        if mark and tight and self._spans:
            last = self._spans[-1]
            self._spans[-1] = Span(last.start, len(self._text), last.origin_start, max(last.origin_end, origin_end))
            return
        self._spans.append(Span(begin, len(self._text), origin_start, origin_end))
