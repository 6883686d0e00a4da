"""What is known about the text since the last cut, character by character."""

from dataclasses import dataclass, replace

from gateway.text.boundary import Boundary
from gateway.text.characters import (
    CLAUSE_MARKS,
    CLOSERS,
    STOPS,
    UNSPACED_CLAUSE_MARKS,
    UNSPACED_STOPS,
    phonemes,
)
from gateway.text.clause import ClauseBoundary
from gateway.text.enclosures import Enclosures
from gateway.text.expectation import After, Before, expectation
from gateway.text.languages.rules import SentenceRules

# Kokoro takes 510 phonemes at once and drops the rest silently. Prose costs about one phoneme a character,
# digits and signs far more, so both are bounded; lower bounds would cut long sentences more often.
MAX_PIECE_CHARS = 300
MAX_PIECE_PHONEMES = 460
# A forced cut at a clause or sentence mark is worth having only if the piece before it is not tiny.
_MIN_FORCED_PHONEMES = 100
# A shorter first clause sounds clipped and is over before the voice has the next one ready.
FIRST_CLAUSE_MIN_CHARS = 12


@dataclass(slots=True)
class _Places:
    """The last places where a piece that grows too long may be cut, best kind first; 0 is none yet."""

    inner_end: int = 0
    clause: int = 0
    space: int = 0
    any_space: int = 0


class Piece:
    """Takes in the piece's characters in order; each place that may end it comes back as a boundary.

    `continues`: the piece follows a cut inside a sentence, so how it begins says nothing about the writer.
    """

    def __init__(self, rules: SentenceRules, *, continues: bool = False, first_clause: bool = False) -> None:
        self._rules = rules
        self._continues = continues
        self._first_clause = first_clause
        self._enclosures = Enclosures()
        self._cost = 0
        self._word_at = -1  # where the current word began; -1 between words
        self._previous = ""
        self._words = 0
        self._first_letter = ""
        self._solid = ""  # the last character that is neither space nor closing mark
        self._introduced = False  # a colon stands before the open quotation
        self._leads = False  # nothing stands before it
        self._inner: Before | None = None  # the surroundings of the last mark inside an enclosure
        self._places = _Places()
        self._inner_ends: list[int] = []

    def take(self, text: str, at: int) -> Boundary | ClauseBoundary | None:
        """Take in text[at], the piece being text from 0 on; a boundary comes back when the piece may end there."""
        char = text[at]
        self._cost += phonemes(char)
        was_open = self._enclosures.depth > 0
        closed = self._enclosures.see(text, 0, at)
        if char.isspace():
            self._end_word(text, at)
            return None
        if self._word_at < 0:
            self._begin_word(text, at)
        if not was_open and self._enclosures.depth:
            self._introduced = self._solid in (":", "：")
            self._leads = self._words == 0
            self._inner = None
        boundary = self._boundary(text, at, closed)
        if char not in CLOSERS:
            self._solid = char
        if not self._first_letter and char.isalpha():
            self._first_letter = char
        return boundary

    def skip(self, text: str, at: int, end: int) -> None:
        """Take in the marks of a boundary that proved to be none."""
        for index in range(at, end):
            self._cost += phonemes(text[index])
            if text[index].isspace():
                self._end_word(text, index)
            elif self._word_at < 0:
                self._begin_word(text, index)

    def overlong(self, length: int) -> bool:
        """Whether a piece of `length` characters must be cut now."""
        return length >= MAX_PIECE_CHARS or self._cost >= MAX_PIECE_PHONEMES

    def forced_end(self, length: int) -> int:
        """The best place to cut a piece of `length` characters that grows too long."""
        places = self._places
        return places.inner_end or places.clause or places.space or places.any_space or length

    def open_ends(self) -> list[int]:
        """Sentence ends inside a quotation or bracket that was never closed, so that it was none."""
        return self._inner_ends if self._enclosures.depth else []

    def _boundary(self, text: str, at: int, closed: bool) -> Boundary | ClauseBoundary | None:
        char = text[at]
        if closed and self._solid in STOPS and self._inner is not None:
            quote = char not in ")]}）】〕］｝>"
            before = replace(
                self._inner,
                closes_quote=quote,
                closes_bracket=not quote,
                introduced=self._introduced,
                leads=self._leads,
            )
            return Boundary(self._rules, self._solid, at + 1, before)
        if char in STOPS:
            if not self._enclosures.depth:
                return Boundary(self._rules, char, at + 1, self._before(text, at))
            self._inner = self._before(text, at)
            if char in UNSPACED_STOPS:
                self._note_inner_end(at + 1)
        elif char in CLAUSE_MARKS and not self._enclosures.depth:
            return self._clause(text, at)
        return None

    def _before(self, text: str, at: int) -> Before:
        starts = not self._continues
        lower = starts and self._first_letter.islower()
        return Before(text[self._word_at : at], self._previous, starts and self._words == 0, self._words == 1, lower)

    def _clause(self, text: str, at: int) -> ClauseBoundary | None:
        if text[at] in UNSPACED_CLAUSE_MARKS and self._cost >= _MIN_FORCED_PHONEMES:
            self._places.clause = at + 1
        if not self._first_clause or len(text[: at + 1].lstrip()) < FIRST_CLAUSE_MIN_CHARS:
            return None
        word = text[self._word_at : at] or self._previous
        return ClauseBoundary(text[at], at + 1, word, self._words == 0)

    def _begin_word(self, text: str, at: int) -> None:
        self._word_at = at
        if at == 0 or self._enclosures.in_tag:
            return
        previous, char = self._previous, text[at]
        inside_number = previous[-1:].isdigit() and (char.isdigit() or char in "(-+")
        inside_name = previous[:1].isupper() and char.isupper()
        if not inside_number and not inside_name:
            self._places.space = at

    def _end_word(self, text: str, at: int) -> None:
        if self._word_at < 0:
            return
        word = text[self._word_at : at]
        self._places.any_space = at
        if word[-1] in CLAUSE_MARKS and self._cost >= _MIN_FORCED_PHONEMES and not self._enclosures.in_tag:
            self._places.clause = at
        if self._enclosures.depth and self._ends_inside(word):
            self._note_inner_end(at)
        self._words += any(char.isalnum() for char in word)
        self._previous = word
        self._word_at = -1

    def _ends_inside(self, word: str) -> bool:
        """Whether the word ends a sentence inside an enclosure, as far as the word alone can tell."""
        stops = word.rstrip("\"'”’»*_")[-1:] in STOPS
        return stops and self._inner is not None and expectation(self._rules, self._inner) is After.ANYTHING

    def _note_inner_end(self, at: int) -> None:
        self._inner_ends.append(at)
        if self._cost >= _MIN_FORCED_PHONEMES:
            self._places.inner_end = at
