"""Cuts a streamed reply into sentences, as early as each is known to be whole."""

from gateway.text.boundary import Boundary, Verdict
from gateway.text.characters import LINE_ENDS
from gateway.text.clause import ClauseBoundary
from gateway.text.languages import sentence_rules
from gateway.text.piece import MAX_PIECE_CHARS, Piece

# How long the owner waits for the next delta before it calls release(): shorter cuts "$3." from "50",
# longer is heard as a pause.
RELEASE_AFTER_MS = 200
# A boundary that has not been decided after so many characters is one; a title's name is never that far away.
_MAX_LOOKAHEAD_CHARS = 100
# Long deltas are taken in slices, so that what is kept, and copied at a cut, stays small.
_SLICE_CHARS = 512


class SentenceChunker:
    """feed() deltas as they come, flush() at the end of the reply; sentences come out stripped and in order.

    How the reply is split into deltas makes no difference to the sentences. No text is lost, and no piece is
    longer than MAX_PIECE_CHARS. With `first_clause` the first piece of a reply may be a clause of at least
    FIRST_CLAUSE_MIN_CHARS.

    A sentence whose mark may belong to a number or an abbreviation waits for what follows. While `undecided`
    is true, the owner runs a timer of RELEASE_AFTER_MS from the last delta and calls release() when it ends.
    """

    def __init__(self, language: str = "en", *, first_clause: bool = False) -> None:
        self._rules = sentence_rules(language)
        self._first_clause = first_clause
        self.examined_chars = 0  # how often a character was looked at: the proof that feeding is linear
        self.reset()

    @property
    def undecided(self) -> bool:
        """Whether a whole sentence may be waiting for its next token."""
        return self._boundary is not None

    def reset(self) -> None:
        """Forget everything fed so far; the next delta begins a new reply."""
        self._text = ""  # from the last cut on
        self._done: list[str] = []
        self._early = self._first_clause  # until the reply's first piece is out
        self._begin(Piece(self._rules, first_clause=self._early))

    def feed(self, delta: str) -> list[str]:
        """Take in the next characters of the reply; returns the sentences that are now whole."""
        for at in range(0, len(delta), _SLICE_CHARS):
            self._text += delta[at : at + _SLICE_CHARS]
            self._advance()
        return self._take_done()

    def release(self) -> list[str]:
        """Nothing came for RELEASE_AFTER_MS: returns the waiting sentence if it is probably whole."""
        if self._boundary is not None and self._boundary.settle() is Verdict.CUT:
            self._conclude(self._boundary, Verdict.CUT)
            self._advance()
        return self._take_done()

    def flush(self) -> list[str]:
        """The reply is over: returns what is left, and is ready for the next reply."""
        while self._boundary is not None:
            self._conclude(self._boundary, self._boundary.settle(over=True))
            self._advance()
        self._cut_open_ends(len(self._text))
        done = self._take_done()
        self.reset()
        return done

    def _take_done(self) -> list[str]:
        done, self._done = self._done, []
        return done

    def _begin(self, piece: Piece) -> None:
        self._piece = piece
        self._at = 0  # the next character of the piece to take in
        self._boundary: Boundary | ClauseBoundary | None = None
        self._look = 0  # the next character to show to the boundary

    def _advance(self) -> None:
        while True:
            boundary = self._boundary
            if boundary is None:
                if self._at >= len(self._text):
                    return
                self._take_next()
            else:
                if self._look >= len(self._text):
                    return
                self._show_next(boundary)

    def _take_next(self) -> None:
        at = self._at
        self.examined_chars += 1
        if self._text[at] in LINE_ENDS:
            self._cut_open_ends(at)
            self._text = self._text[1:]
            return
        self._boundary = self._piece.take(self._text, at)
        self._at = self._look = at + 1
        if self._boundary is None and self._piece.overlong(at + 1):
            self._cut(self._piece.forced_end(at + 1), continues=True)

    def _show_next(self, boundary: Boundary | ClauseBoundary) -> None:
        self.examined_chars += 1
        verdict = boundary.see(self._text[self._look], self._look)
        self._look += 1
        if boundary.end >= MAX_PIECE_CHARS or self._look - boundary.end > _MAX_LOOKAHEAD_CHARS:
            verdict = Verdict.CUT
        if verdict is not Verdict.MORE:
            self._conclude(boundary, verdict)

    def _conclude(self, boundary: Boundary | ClauseBoundary, verdict: Verdict) -> None:
        if verdict is Verdict.CUT:
            self._cut(boundary.end, continues=isinstance(boundary, ClauseBoundary))
            return
        self._boundary = None
        self._piece.skip(self._text, self._at, boundary.end)
        self._at = boundary.end
        if self._piece.overlong(self._at):
            self._cut(self._piece.forced_end(self._at), continues=True)

    def _cut(self, end: int, *, continues: bool = False) -> None:
        """End the piece at `end`; what was looked at behind it is taken in anew, as the next piece."""
        piece = self._text[:end].strip()
        if piece:
            self._done.append(piece)
            self._early = False
        self._text = self._text[end:]
        self._begin(Piece(self._rules, continues=continues, first_clause=self._early))

    def _cut_open_ends(self, end: int) -> None:
        """A line or the reply ends at `end`: cut there, and at the sentence ends an unclosed quotation hid."""
        cut_to = 0
        for inner in [*self._piece.open_ends(), end]:
            if inner <= end:
                self._cut(inner - cut_to)
                cut_to = inner
