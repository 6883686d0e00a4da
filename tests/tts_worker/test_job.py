from tests.tts_worker.test_scheduler import Ear
from tts_worker.job import Job, Unanswered
from tts_worker.request import Delivery, SpeechRequest


def test_a_job_is_live_until_whoever_took_it_says_otherwise() -> None:
    cancelled: list[Job] = []
    job = Job("A", SpeechRequest("hello", Delivery()), Ear(), cancelled.append)

    assert job.live
    job.cancel()
    assert cancelled == [job]


def job(session: str) -> Job:
    return Job(session, SpeechRequest("hello", Delivery()), Ear(), lambda _: None)


def test_a_job_that_is_answered_is_no_longer_live_and_answered_once() -> None:
    unanswered, first = Unanswered(), job("A")
    unanswered.add(first)
    assert unanswered.retire(first)
    assert not first.live
    assert not unanswered.retire(first)
    assert len(unanswered) == 0


def test_a_session_is_owed_something_until_its_last_job_is_answered() -> None:
    unanswered, jobs = Unanswered(), [job("A"), job("B"), job("A")]
    for one in jobs:
        unanswered.add(one)
    assert list(unanswered) == jobs
    owed = []
    for one in unanswered:
        unanswered.retire(one)
        owed.append((unanswered.has("A"), unanswered.has("B")))
    assert owed == [(True, True), (True, False), (False, False)]
