"""A tone engine that speaks only when the test lets it."""

import asyncio
import threading
from collections.abc import Callable, Sequence

from media.pronunciation import Pronunciation
from media.tts_wire import ErrorCode
from tts_worker.engine import BatchLimit, EngineError, Interrupted, Piece, PieceAudio
from tts_worker.tone import ToneEngine

WAIT_S = 5.0


class GatedEngine(ToneEngine):
    """Each piece waits for the gate. Remembers what was spoken and on which thread it was asked what.

    The text "refuse" is refused, "crash" crashes the planning, and a piece with "broken" crashes the synthesis.
    """

    def __init__(self, *, is_slow_to_warm: bool = False, batch_limit: BatchLimit | None = None) -> None:
        super().__init__()
        self.batches: list[list[str]] = []
        self.interrupted = 0
        self.early: list[bool] = []
        self._batch_limit = batch_limit or BatchLimit()
        self.gate = threading.Semaphore(0)
        self.spoken: list[str] = []
        self.threads: dict[str, set[str]] = {"plan": set(), "synthesize": set(), "warm_up": set(), "close": set()}
        self._is_open = False
        self._is_slow_to_warm = is_slow_to_warm
        self._begun = threading.Semaphore(0)
        self._done = threading.Semaphore(0)

    def open(self) -> None:
        """Let everything through from now on."""
        self._is_open = True
        self.gate.release(1000)

    async def begins(self) -> None:
        """Wait until a piece is in work."""
        assert await asyncio.to_thread(self._begun.acquire, True, WAIT_S)

    async def speaks(self, pieces: int) -> None:
        """Wait until so many more pieces are spoken."""
        for _ in range(pieces):
            assert await asyncio.to_thread(self._done.acquire, True, WAIT_S)

    def warm_up(self) -> None:
        self.threads["warm_up"].add(threading.current_thread().name)
        if self._is_slow_to_warm:
            self.gate.acquire()

    def plan(
        self,
        text: str,
        voice: str,
        language: str,
        speed: float,
        *,
        early: bool = True,
        pronunciations: Sequence[Pronunciation] = (),
    ) -> list[Piece]:
        self.early.append(early)
        self.threads["plan"].add(threading.current_thread().name)
        if text == "refuse":
            raise EngineError(ErrorCode.TEXT_TOO_LONG, "split it")
        if text == "crash":
            raise ZeroDivisionError(text)
        return super().plan(text, voice, language, speed, early=early, pronunciations=pronunciations)

    @property
    def batch_limit(self) -> BatchLimit:
        return self._batch_limit

    def synthesize_batch(self, pieces: Sequence[Piece], wanted: Callable[[int], bool]) -> Sequence[PieceAudio | None]:
        self.batches.append([piece.phonemes for piece in pieces])
        before = self.interrupted
        spoken = super().synthesize_batch(pieces, wanted)
        if self.interrupted > before:
            raise Interrupted
        return spoken

    def interrupt(self) -> None:
        self.interrupted += 1

    def synthesize(self, piece: Piece) -> PieceAudio:
        self.threads["synthesize"].add(threading.current_thread().name)
        self._begun.release()
        if not self._is_open:
            self.gate.acquire()
        self.spoken.append(piece.phonemes)
        self._done.release()
        if "broken" in piece.phonemes:
            raise ZeroDivisionError("broken secret")
        return super().synthesize(piece)

    def close(self) -> None:
        self.threads["close"].add(threading.current_thread().name)
