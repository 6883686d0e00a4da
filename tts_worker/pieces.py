"""Cutting phonemised text into the pieces that are synthesised one at a time.

The first piece is short, so that its audio starts early. Later ones are long enough to keep the melody of a
sentence, and short enough that Kokoro's volume does not fade towards their end (F-101).
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import NamedTuple

from tts_worker.engine import MAX_PIECE_PHONEMES, Piece, PlannedWord
from tts_worker.symbols import CLAUSE_MARKS, CLOSING_MARKS, SENTENCE_MARKS

# About 1.5 s of speech: enough to cover the synthesis of the next piece on two CPU threads, and enough context to
# sound natural. Shorter texts tend to end in noise (F-100).
MIN_PIECE_PHONEMES = 25
# A later piece is not cut before this, and not made longer than that, where the text has a place to cut.
GOOD_PIECE_PHONEMES = 100
LONG_PIECE_PHONEMES = 250
_NOWHERE, _WORD, _CLAUSE, _SENTENCE = range(4)


@dataclass(frozen=True, slots=True)
class Unit:
    """Phonemes that stay together: a word, or punctuation. They speak text[start_char:end_char]."""

    phonemes: str = field(repr=False)
    start_char: int
    end_char: int
    is_word: bool
    space: bool  # a space follows


def cut(text: str, units: Sequence[Unit], voice: str, language: str, speed: float) -> list[Piece]:
    """Return the pieces that together speak every word of `units` with all its phonemes; [] when there is no word."""
    pending = [part for unit in units for part in _halves(unit)]
    pieces: list[Piece] = []
    while pending:
        count = _next_cut(pending, first=not pieces)
        taken, pending = pending[:count], pending[count:]
        if any(unit.is_word for unit in taken):
            pieces.append(_piece(text, taken, voice, language, speed))
    return pieces


def _halves(unit: Unit) -> Iterator[Unit]:
    """Halve a unit that is too long for a piece, until it is not; its characters are shared out evenly."""
    if len(unit.phonemes) <= LONG_PIECE_PHONEMES:
        yield unit
        return
    middle = len(unit.phonemes) // 2
    middle_char = (unit.start_char + unit.end_char) // 2
    yield from _halves(replace(unit, phonemes=unit.phonemes[:middle], end_char=middle_char, space=False))
    yield from _halves(replace(unit, phonemes=unit.phonemes[middle:], start_char=middle_char))


def _next_cut(units: Sequence[Unit], first: bool) -> int:
    """Return how many units the next piece takes. No cut leaves a rest too short to be spoken well on its own."""
    ends = list(accumulate(len(unit.phonemes) + unit.space for unit in units))
    total = ends[-1]
    reach = bisect_right(ends, LONG_PIECE_PHONEMES)
    cuts = [
        _Cut(_strength(units, count), ends[count - 1], count)
        for count in range(1, reach + 1)
        if MIN_PIECE_PHONEMES <= ends[count - 1] <= total - MIN_PIECE_PHONEMES
    ]
    clauses = [place for place in cuts if place.strength >= _CLAUSE]
    if first and clauses:
        return clauses[0].units
    if reach == len(units):
        return reach
    full = [place for place in clauses if place.length >= GOOD_PIECE_PHONEMES]
    words = [place for place in cuts if place.strength == _WORD]
    if full:
        return max(full).units
    return (clauses or words)[-1].units if clauses or words else max(reach, 1)


class _Cut(NamedTuple):
    strength: int
    length: int
    units: int


def _strength(units: Sequence[Unit], count: int) -> int:
    """Return how good it is to cut after `count` units."""
    if not units[count - 1].space:
        return _NOWHERE
    for unit in reversed(units[:count]):
        mark = unit.phonemes.rstrip(CLOSING_MARKS)[-1:]
        if mark:
            return _SENTENCE if mark in SENTENCE_MARKS else _CLAUSE if mark in CLAUSE_MARKS else _WORD
    return _WORD


def _piece(text: str, units: Sequence[Unit], voice: str, language: str, speed: float) -> Piece:
    phonemes, words = "", []
    for unit in units:
        start = len(phonemes)
        phonemes += unit.phonemes
        if unit.is_word:
            span = text[unit.start_char : unit.end_char]
            words.append(PlannedWord(span, unit.start_char, unit.end_char, start, len(phonemes)))
        phonemes += " " if unit.space else ""
    phonemes = phonemes.rstrip(" ")
    assert len(phonemes) <= MAX_PIECE_PHONEMES
    return Piece(phonemes, voice, language, speed, tuple(words))
