"""What Transcribe has understood so far, on the clock of the call: results replace each other, commits cut them.

A commit may fall inside a result, and a lost stream is begun again in the middle; so words are kept with their times,
and belong to the utterance in which they begin.
"""

from collections.abc import Iterable
from dataclasses import replace

from gateway.stt.transcribe_wire import Item, Result

# Written without spaces between words.
_UNSPACED = frozenset({"zh", "ja"})


class Words:
    """Results of one call. Times are seconds of caller audio since the first byte fed."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._results: dict[str, Result] = {}

    def take(self, results: Iterable[Result]) -> None:
        """Take results in the order of their coming."""
        for result in results:
            self._results[result.result_id] = result

    def restart(self, at_s: float) -> None:
        """A new stream begins with the audio at `at_s`: it will tell again what began there or later."""
        for result_id, result in list(self._results.items()):
            kept = tuple(item for item in result.items if item.start_s < at_s)
            if kept:
                # Nothing of the old stream is replaced any more, and the new one's ids are its own.
                self._results[result_id] = replace(result, items=kept, end_s=min(result.end_s, at_s), final=True)
            else:
                del self._results[result_id]

    def forget(self, before_s: float) -> None:
        """Drop the results that ended before this."""
        for result_id, result in list(self._results.items()):
            if result.end_s < before_s:
                del self._results[result_id]

    def text(self, from_s: float, to_s: float = float("inf")) -> str:
        """What was said by words that begin in this stretch."""
        items = [item for result in self._results.values() for item in result.items if from_s <= item.start_s < to_s]
        items.sort(key=lambda item: item.start_s)
        return _joined(items, "" if self._language in _UNSPACED else " ")

    @property
    def upto_s(self) -> float:
        """Up to where something has been understood; 0.0 without a result."""
        return max((result.end_s for result in self._results.values()), default=0.0)

    @property
    def final_upto_s(self) -> float:
        """Up to where nothing will change any more; 0.0 without a final result."""
        return max((result.end_s for result in self._results.values() if result.final), default=0.0)

    @property
    def spoken(self) -> str:
        """The language the newest result was understood in."""
        return next((r.language for r in reversed(self._results.values()) if r.language), self._language)


def _joined(items: list[Item], space: str) -> str:
    text = ""
    for item in items:
        text += item.text if item.is_mark or not text else space + item.text
    return text
