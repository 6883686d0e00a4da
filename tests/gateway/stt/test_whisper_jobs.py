import pytest

from gateway.errors import SttError
from gateway.stt.whisper_jobs import MAX_FINALS_PER_CALL, Job, JobQueue, Purpose
from gateway.stt.whisper_wire import Transcript


def job(owner: object, purpose: Purpose, outcomes: list[Transcript | SttError] | None = None) -> Job:
    return Job(owner, purpose, "en", lambda: b"", (outcomes if outcomes is not None else []).append)


def taken(queue: JobQueue, *, partials: bool = True) -> list[Job]:
    found = []
    while (next_job := queue.take(partials=partials)) is not None:
        found.append(next_job)
    return found


def test_finals_go_before_pauses_and_pauses_before_partials() -> None:
    queue = JobQueue()
    partial, pause, final = (job("a", purpose) for purpose in (Purpose.PARTIAL, Purpose.PAUSE, Purpose.FINAL))
    for each in (partial, pause, final):
        queue.put(each)
    assert taken(queue) == [final, pause, partial]


def test_calls_of_equal_need_are_served_in_order_of_arrival() -> None:
    queue = JobQueue()
    jobs = [job(owner, Purpose.PAUSE) for owner in "abc"]
    for each in jobs:
        queue.put(each)
    assert taken(queue) == jobs


@pytest.mark.parametrize("purpose", [Purpose.PARTIAL, Purpose.PAUSE])
def test_a_newer_job_of_the_same_call_takes_the_place_of_the_older(purpose: Purpose) -> None:
    queue = JobQueue()
    stale, other, newest = job("a", purpose), job("b", purpose), job("a", purpose)
    for each in (stale, other, newest):
        queue.put(each)
    assert taken(queue) == [newest, other]


def test_finals_are_all_kept_up_to_the_bound_then_the_oldest_fails() -> None:
    queue = JobQueue()
    outcomes: list[Transcript | SttError] = []
    oldest = job("a", Purpose.FINAL, outcomes)
    queue.put(oldest)
    finals = [job("a", Purpose.FINAL) for _ in range(MAX_FINALS_PER_CALL - 1)]
    for each in [*finals, job("b", Purpose.FINAL)]:
        queue.put(each)
    assert outcomes == []
    queue.put(job("a", Purpose.FINAL))
    assert [error.code for error in outcomes if isinstance(error, SttError)] == ["stt_overloaded"]
    assert len(queue) == MAX_FINALS_PER_CALL + 1
    assert oldest not in taken(queue)


def test_partials_can_be_held_back() -> None:
    queue = JobQueue()
    pause = job("a", Purpose.PAUSE)
    queue.put(job("a", Purpose.PARTIAL))
    queue.put(pause)
    assert taken(queue, partials=False) == [pause]
    assert len(queue) == 1


def test_a_job_that_became_urgent_goes_first() -> None:
    queue = JobQueue()
    first, second = job("a", Purpose.PAUSE), job("b", Purpose.PAUSE)
    queue.put(first)
    queue.put(second)
    second.purpose = Purpose.FINAL
    assert taken(queue) == [second, first]


def test_a_job_put_back_is_the_next() -> None:
    queue = JobQueue()
    first, second = job("a", Purpose.FINAL), job("b", Purpose.FINAL)
    queue.put(first)
    queue.put(second)
    queue.put_back(queue.take(partials=True) or second)
    assert taken(queue) == [first, second]


def test_dropping_a_call_spares_the_others_and_its_finals_unless_said() -> None:
    queue = JobQueue()
    final, other = job("a", Purpose.FINAL), job("b", Purpose.PARTIAL)
    for each in (final, job("a", Purpose.PAUSE), job("a", Purpose.PARTIAL), other):
        queue.put(each)
    queue.drop("a", finals=False)
    assert taken(queue) == [final, other]
    queue.put(final)
    queue.drop("a", finals=True)
    assert len(queue) == 0


def test_draining_returns_everything() -> None:
    queue = JobQueue()
    jobs = [job("a", Purpose.FINAL), job("b", Purpose.PARTIAL)]
    for each in jobs:
        queue.put(each)
    assert queue.drain() == jobs
    assert len(queue) == 0
