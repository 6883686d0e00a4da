"""The worker behind Ray Serve: two real replicas, callers over loopback, one replica killed in mid-sentence."""

import asyncio
import json
import os
import signal
import urllib.request
from collections.abc import Iterator

import pytest
import structlog
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus

pytest.importorskip("ray")

from gateway.tts.base import SpeechAudio, SpeechDone, SpeechEvent  # noqa: E402
from gateway.tts.session import PersistentSession, SpeechTiming  # noqa: E402
from gateway.tts.websocket import WebSocketSpeech  # noqa: E402
from media.tts_wire import STREAM_PATH  # noqa: E402
from tests.rig.replicas import START_S, STOP_S, answers, replica_pids, running_replicas, until  # noqa: E402
from tests.rig.speech_pair import audio_of, collect, tone_of  # noqa: E402
from tests.rig.worker import WorkerProcess  # noqa: E402
from tts_worker.ray_serve import main  # noqa: E402

pytestmark = [pytest.mark.ray, pytest.mark.timeout(300)]

PER_REPLICA = 4
# Minutes of speech: long enough that a kill finds every caller in the middle.
LONG = "Please hold the line while we look for your order. " * 60
PATIENT = SpeechTiming(connect_s=10.0, give_up_s=60.0, stall_s=60.0)


@pytest.fixture(scope="module")
def replicas() -> Iterator[WorkerProcess]:
    places = (f"worker.max_sessions={PER_REPLICA}", f"worker.ray.target_sessions={PER_REPLICA}")
    with running_replicas("worker.engine=tone", *places) as two:
        yield two


async def opened(replicas: WorkerProcess) -> ClientConnection:
    socket = await connect(f"{replicas.url}{STREAM_PATH}", compression=None, open_timeout=20.0)
    await socket.send(json.dumps({"type": "session", "protocol": 1, "framing": "tagged"}))
    assert json.loads(await socket.recv())["type"] == "session"
    return socket


def test_posts_are_answered(replicas: WorkerProcess) -> None:
    body = json.dumps({"text": "Good morning.", "format": "pcm"}).encode()
    with urllib.request.urlopen(f"http://127.0.0.1:{replicas.port}/invocations", data=body, timeout=20.0) as answer:
        assert answer.read() == tone_of("Good morning.")


async def test_calls_are_spread_and_the_one_too_many_is_refused_with_a_hint(replicas: WorkerProcess) -> None:
    sockets: list[ClientConnection] = []
    refused: InvalidStatus | None = None
    while refused is None and len(sockets) <= 2 * PER_REPLICA:
        try:
            sockets.append(await opened(replicas))
        except InvalidStatus as error:
            refused = error
    for socket in sockets:
        await socket.close()

    assert refused is not None
    assert len(sockets) > PER_REPLICA  # one replica alone takes no more
    assert refused.response.status_code == 503
    assert refused.response.headers["Retry-After"] == "1"
    assert json.loads(refused.response.body or b"")["error"] == "busy"


class Call:
    """A caller of the gateway: a session, and what it has heard so far."""

    def __init__(self, session: PersistentSession, texts: list[str]) -> None:
        self.session = session
        self.heard: list[SpeechEvent] = []
        self.in_midst = asyncio.Event()
        self._texts = texts

    async def run(self, on: asyncio.Event) -> None:
        """Listen to the end; from the first sound until `on` it takes nothing more, so it is in mid-sentence then."""
        await self.session.open()
        for text in self._texts:
            self.session.speak(text)
        async for event in self.session.events():
            self.heard.append(event)
            if isinstance(event, SpeechAudio):
                self.in_midst.set()
                await on.wait()
            if isinstance(event, SpeechDone) and event.request_id == len(self._texts):
                return

    def is_whole(self) -> bool:
        """Whether every sentence was heard to its end, each sample once."""
        return all(audio_of(self.heard, n) == tone_of(text) for n, text in enumerate(self._texts, start=1))


async def test_a_replica_killed_under_load_loses_no_call(replicas: WorkerProcess) -> None:
    factory = WebSocketSpeech(replicas.url, timing=PATIENT)
    # One more than a replica takes, so that each has some.
    texts = [LONG, "Are you still there?"]
    calls = [Call(factory.session("af_heart", "en", 1.0), texts) for _ in range(PER_REPLICA + 1)]
    on = asyncio.Event()
    running = [asyncio.create_task(call.run(on)) for call in calls]
    killed, *_ = before = replica_pids(replicas)
    with structlog.testing.capture_logs() as said:
        async with asyncio.timeout(120.0):
            for call in calls:
                await call.in_midst.wait()
            os.kill(killed, signal.SIGKILL)
            on.set()
            await asyncio.gather(*running)
    for call in calls:
        await call.session.close()
    await factory.close()

    assert all(call.is_whole() for call in calls)
    assert any(line["event"] == "tts_connection_lost" and line["code"] == "worker_lost" for line in said)
    await asyncio.to_thread(
        until, lambda: len(replica_pids(replicas)) == 2 and killed not in replica_pids(replicas), START_S
    )
    assert before[1] in replica_pids(replicas)


async def test_a_stop_takes_nobody_new_and_lets_open_calls_speak() -> None:
    with running_replicas("worker.engine=tone", count=1) as one:
        factory = WebSocketSpeech(one.url, timing=PATIENT)
        session = factory.session("af_heart", "en", 1.0)
        await session.open()
        one.process.send_signal(signal.SIGTERM)
        await asyncio.to_thread(until, lambda: not answers(one), STOP_S)
        session.speak("We are still talking.")
        events = await collect(session, ends=1, timeout_s=20.0)
        await session.close()
        await factory.close()
        assert audio_of(events, 1) == tone_of("We are still talking.")
        assert await asyncio.to_thread(one.process.wait, STOP_S) == 0


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (["worker.ray.max_replicas=0"], "worker.ray.max_replicas"),
        (["worker.ray.min_replicas=9"], "max_replicas 4 is below min_replicas 9"),
        (["worker.engine=tone", "worker.port=0"], "worker.port"),
        (["worker.max_sessions=8"], "target_sessions 24 is above worker.max_sessions 8"),
        (["worker.host=0.0.0.0"], "worker.token"),
    ],
)
def test_a_wrong_configuration_ends_with_one_sentence_and_code_2(
    settings: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([part for setting in settings for part in ("--set", setting)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line
