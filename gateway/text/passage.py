"""The text a rule reads, with what other rules have claimed of it."""

import re
from collections.abc import Callable
from dataclasses import dataclass

_WORD_BEFORE = re.compile(r"([^\s]+)[\s\u00a0]*$")
_WORD_AFTER = re.compile(r"[\s\u00a0]*([^\s]+)")
# Neighbouring words are looked for this far away; longer ones say nothing about a number.
_NEIGHBOUR_CHARS = 40
_AROUND = "\"'“”‘’«»()[]{},;:!?….¿¡—–"


@dataclass(frozen=True, slots=True)
class Claim:
    """Characters [start, end) of the visible text are said as `said`, with the sounds of `ipa` unless it is blank."""

    start: int
    end: int
    said: str
    ipa: str = ""


class Passage:
    """Visible text and the claims on it; a place can be claimed once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._claimed = bytearray(len(text))
        self.claims: list[Claim] = []

    def claim(self, start: int, end: int, said: str, ipa: str = "") -> None:
        """Say [start, end) as `said`; the caller has checked that it is free. White space at its edges stays free."""
        matched = self.text[start:end]
        start += len(matched) - len(matched.lstrip())
        end = start + len(matched.strip())
        self._claimed[start:end] = b"\x01" * (end - start)
        self.claims.append(Claim(start, end, said, ipa))

    def free(self, start: int, end: int) -> bool:
        return not any(self._claimed[start:end])

    def claimed(self, at: int) -> bool:
        """Whether the character is claimed; False outside the text."""
        return 0 <= at < len(self.text) and bool(self._claimed[at])

    def before(self, at: int) -> str:
        """The word before `at`, as written; "" when there is none."""
        found = _WORD_BEFORE.search(self.text, max(0, at - _NEIGHBOUR_CHARS), at)
        return found[1] if found else ""

    def after(self, at: int) -> str:
        """The word after `at` without marks around it; "" when there is none or a mark comes first."""
        found = _WORD_AFTER.match(self.text, at, at + _NEIGHBOUR_CHARS)
        return found[1].rstrip(_AROUND) if found and found[1][0] not in _AROUND else ""

    def known_before(self, at: int) -> str:
        """The word before `at` in small letters and without marks; "" across the end of a sentence."""
        word = self.before(at)
        return "" if word[-1:] in ("!", "?") else word.strip(_AROUND).lower()

    def recent(self, at: int) -> frozenset[str]:
        """The last words before `at` within its sentence, in small letters and without marks."""
        near = re.split(r"[!?;]\s|(?<=[^\W\d]{4})\.\s|\n", self.text[max(0, at - _NEIGHBOUR_CHARS) : at])[-1]
        return frozenset(word.strip(_AROUND).lower() for word in near.split())

    def begins_sentence(self, at: int) -> bool:
        """Whether nothing but marks stands between `at` and the beginning of its sentence."""
        before = self.text[max(0, at - _NEIGHBOUR_CHARS) : at].rstrip(" \"'“(«¿¡")
        return not before or before[-1] in ".!?\n:"


Say = Callable[[re.Match[str], Passage], str | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """Where the pattern matches free text, `say` tells how it is said, or None that it is something else."""

    pattern: re.Pattern[str]
    say: Say


def apply(rules: list[Rule], passage: Passage) -> None:
    """Let each rule claim what it knows, the first rules first."""
    for rule in rules:
        for match in rule.pattern.finditer(passage.text):
            if match.end() > match.start() and passage.free(match.start(), match.end()):
                said = rule.say(match, passage)
                if said is not None:
                    passage.claim(match.start(), match.end(), said)
