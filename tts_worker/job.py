"""A request at the scheduler, and who waits for it."""

import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Protocol

from media.tts_wire import ErrorCode
from tts_worker.engine import Piece, PieceAudio
from tts_worker.request import SpeechRequest


class Listener(Protocol):
    """Who asked for a request; called on the event loop, in order, `done` or `failed` once at the end."""

    def piece(self, audio: PieceAudio) -> None: ...

    def done(self) -> None: ...

    def failed(self, code: ErrorCode, message: str) -> None: ...


class Busy(Exception):
    """The queue is full, or the engine is not there (yet); its text holds the remedy."""


class Job:
    """One accepted request. After `cancel` its listener hears nothing more.

    `opens_turn`: the session had nothing unfinished, so its caller hears silence until this one sounds.
    """

    __slots__ = ("_cancel", "asked_s", "listener", "live", "opens_turn", "request", "session", "sounds")

    def __init__(
        self,
        session: Hashable,
        request: SpeechRequest,
        listener: Listener,
        cancel: Callable[["Job"], None],
        *,
        opens_turn: bool = True,
    ) -> None:
        self._cancel = cancel
        self.session = session
        self.request = request
        self.listener = listener
        self.asked_s = time.monotonic()
        self.live = True
        self.sounds = False  # its first audio has been delivered
        self.opens_turn = opens_turn

    def cancel(self) -> None:
        """Forget the request: queued pieces are dropped; one in work is given up or thrown away. Idempotent."""
        self._cancel(self)


class Unanswered:
    """The jobs that were accepted and are not answered yet, in their order; one is live for as long as it is here."""

    def __init__(self) -> None:
        self._jobs: dict[Job, None] = {}
        self._of_session: Counter[Hashable] = Counter()

    def __len__(self) -> int:
        return len(self._jobs)

    def __iter__(self) -> Iterator[Job]:
        return iter(tuple(self._jobs))

    def has(self, session: Hashable) -> bool:
        """Whether the session is owed anything."""
        return session in self._of_session

    def add(self, job: Job) -> None:
        self._jobs[job] = None
        self._of_session[job.session] += 1

    def retire(self, job: Job) -> bool:
        """Take the job out; False when it already was."""
        if not job.live:
            return False
        job.live = False
        del self._jobs[job]
        self._of_session[job.session] -= 1
        if not self._of_session[job.session]:
            del self._of_session[job.session]
        return True


@dataclass(frozen=True, slots=True)
class Task:
    """A piece of a job, as it is queued for the engine."""

    job: Job
    piece: Piece
    is_last: bool
