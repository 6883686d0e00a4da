"""Whether the first clause of a reply may be spoken before its sentence is whole."""

from gateway.text.boundary import Verdict
from gateway.text.characters import LINE_ENDS, OPENERS, UNSPACED_CLAUSE_MARKS


class ClauseBoundary:
    """Takes in the characters after a clause mark; `end` is where the clause would end.

    `word` stands before the mark, `first` says that it is the first of the piece. A clause mark between two
    numbers or two capitalised words may stand inside a date, a list of digits or a name ("May 5, 2026",
    "Portland, Oregon"): no cut.
    """

    __slots__ = ("_first", "_mark", "_spaced", "_word", "end")

    def __init__(self, mark: str, end: int, word: str, first: bool) -> None:
        self._mark = mark
        self._word = word
        self._first = first
        self._spaced = mark in UNSPACED_CLAUSE_MARKS
        self.end = end

    def see(self, char: str, at: int) -> Verdict:
        """Take in the next character, which stands at `at`."""
        if char.isspace():
            self._spaced = True
            return Verdict.CUT if char in LINE_ENDS else Verdict.MORE
        if not self._spaced:
            return Verdict.GO_ON
        if char in OPENERS:
            return Verdict.MORE
        inside_number = self._word[-1:].isdigit() and char.isdigit()
        inside_name = self._word[:1].isupper() and not self._first and char.isupper()
        return Verdict.GO_ON if inside_number or inside_name else Verdict.CUT

    def settle(self, *, over: bool = False) -> Verdict:
        """The verdict when nothing more comes: for a while, or at all when the reply is `over`."""
        if over:
            return Verdict.GO_ON
        return Verdict.CUT if self._spaced and not self._word[-1:].isdigit() else Verdict.GO_ON
