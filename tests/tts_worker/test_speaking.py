"""A batch, and what becomes of its pieces when it fails."""

from collections.abc import Callable, Sequence

import pytest

from tts_worker.engine import Engine, Interrupted, Piece, PieceAudio
from tts_worker.speaking import speak
from tts_worker.tone import ToneEngine
from tts_worker.watchdog import LOOKS, Watchdog


class Faulty(ToneEngine):
    """Raises for a piece that holds `fault`, and for the whole batch it is in."""

    def __init__(self, fault: type[BaseException]) -> None:
        super().__init__()
        self._fault = fault

    def synthesize(self, piece: Piece) -> PieceAudio:
        if "fault" in piece.phonemes:
            raise self._fault
        return super().synthesize(piece)


class Forgetful(ToneEngine):
    """Loses the first piece of every batch."""

    def synthesize_batch(self, pieces: Sequence[Piece], wanted: Callable[[int], bool]) -> Sequence[PieceAudio | None]:
        return super().synthesize_batch(pieces[1:], wanted)


def kinds(engine: Engine, *texts: str, unwanted: Sequence[int] = ()) -> list[str]:
    pieces = [Piece(text, "af_heart", "en", 1.0) for text in texts]
    return [type(outcome).__name__ for outcome in speak(engine, pieces, lambda item: item not in unwanted, Watchdog())]


@pytest.mark.parametrize("fault", [MemoryError, RuntimeError])
def test_a_fault_is_that_of_its_piece_alone(fault: type[Exception]) -> None:
    engine = Faulty(fault)
    assert kinds(engine, "fault") == [fault.__name__]
    assert kinds(engine, "good", "fault", "good") == ["PieceAudio", fault.__name__, "PieceAudio"]


def test_who_left_meanwhile_is_not_tried_alone() -> None:
    assert kinds(Faulty(RuntimeError), "good", "fault", "left", unwanted=[2]) == [
        "PieceAudio",
        "RuntimeError",
        "NoneType",
    ]


def test_what_was_interrupted_has_no_outcome() -> None:
    assert kinds(Faulty(Interrupted), "good", "fault") == ["NoneType", "NoneType"]


def test_an_engine_that_answers_for_fewer_pieces_fails_them() -> None:
    assert kinds(Forgetful(), "one") == ["ValueError"]
    assert kinds(Forgetful(), "one", "two") == ["ValueError", "ValueError"]


def test_a_batch_is_a_call_and_each_piece_tried_alone_another() -> None:
    watchdog = Watchdog()
    seen: list[str] = []

    class Slow(ToneEngine):
        def synthesize_batch(
            self, pieces: Sequence[Piece], wanted: Callable[[int], bool]
        ) -> Sequence[PieceAudio | None]:
            seen.extend(watchdog.look() for _ in range(LOOKS))
            raise RuntimeError

    speak(Slow(), [Piece("x", "af_heart", "en", 1.0)] * 3, lambda _: True, watchdog)
    assert seen == [""] * (4 * LOOKS)
