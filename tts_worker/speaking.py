"""One turn of the inference thread: a batch spoken together or, where that fails, piece by piece."""

from collections.abc import Callable, Sequence
from functools import partial

import structlog

from tts_worker.engine import Engine, Interrupted, Piece, PieceAudio
from tts_worker.watchdog import Watchdog

log = structlog.get_logger(__name__)

# What became of a piece: its audio, the engine's fault, or None when nobody wanted it any more.
Outcome = PieceAudio | Exception | None


def speak(
    engine: Engine, pieces: Sequence[Piece], wanted: Callable[[int], bool], watchdog: Watchdog
) -> Sequence[Outcome]:
    """Return what became of each piece.

    Pieces that fail together are tried one by one, so that one request's fault stays its own.
    """
    try:
        with watchdog.call("synthesize"):
            spoken = engine.synthesize_batch(pieces, wanted)
        if len(spoken) != len(pieces):
            raise ValueError(f"{len(spoken)} results for {len(pieces)} pieces")
        watchdog.went(well=True)
        return spoken
    except Interrupted:
        return [None] * len(pieces)
    except Exception as error:  # each engine's libraries raise their own kinds, out of memory among them
        if len(pieces) == 1:
            watchdog.went(well=False)
            return [error]
        log.warning("batch_failed", engine=engine.name, pieces=len(pieces), error=type(error).__name__)
    alone = [speak(engine, [piece], partial(_still, wanted, item), watchdog) for item, piece in enumerate(pieces)]
    return [outcome for (outcome,) in alone]


def _still(wanted: Callable[[int], bool], item: int, _: int) -> bool:
    return wanted(item)
