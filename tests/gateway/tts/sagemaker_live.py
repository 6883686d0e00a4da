"""The real AWS SDK against the emulated service and a real worker; test_sagemaker.py runs this file in a process of its
own, where SSL_CERT_FILE names the authority of $SAGEMAKER_RIG.
"""

import asyncio
import gc
import os
import signal
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest
from websockets.asyncio.server import ServerConnection, serve

from gateway.errors import TtsError
from gateway.tts.base import SpeechAudio, SpeechBegan, SpeechDone
from gateway.tts.sagemaker import SageMakerEndpoint, SageMakerSpeech
from gateway.tts.session import PersistentSession, SpeechTiming
from media.tts_wire import tag_audio
from tests.rig.http2 import Http2Server
from tests.rig.sagemaker import Refusal, Sidecar, serving
from tests.rig.speech_pair import audio_of, collect, tone_of
from tests.rig.waiting import until
from tests.rig.worker import WorkerProcess, running_worker

CERTIFICATES = Path(os.environ["SAGEMAKER_RIG"])
SHORT = SpeechTiming(connect_s=3.0, give_up_s=10.0, stall_s=20.0)
# 2880 bytes of tone a character.
LONG_TEXT = "word " * 220
MEDIUM_TEXT = "word " * 40


@pytest.fixture(scope="module")
def worker() -> Iterator[WorkerProcess]:
    with running_worker() as process:
        yield process


def speech(url: str, name: str = "voice", timing: SpeechTiming = SHORT, lasts_s: float = 1680.0) -> SageMakerSpeech:
    return SageMakerSpeech(SageMakerEndpoint(name, "eu-west-1", "blue", url), timing=timing, lasts_s=lasts_s)


@asynccontextmanager
async def opened(factory: SageMakerSpeech, voice: str = "af_heart") -> AsyncIterator[PersistentSession]:
    session = factory.session(voice, "en", 1.0)
    try:
        await session.open()
        yield session
    finally:
        async with asyncio.timeout(5.0):
            await session.close()


async def test_two_sentences_arrive_whole(worker: WorkerProcess) -> None:
    sidecar = Sidecar(worker.url)
    async with serving(sidecar, CERTIFICATES) as service, opened(speech(service.url)) as session:
        session.speak("Good morning.")
        session.speak("How can I help?")
        events = await collect(session, ends=2, timeout_s=10.0)
    assert audio_of(events, 1) == tone_of("Good morning.")
    assert audio_of(events, 2) == tone_of("How can I help?")
    assert len(sidecar.requests) == 1
    assert sidecar.requests[0]["x-amzn-sagemaker-target-variant"] == "blue"
    assert all(fragment.is_text and not fragment.is_partial for fragment in sidecar.received)


async def test_nothing_of_a_cancelled_sentence_is_heard(worker: WorkerProcess) -> None:
    sidecar = Sidecar(worker.url)
    async with serving(sidecar, CERTIFICATES) as service, opened(speech(service.url)) as session:
        session.speak(LONG_TEXT)
        async for event in session.events():
            if isinstance(event, SpeechAudio):
                break
        session.cancel()
        session.speak("Yes?")
        events = await collect(session, ends=1, timeout_s=10.0)
    assert {event.request_id for event in events} == {2}
    assert audio_of(events, 2) == tone_of("Yes?")
    assert any(b'"cancel"' in fragment.data for fragment in sidecar.received)


async def test_a_service_that_dies_in_a_sentence_and_comes_back_costs_no_word_and_repeats_none(
    worker: WorkerProcess,
) -> None:
    sidecar = Sidecar(worker.url)
    async with serving(sidecar, CERTIFICATES) as service, opened(speech(service.url)) as session:
        session.speak(MEDIUM_TEXT)
        session.speak("The next one.")
        seen = []
        async for event in session.events():
            seen.append(event)
            if len(audio_of(seen, 1)) > 100_000:
                break
        await service.abort()
        await asyncio.sleep(0.3)
        await service.start()
        seen += await collect(session, ends=2, timeout_s=10.0)
    assert audio_of(seen, 1) == tone_of(MEDIUM_TEXT)
    assert audio_of(seen, 2) == tone_of("The next one.")
    assert [type(event) for event in seen].count(SpeechBegan) == 2
    assert len(sidecar.requests) == 2


async def test_a_worker_that_dies_in_a_sentence_and_comes_back_costs_no_word() -> None:
    with running_worker() as first:
        sidecar = Sidecar(first.url)
        async with serving(sidecar, CERTIFICATES) as service, opened(speech(service.url)) as session:
            session.speak(LONG_TEXT)
            seen = []
            async for event in session.events():
                seen.append(event)
                break  # it has begun
            first.kill()
            with running_worker(port=first.port):
                seen += await collect(session, ends=1, timeout_s=10.0)
                assert audio_of(seen, 1) == tone_of(LONG_TEXT)
    assert sidecar.ends[0] == "closed without a word"


async def test_a_turn_of_three_megabytes_passes_a_reader_who_takes_his_time(worker: WorkerProcess) -> None:
    sidecar = Sidecar(worker.url)
    async with serving(sidecar, CERTIFICATES) as service, opened(speech(service.url)) as session:
        session.speak(LONG_TEXT)
        await asyncio.sleep(1.0)
        events = await collect(session, ends=1, timeout_s=10.0)
    assert len(audio_of(events, 1)) > 3_000_000
    assert audio_of(events, 1) == tone_of(LONG_TEXT)


async def test_a_worker_without_pongs_is_left_and_its_sentence_spoken_when_it_is_back() -> None:
    with running_worker() as worker:
        sidecar = Sidecar(worker.url, ping_s=0.1)
        async with serving(sidecar, CERTIFICATES) as service, opened(speech(service.url)) as session:
            os.kill(worker.pid, signal.SIGSTOP)
            try:
                session.speak("Are you there?")
                await until(lambda: sidecar.ends, within_s=5.0)
            finally:
                os.kill(worker.pid, signal.SIGCONT)
            events = await collect(session, ends=1, timeout_s=10.0)
    assert sidecar.ends[0] == "closed: 5 pings without a pong"
    assert audio_of(events, 1) == tone_of("Are you there?")


async def test_before_the_cap_a_fresh_stream_takes_over_between_two_sentences(worker: WorkerProcess) -> None:
    sidecar = Sidecar(worker.url, session_s=2.5)
    async with (
        serving(sidecar, CERTIFICATES) as service,
        opened(speech(service.url, lasts_s=0.4)) as session,
    ):
        for n in range(1, 25):
            session.speak(f"This is sentence {n}.")
            events = await collect(session, ends=1, timeout_s=10.0)
            assert audio_of(events, n) == tone_of(f"This is sentence {n}.")
            await asyncio.sleep(0.1)
    assert len(sidecar.requests) >= 4
    assert "session over" not in sidecar.ends


async def test_a_stream_that_reaches_the_cap_all_the_same_is_replaced(worker: WorkerProcess) -> None:
    sidecar = Sidecar(worker.url, session_s=0.5)
    async with serving(sidecar, CERTIFICATES) as service, opened(speech(service.url)) as session:
        await until(lambda: sidecar.ends)
        session.speak("Still here.")
        events = await collect(session, ends=1, timeout_s=10.0)
    assert sidecar.ends[0] == "session over"
    assert audio_of(events, 1) == tone_of("Still here.")


async def test_without_credentials_opening_fails_at_once_and_says_why(
    worker: WorkerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    async with serving(Sidecar(worker.url), CERTIFICATES) as service:
        factory = speech(service.url)
        began_s = time.monotonic()
        with pytest.raises(TtsError) as caught:
            await factory.session("af_heart", "en", 1.0).open()
        assert not await factory.ready()
    assert (caught.value.code, caught.value.retryable) == ("no_credentials", False)
    assert time.monotonic() - began_s < SHORT.connect_s


async def test_a_refused_connection_is_an_unreachable_worker_within_the_bound() -> None:
    factory = speech("https://localhost:1", timing=SpeechTiming(connect_s=0.5, give_up_s=0.5))
    began_s = time.monotonic()
    session = factory.session("af_heart", "en", 1.0)
    with pytest.raises(TtsError) as caught:
        await session.open()
    assert not await factory.ready()
    assert (caught.value.code, caught.value.retryable) == ("worker_unreachable", True)
    assert time.monotonic() - began_s < 3.0


async def test_a_service_that_never_answers_is_left_within_the_bound(worker: WorkerProcess) -> None:
    sidecar = Sidecar(worker.url, is_mute=True)
    async with serving(sidecar, CERTIFICATES) as service:
        factory = speech(service.url, timing=SpeechTiming(connect_s=0.5, give_up_s=0.7))
        began_s = time.monotonic()
        with pytest.raises(TtsError, match="worker_unreachable"):
            await factory.session("af_heart", "en", 1.0).open()
        assert time.monotonic() - began_s < 3.0
    assert sidecar.requests


async def test_a_server_without_http2_is_refused_by_the_transport() -> None:
    server = Http2Server(Sidecar("").handle, CERTIFICATES, protocols=("http/1.1",))
    await server.start()
    factory = speech(server.url, timing=SpeechTiming(connect_s=0.5, give_up_s=0.5))
    with pytest.raises(TtsError, match="worker_unreachable"):
        await factory.session("af_heart", "en", 1.0).open()
    await server.abort()


@pytest.mark.parametrize(
    ("refusal", "code"),
    [
        (Refusal(400, "InputValidationError", {"Message": "Endpoint not found"}), "worker_refused"),
        (Refusal(403, "AccessDeniedException", {"Message": "not authorized"}), "worker_refused"),
        (Refusal(424, "ModelError", {"Message": "m", "OriginalStatusCode": 401}), "worker_refused"),
    ],
)
async def test_what_cannot_get_better_fails_the_opening_at_once(
    worker: WorkerProcess, refusal: Refusal, code: str
) -> None:
    sidecar = Sidecar(worker.url, refusals=[refusal])
    async with serving(sidecar, CERTIFICATES) as service:
        with pytest.raises(TtsError) as caught:
            await speech(service.url).session("af_heart", "en", 1.0).open()
    assert (caught.value.code, caught.value.retryable) == (code, False)
    assert len(sidecar.requests) == 1


@pytest.mark.parametrize(
    "refusal",
    [
        Refusal(400, "ThrottlingException", {"message": "Rate exceeded"}),
        Refusal(424, "ModelError", {"Message": "m", "OriginalStatusCode": 503}),
        Refusal(500, "InternalServerError", {"Message": "m"}),
        Refusal(503, "ServiceUnavailableError", {"Message": "m"}),
    ],
)
async def test_what_may_get_better_is_tried_again(worker: WorkerProcess, refusal: Refusal) -> None:
    sidecar = Sidecar(worker.url, refusals=[refusal])
    async with serving(sidecar, CERTIFICATES) as service, opened(speech(service.url)) as session:
        session.speak("Hello.")
        events = await collect(session, ends=1, timeout_s=10.0)
    assert audio_of(events, 1) == tone_of("Hello.")
    assert len(sidecar.requests) == 2


async def test_fragments_and_binary_controls_of_a_container_are_joined() -> None:
    async def container(socket: ServerConnection) -> None:
        await socket.recv()
        await socket.send(b'{"type":"session","protocol":1,"framing":"tagged","sample_rate":24000}')
        await socket.recv()
        await socket.send(['{"type":"synthesis_start",', '"request_id":"1",', '"number":1}'])
        await socket.send([tag_audio(1, b"\1\2"), b"\3\4", b"\5\6"])
        await socket.send('{"type":"synthesis_complete","request_id":"1","number":1}')
        await socket.wait_closed()

    async with serve(container, "127.0.0.1", 0) as listener:
        port = next(iter(listener.sockets)).getsockname()[1]
        sidecar = Sidecar(f"ws://127.0.0.1:{port}")
        async with serving(sidecar, CERTIFICATES) as service, opened(speech(service.url)) as session:
            session.speak("Hello.")
            events = await collect(session, ends=1, timeout_s=10.0)
    assert events == [SpeechBegan(1), SpeechAudio(1, b"\1\2\3\4\5\6"), SpeechDone(1, 3)]


async def test_two_calls_at_once_hear_only_themselves(worker: WorkerProcess) -> None:
    """F-36."""
    async with serving(Sidecar(worker.url), CERTIFICATES) as service:
        factory = speech(service.url)
        async with opened(factory, "low") as low, opened(factory, "high") as high:
            assert len(service.connections) == 2
            for n in range(5):
                low.speak(f"This is sentence {n}.")
                high.speak(f"This is sentence {n}.")
            heard = await asyncio.gather(*(collect(call, ends=5, timeout_s=10.0) for call in (low, high)))
    for voice, events in zip(("low", "high"), heard, strict=True):
        for n in range(5):
            assert audio_of(events, n + 1) == tone_of(f"This is sentence {n}.", voice)


async def test_the_factory_knows_whether_the_worker_answers_and_asks_seldom(worker: WorkerProcess) -> None:
    sidecar = Sidecar(worker.url)
    async with serving(sidecar, CERTIFICATES) as service:
        factory = speech(service.url)
        assert await factory.ready()
        assert await factory.ready()
        assert not await speech(service.url, name="another").ready()
        await factory.close()
    assert len(sidecar.requests) == 2


async def test_closed_sessions_leave_no_task_thread_or_socket(worker: WorkerProcess) -> None:
    here = psutil.Process()
    async with serving(Sidecar(worker.url), CERTIFICATES) as service:
        factory = speech(service.url)
        async with opened(factory) as session:  # what is made once and kept: a thread, an epoll
            session.speak("First.")
            await collect(session, ends=1, timeout_s=10.0)
        await until(lambda: not service.connections)
        tasks, files, threads = len(asyncio.all_tasks()), here.num_fds(), here.num_threads()
        for _ in range(5):
            async with opened(factory) as session:
                session.speak("Never mind.")
        await until(lambda: not service.connections)
        gc.collect()
        assert len(asyncio.all_tasks()) == tasks
        assert here.num_fds() <= files
        assert here.num_threads() <= threads + 4  # the loop's pool grows while it may


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the SDK's thread, told too late
async def test_a_server_that_takes_connections_and_says_nothing_is_left_within_the_bound() -> None:
    async def ignore(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(1.5)
        writer.close()

    server = await asyncio.start_server(ignore, "127.0.0.1", 0)
    url = f"https://localhost:{server.sockets[0].getsockname()[1]}"
    factory = speech(url, timing=SpeechTiming(connect_s=0.5, give_up_s=0.7))
    began_s = time.monotonic()
    with pytest.raises(TtsError, match="worker_unreachable"):
        await factory.session("af_heart", "en", 1.0).open()
    assert time.monotonic() - began_s < 3.0
    server.close()
