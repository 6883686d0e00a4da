from tests.tts_worker.test_scheduler import Ear
from tts_worker.job import Job
from tts_worker.request import Delivery, SpeechRequest


def test_a_job_is_live_until_whoever_took_it_says_otherwise() -> None:
    cancelled: list[Job] = []
    job = Job("A", SpeechRequest("hello", Delivery()), Ear(), cancelled.append)

    assert job.live
    job.cancel()
    assert cancelled == [job]
