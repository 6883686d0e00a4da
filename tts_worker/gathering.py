"""Which pieces are spoken together: what is ready when the engine is free, in fair order, of similar length."""

from collections.abc import Callable
from typing import TypeVar

from tts_worker.engine import BatchLimit
from tts_worker.fair_queue import FairQueue

T = TypeVar("T")

# The longest of a batch is at most this many times its shortest: all of a batch wait for its longest, and a short
# first piece is somebody's silence.
_MAX_SPREAD = 2.0
# Pieces up to here cost about the same on a GPU; the spread counts from here.
_SHORT_PHONEMES = 40


def gather(queue: FairQueue[T], limit: BatchLimit, phonemes: Callable[[T], int]) -> list[T]:
    """Take the next batch off `queue`: the next item whatever its length, and those that fit with it; [] when none."""
    batch: list[T] = []
    shortest = longest = 0

    def fits(item: T) -> bool:
        if not batch:
            return True
        low, high = min(shortest, phonemes(item)), max(longest, phonemes(item))
        similar = high <= _MAX_SPREAD * max(low, _SHORT_PHONEMES)
        return similar and high * (len(batch) + 1) <= limit.phonemes

    while len(batch) < limit.pieces and (item := queue.pop(fits)) is not None:
        size = phonemes(item)
        shortest, longest = min(shortest, size) if batch else size, max(longest, size)
        batch.append(item)
    return batch
