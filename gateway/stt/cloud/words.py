"""What a service has understood so far, on the clock of the call: results replace each other, commits cut them.

A commit may fall inside a result, and a lost stream is begun again in the middle; so words are kept with their times,
and belong to the utterance in which they begin.
"""

from collections.abc import Iterable
from dataclasses import replace

from gateway.stt.cloud.base import Item, Result

# A quarter of an hour of speech; beyond it the earliest words are forgotten, which have long been answered for.
MAX_RESULTS = 256
# Written without spaces between words.
_UNSPACED = frozenset({"zh", "ja"})


class Words:
    """Results of one call. Times are seconds of caller audio since the first byte fed."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._stream = 0  # ids are a stream's own
        self._results: dict[tuple[int, str], Result] = {}
        self._wordless_upto_s = 0.0

    def take(self, results: Iterable[Result]) -> None:
        """Take results in the order of their coming."""
        for result in results:
            key = (self._stream, result.result_id)
            if result.items or not result.final:
                self._results[key] = result
            else:
                self._results.pop(key, None)
                self._wordless_upto_s = max(self._wordless_upto_s, result.end_s)
            if len(self._results) > MAX_RESULTS:
                del self._results[next(iter(self._results))]

    def restart(self, at_s: float) -> None:
        """A new stream begins with the audio at `at_s`: it will tell again what began there or later."""
        self._stream += 1
        self._wordless_upto_s = min(self._wordless_upto_s, at_s)
        for key, result in list(self._results.items()):
            kept = tuple(item for item in result.items if item.start_s < at_s)
            if kept:  # nothing of the old stream is replaced any more
                self._results[key] = replace(result, items=kept, end_s=min(result.end_s, at_s), final=True)
            else:
                del self._results[key]

    def text(self, from_s: float, to_s: float = float("inf")) -> str:
        """What was said by words that begin in this stretch."""
        items = [item for result in self._results.values() for item in result.items if from_s <= item.start_s < to_s]
        items.sort(key=lambda item: item.start_s)
        return _joined(items, "" if self._language in _UNSPACED else " ")

    @property
    def upto_s(self) -> float:
        """Up to where something has been understood; 0.0 without a result."""
        return max(self._wordless_upto_s, *(result.end_s for result in self._results.values()), 0.0)

    @property
    def final_upto_s(self) -> float:
        """Up to where nothing will change any more; 0.0 without a final result."""
        return max(self._wordless_upto_s, *(result.end_s for result in self._results.values() if result.final), 0.0)

    @property
    def spoken(self) -> str:
        """The language the newest result was understood in."""
        return next((r.language for r in reversed(self._results.values()) if r.language), self._language)


def _joined(items: list[Item], space: str) -> str:
    text = ""
    for item in items:
        text += item.text if item.is_mark or not text else space + item.text
    return text
