"""What the caller hears while the model is slow: a filler, or the words there are, cut loose from their sentence."""

import random
import re
from collections.abc import Sequence
from enum import Enum, auto

from gateway.text.chunker import SentenceChunker

# A filler is repeated no sooner than this: a model that takes longer is given up by its own deadlines.
FILL_AGAIN_S = 5.0
# A clause shorter than this at the front is not worth a cut of its own.
_CLAUSE_CHARS = 12
_CLAUSE_END = re.compile(r"[,;:–—、，](?=\s)")


class Due(Enum):
    NOTHING = auto()
    FILLER = auto()
    WORDS = auto()


class Pace:
    """The waiting of one reply. Times are seconds of one clock; 0 for `filler_s` means no fillers."""

    def __init__(self, filler_s: float, dribble_s: float, now_s: float) -> None:
        self._filler_s = filler_s
        self._dribble_s = dribble_s
        self._quiet_since_s = now_s  # since when the caller hears nothing, and nothing is on its way
        self._filled_s = -FILL_AGAIN_S + now_s
        self._begun_s: float | None = None  # since when there are words that no sentence has taken

    def wrote(self, now_s: float) -> None:
        """The model gave words."""
        if self._begun_s is None:
            self._begun_s = now_s

    def put_off(self, now_s: float) -> None:
        """There was nothing that could be said yet."""
        self._begun_s = now_s

    def spoke(self, now_s: float) -> None:
        """Words were handed to the voice."""
        self._begun_s = None
        self._quiet_since_s = now_s

    def said_all(self) -> None:
        """No words are left over."""
        self._begun_s = None

    def due(self, now_s: float, busy: bool) -> Due:
        """What to do now; `busy` while something sounds or is on its way."""
        if busy:
            self._quiet_since_s = now_s
            return Due.NOTHING
        quiet_s = now_s - self._quiet_since_s
        if self._begun_s is not None and now_s - self._begun_s >= self._dribble_s:
            return Due.WORDS
        may_fill = self._filler_s > 0 and now_s - self._filled_s >= FILL_AGAIN_S
        if may_fill and quiet_s >= self._filler_s:
            self._filled_s = now_s
            return Due.FILLER
        return Due.NOTHING


class Fillers:
    """One call's fillers, never the same twice in a row."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = tuple(dict.fromkeys(text for text in texts if text.strip()))
        self._next = random.randrange(len(self._texts)) if self._texts else 0  # variety, no secret
        self._last = ""

    def next(self) -> str:
        """The next one; blank when there is none, or only the one that was said last."""
        text = self._texts[self._next % len(self._texts)] if self._texts else ""
        self._next += 1
        self._last = "" if text == self._last else text
        return self._last


def cut_loose(chunker: SentenceChunker, *, spaced: bool) -> list[str]:
    """Take what may be said of an unfinished sentence, up to its last clause or word; the rest stays.

    `spaced` says that the model's text ended in a space, so that its last word is whole.
    """
    pieces = chunker.flush()
    if not pieces:
        return []
    last = pieces.pop()
    clauses = [match.end() for match in _CLAUSE_END.finditer(last) if match.end() >= _CLAUSE_CHARS]
    at = clauses[-1] if clauses else len(last) if spaced else last.rfind(" ")
    head, rest = (last[:at], last[at:].lstrip()) if at > 0 else ("", last)
    rest += " " if rest and spaced else ""
    # Half a word, or a mark that may stand inside a number, waits for what follows.
    return [*pieces, *([head] if head else []), *chunker.feed(rest)]
