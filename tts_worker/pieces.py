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
from tts_worker.languages import LINKING_WORDS
from tts_worker.symbols import CLAUSE_MARKS, CLOSING_MARKS, SENTENCE_MARKS

# About 1.5 s of speech: enough to cover the synthesis of the next piece on two CPU threads, and enough context to
# sound natural. Shorter texts tend to end in noise (F-100).
MIN_PIECE_PHONEMES = 25
# The first piece is not longer where a clause ends, a linking word begins, or, at worst, a word: four seconds of
# speech, a little over one second of synthesis on two CPU threads.
FIRST_PIECE_PHONEMES = 60
# A later piece is not cut before this, and not made longer than that, where the text has a place to cut.
GOOD_PIECE_PHONEMES = 100
LONG_PIECE_PHONEMES = 250
_NOWHERE, _WORD, _PHRASE, _CLAUSE, _SENTENCE = range(5)


@dataclass(frozen=True, slots=True)
class Unit:
    """Phonemes that stay together: a word, or punctuation. They speak text[start_char:end_char]."""

    phonemes: str = field(repr=False)
    start_char: int
    end_char: int
    is_word: bool
    space: bool  # a space follows


def cut(
    text: str, units: Sequence[Unit], voice: str, language: str, speed: float, *, early: bool = True
) -> list[Piece]:
    """Return the pieces that together speak every word of `units` with all its phonemes; [] when there is no word.

    With `early` the first piece is short.
    """
    pending = [part for unit in units for part in _halves(unit)]
    links = LINKING_WORDS.get(language.partition("-")[0], frozenset())
    pieces: list[Piece] = []
    while pending:
        places = _places(text, pending, links)
        count = _first_cut(places) if early and not pieces else _later_cut(places)
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


class _Place(NamedTuple):
    """A place to cut: how good it is, and the phonemes and units in front of it."""

    strength: int
    length: int
    units: int


class _Places(NamedTuple):
    """Where `total` phonemes may be cut, in order, without a part too short to be spoken well on its own."""

    cuts: list[_Place]
    # As many units as fit in one piece, and whether that is all there is.
    reach: int
    is_all: bool


def _places(text: str, units: Sequence[Unit], links: frozenset[str]) -> _Places:
    ends = list(accumulate(len(unit.phonemes) + unit.space for unit in units))
    reach = max(bisect_right(ends, LONG_PIECE_PHONEMES), 1)
    while reach < len(units) and not units[reach].is_word and not units[reach - 1].space:
        reach += 1  # a mark stays with its word; there is room for some beyond a long piece
    cuts = [
        _Place(_strength(text, units, count, links), ends[count - 1], count)
        for count in range(1, min(reach, len(units) - 1) + 1)
        if MIN_PIECE_PHONEMES <= ends[count - 1] <= ends[-1] - MIN_PIECE_PHONEMES
    ]
    return _Places([place for place in cuts if place.strength], reach, reach == len(units))


def _first_cut(places: _Places) -> int:
    """Return how many units the first piece takes: it ends early, at the best place there is."""
    early = [place for place in places.cuts if place.length <= FIRST_PIECE_PHONEMES]
    clauses = [place for place in early if place.strength >= _CLAUSE]
    if clauses:
        return clauses[0].units
    if places.is_all and not any(place.length > FIRST_PIECE_PHONEMES for place in places.cuts):
        return places.reach
    if early:
        return max(early, key=lambda place: (min(place.strength, _PHRASE), place.length)).units
    return _later_cut(places)


def _later_cut(places: _Places) -> int:
    """Return how many units a later piece takes: a sentence or more, so that its melody is whole."""
    if places.is_all:
        return places.reach
    clauses = [place for place in places.cuts if place.strength >= _CLAUSE]
    full = [place for place in clauses if place.length >= GOOD_PIECE_PHONEMES]
    if full:
        return max(full).units
    others = clauses or [place for place in places.cuts if place.strength == _PHRASE] or places.cuts
    return others[-1].units if others else places.reach


def _strength(text: str, units: Sequence[Unit], count: int, links: frozenset[str]) -> int:
    """Return how good it is to cut after `count` units."""
    if not units[count - 1].space:
        return _NOWHERE
    for unit in reversed(units[:count]):
        mark = unit.phonemes.rstrip(CLOSING_MARKS)[-1:]
        if mark in SENTENCE_MARKS and mark:
            return _SENTENCE
        if mark in CLAUSE_MARKS and mark:
            return _CLAUSE
        if mark:
            break
    before, after = (text[unit.start_char : unit.end_char].lower() for unit in units[count - 1 : count + 1])
    return _PHRASE if after in links and before not in links else _WORD


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
