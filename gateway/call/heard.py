"""Which words of a reply the caller has heard.

Three facts meet here: how much audio of each sentence has surely been played (playout clock and marks), when each
spoken word sounds in that audio (the engine), and where the spoken word stands in what the model wrote (speakable's
spans). The cut falls after the last word whose middle has been played, so a word counts when most of it was heard.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from gateway.text.spans import Spoken
from media.tts_wire import Word


@dataclass(slots=True)
class _Sentence:
    written: str
    spoken: Spoken
    words: Sequence[Word] = field(default_factory=tuple)
    total_s: float = 0.0
    whole: bool = False  # total_s is final, and all of the text is in it
    played_s: float = 0.0
    reached: bool = False  # the platform confirmed its mark before any clear

    def heard(self) -> str:
        if self.whole and (self.reached or self.played_s >= self.total_s):
            return self.written
        if self.played_s <= 0.0:
            return ""
        return self.written[: self._cut()].rstrip()

    def _cut(self) -> int:
        """Place in `written` after the last word heard."""
        if self.words:
            ends = [w.end_char for w in self.words if (w.start_s + w.end_s) / 2 <= self.played_s]
            return self.spoken.origin_end(ends[-1]) if ends else 0
        # No word times (the engine gives none, or they are still on the way): share the time out by characters, and
        # give up the word in which the cut would fall. The total is only known so far, which errs towards too much.
        share = min(1.0, self.played_s / self.total_s) if self.total_s else 0.0
        upto = self.spoken.text[: int(len(self.spoken.text) * share)]
        return self.spoken.origin_end(upto.rfind(" ")) if " " in upto else 0


class Heard:
    """The sentences of one reply, by utterance number, in order."""

    def __init__(self) -> None:
        self._sentences: dict[int, _Sentence] = {}

    def begin(self, utterance: int, written: str, spoken: Spoken) -> None:
        """A sentence was handed to the voice."""
        self._sentences[utterance] = _Sentence(written, spoken)

    def timed(self, utterance: int, words: Sequence[Word]) -> None:
        """The engine told when each word sounds."""
        if sentence := self._sentences.get(utterance):
            sentence.words = words

    def queued(self, utterance: int, total_s: float, whole: bool) -> None:
        """So much audio of the sentence exists; `whole` when that is all of its text."""
        if sentence := self._sentences.get(utterance):
            sentence.total_s, sentence.whole = total_s, whole

    def played(self, utterance: int, seconds: float) -> None:
        """By the playout clock so much of it has sounded."""
        if sentence := self._sentences.get(utterance):
            sentence.played_s = seconds

    def reached(self, utterance: int) -> None:
        """The platform says it was played to its end; only call this for marks that no clear has touched."""
        if sentence := self._sentences.get(utterance):
            sentence.reached = True

    def text(self) -> str:
        """What was heard, in the words the model wrote; blank when nothing was."""
        return " ".join(part for s in self._sentences.values() if (part := s.heard()))

    def written(self) -> str:
        """Everything that was to be said."""
        return " ".join(s.written for s in self._sentences.values())
