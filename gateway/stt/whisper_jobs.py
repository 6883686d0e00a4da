"""Which piece of audio the one Whisper engine takes up next, among all calls."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum

from gateway.errors import SttError
from gateway.stt.whisper_wire import Transcript

# Each holds up to 24 s of audio (0.8 MB). A call that waits for more is not being served any longer.
MAX_FINALS_PER_CALL = 4


class Purpose(IntEnum):
    """Why a job is wanted; a lower one goes first."""

    FINAL = 0  # someone waits for it
    PAUSE = 1  # someone will wait for it, if the caller says no more
    FADING = 2  # someone may wait for it soon: speech has become quiet
    PARTIAL = 3  # words for show


@dataclass(slots=True, eq=False)
class Job:
    """Audio of call `owner` to transcribe. `audio` is asked when the job is taken up, so that it is the newest.

    `done` is called once, in the loop's thread, with the transcript or the reason there is none; not at all when
    the job was dropped or replaced.
    """

    owner: object = field(repr=False)
    purpose: Purpose
    language: str
    audio: Callable[[], bytes] = field(repr=False)
    done: Callable[[Transcript | SttError], None] = field(repr=False)
    attempts: int = 0


class JobQueue:
    """Jobs by purpose, then in order of arrival. Of a call's partials and pauses only the newest is kept, in the
    place of the one it replaces, so that a talkative call cannot overtake the others."""

    def __init__(self) -> None:
        self._jobs: list[Job] = []

    def __len__(self) -> int:
        return len(self._jobs)

    def put(self, job: Job) -> None:
        """Queue a job. A call's oldest final beyond the bound fails with `stt_overloaded`."""
        if job.purpose is Purpose.FINAL:
            self._append_final(job)
            return
        for place, other in enumerate(self._jobs):
            if other.owner is job.owner and other.purpose is job.purpose:
                self._jobs[place] = job
                return
        self._jobs.append(job)

    def put_back(self, job: Job) -> None:
        """Return a job that was taken but not answered; it goes before all others of its purpose."""
        self._jobs.insert(0, job)

    def take(self, *, partials: bool) -> Job | None:
        """Remove and return the next job; None when there is none, or only partials and they are not wanted now."""
        best = min(self._jobs, key=lambda job: job.purpose, default=None)
        if best is None or (best.purpose is Purpose.PARTIAL and not partials):
            return None
        self._jobs.remove(best)
        return best

    def drop(self, owner: object, *, finals: bool) -> None:
        """Forget a call's jobs, its finals only when said so."""
        self._jobs = [
            job for job in self._jobs if job.owner is not owner or (job.purpose is Purpose.FINAL and not finals)
        ]

    def drain(self) -> list[Job]:
        """Remove and return everything."""
        jobs, self._jobs = self._jobs, []
        return jobs

    def _append_final(self, job: Job) -> None:
        finals = [other for other in self._jobs if other.owner is job.owner and other.purpose is Purpose.FINAL]
        self._jobs.append(job)
        if len(finals) >= MAX_FINALS_PER_CALL:
            self._jobs.remove(finals[0])
            finals[0].done(SttError("stt_overloaded", f"{len(finals)} recognitions of one call wait", retryable=True))
