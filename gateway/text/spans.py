"""What the voice says, and where each of its words stands in the text it came from."""

from dataclasses import dataclass, field

from media.pronunciation import Pronunciation


@dataclass(frozen=True, slots=True)
class Span:
    """Characters [start, end) of the spoken text come from [origin_start, origin_end) of the original text."""

    start: int
    end: int
    origin_start: int
    origin_end: int


@dataclass(frozen=True, slots=True)
class Spoken:
    """`text` is what the voice says ("" when nothing is left to say); `spans` hold one entry a spoken word, in order.

    All words of an expanded number share the number's place. Callers' and bots' words stay out of the repr.
    """

    text: str = field(repr=False)
    spans: tuple[Span, ...] = field(repr=False)
    # Where the lexicon tells the sounds of a word instead of another spelling; in the spoken text, in order.
    pronunciations: tuple[Pronunciation, ...] = field(default=(), repr=False)

    def origin_end(self, spoken_chars: int) -> int:
        """How much of the original text the first `spoken_chars` characters of the spoken text cover.

        A word counts once it has been begun: the caller has heard some of it.
        """
        ends = [span.origin_end for span in self.spans if span.start < spoken_chars]
        return ends[-1] if ends else 0
