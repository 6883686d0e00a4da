"""What the word before a full stop says about what follows it."""

import re
from dataclasses import dataclass
from enum import Enum, auto

from gateway.text.languages.rules import SentenceRules

_MARKER = re.compile(r"(?:\d{1,3}(?:\.\d{1,2})*|[A-Za-z]|[ivxIVX]{1,4})")
# Single letters or short parts with full stops between: "T.S", "Ph.D", "s.d", "J.-C".
_DOTTED = re.compile(r"[^\W\d_]{1,3}(?:\.-?[^\W\d_]{1,4})+")


class After(Enum):
    """What the word before a full stop expects after it."""

    ANYTHING = auto()  # an ordinary word
    ALWAYS_MORE = auto()  # a title, a list marker
    NUMBER = auto()  # "No.", "Jan."
    CLOSING = auto()  # "a.m.", "Inc."
    NAME = auto()  # an initial


@dataclass(frozen=True, slots=True)
class Before:
    """The surroundings of a mark: its word and the word before, whether they begin the piece, what it closes."""

    word: str
    previous: str
    first: bool
    second: bool
    lower_style: bool  # the sentence began with a small letter: so may the next
    closes_quote: bool = False
    closes_bracket: bool = False
    introduced: bool = False  # a colon stands before the quotation
    leads: bool = False  # the quotation begins the piece, so that its speaker may follow


def expectation(rules: SentenceRules, before: Before) -> After:
    """What follows a full stop after this word."""
    word = core(before.word)
    known = word.lower()
    if known not in rules.titles:
        known = known.rsplit("'", 1)[-1]  # "l'ing." is "ing." with an article
    if before.first and _MARKER.fullmatch(word) and not before.closes_bracket and known not in ("no",):
        return After.ALWAYS_MORE
    if before.previous.endswith(":") and known in ("1", "a", "i"):
        return After.ALWAYS_MORE
    initial = len(word) == 1 and word.isupper()
    if initial and core(before.previous).lower() in rules.labels and not before.previous.endswith("."):
        return After.ANYTHING
    if known in rules.dual:
        return After.NAME if _ends_name(before) else After.ALWAYS_MORE
    if known in rules.titles or (known in rules.capital_titles and word[0].isupper()):
        return After.ALWAYS_MORE
    if known in rules.before_number and not initial:
        return After.NUMBER
    if known in rules.closing:
        return After.CLOSING
    if before.previous.endswith(",") and _DOTTED.fullmatch(word) and word[0].isupper():
        return After.CLOSING  # a degree: "Dewi, M.Si."
    if "." in known and all(part in rules.titles for part in known.split(".")):
        return After.ALWAYS_MORE  # "Prof.Dr. Ilham"
    return After.NAME if initial or _DOTTED.fullmatch(word) else After.ANYTHING


def goes_before_number(rules: SentenceRules, before: Before) -> bool:
    """Whether the word stands before numbers, whatever else it may be: "p. 4", "6 ft. 2 in."."""
    return core(before.word).lower() in rules.before_number


def _ends_name(before: Before) -> bool:
    """Whether a name or a house number stands right before: "Harbour St.", "5th St."."""
    previous = before.previous
    return (
        bool(previous)
        and not before.second
        and (previous[0].isupper() or previous[0].isdigit())
        and previous[-1].isalnum()
    )


def core(token: str) -> str:
    """The token without quotes, brackets and marks around it, and only what follows a bracket or slash inside."""
    token = token.strip("\"'“”‘’«»‹›()[]{}（）「」*_`~¿¡,;:!?….—–-•#> ")
    return re.split(r"[(/\[—–“\"]", token)[-1].replace("’", "'")
