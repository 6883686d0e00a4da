"""A real worker process with the tone engine: the whole protocol over loopback, its death and its end."""

import asyncio
import json
import struct
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import aiohttp
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosedError, InvalidStatus

from gateway.tts.base import SpeechAudio, SpeechDone, SpeechFailed
from gateway.tts.websocket import WebSocketSpeech
from media.tts_wire import STREAM_PATH
from tests.rig.speech_pair import audio_of, collect, tone_of
from tests.rig.worker import WorkerProcess, running_worker, start_worker


@pytest.fixture(scope="module")
def worker() -> Iterator[WorkerProcess]:
    with running_worker() as process:
        yield process


def http_url(worker: WorkerProcess, path: str) -> str:
    return f"http://127.0.0.1:{worker.port}{path}"


async def until_closed(socket: ClientConnection) -> tuple[int, list[str]]:
    """Return the close code, and the types of the controls that came before it."""
    controls: list[str] = []
    try:
        async with asyncio.timeout(10):
            async for frame in socket:
                controls += [json.loads(frame)["type"]] if isinstance(frame, str) else []
    except ConnectionClosedError as closed:
        return (closed.rcvd.code if closed.rcvd else 1006), controls
    return 1000, controls


async def sample_client_speaks(socket: ClientConnection, message: dict[str, Any], *, as_text: bool) -> bytes:
    """What the public SageMaker sample's client does: send one request, gather binary frames until it is complete."""
    text = json.dumps(message)
    await socket.send(text if as_text else text.encode())
    pcm = b""
    async with asyncio.timeout(10):
        while True:
            frame = await socket.recv()
            if isinstance(frame, bytes):
                pcm += frame
                continue
            body = json.loads(frame)
            assert body["type"] != "error", body
            if body["type"] == "synthesis_complete":
                assert body["request_id"] == message["request_id"]
                assert body["total_duration_s"] == pytest.approx(len(pcm) / 48_000, abs=0.001)
                assert body["elapsed_s"] >= 0
                return pcm


@pytest.mark.parametrize("as_text", [True, False])
async def test_the_public_samples_client_works_unchanged(worker: WorkerProcess, as_text: bool) -> None:
    async with connect(worker.url + STREAM_PATH) as socket:
        for n in range(3):
            message = {"text": f"Sentence {n}.", "voice": "af_heart", "speed": 1.0, "request_id": f"r{n}"}
            assert await sample_client_speaks(socket, message, as_text=as_text) == tone_of(f"Sentence {n}.")
        await socket.send(json.dumps({"type": "close"}))
        assert await until_closed(socket) == (1000, [])


async def test_a_message_too_large_for_any_answer_closes_the_socket_and_only_that(worker: WorkerProcess) -> None:
    async with connect(worker.url + STREAM_PATH) as socket:
        with suppress(ConnectionClosedError):  # it may come before the last byte is sent
            await socket.send("x" * 3_000_000)
        assert await until_closed(socket) == (1009, [])
    async with aiohttp.ClientSession() as http, http.get(http_url(worker, "/ping")) as answer:
        assert answer.status == 200


async def test_a_streamed_wav_begins_before_its_length_is_known(worker: WorkerProcess) -> None:
    async with (
        aiohttp.ClientSession() as http,
        http.post(http_url(worker, "/invocations"), json={"text": "Hello there."}) as answer,
    ):
        body = await answer.read()
        assert answer.status == 200
        assert struct.unpack_from("<4sI", body) == (b"RIFF", 0xFFFFFFFF)
        assert body[44:] == tone_of("Hello there.")


async def test_a_killed_worker_that_comes_back_costs_no_word() -> None:
    """F-37, with a real process and a real socket."""
    text = "This sentence is long enough to be in the middle of its audio when the worker dies. " * 12
    first = start_worker()
    second = None
    speech = WebSocketSpeech(first.url)
    try:
        session = speech.session("af_heart", "en", 1.0)
        await session.open()
        session.speak(text)
        session.speak("The next one.")
        head = []
        async for event in session.events():
            head.append(event)
            if len([e for e in head if isinstance(e, SpeechAudio)]) == 2:
                break
        first.kill()
        second = await asyncio.to_thread(start_worker, port=first.port)
        events = head + await collect(session, ends=2, timeout_s=20)
        await session.close()
    finally:
        first.kill()
        if second is not None:
            second.kill()
        await speech.close()
    assert not [event for event in events if isinstance(event, SpeechFailed)]
    assert audio_of(events, 1) == tone_of(text)
    assert audio_of(events, 2) == tone_of("The next one.")


async def test_sigterm_finishes_what_was_asked_refuses_more_and_exits_with_zero() -> None:
    with running_worker() as worker:
        async with connect(worker.url + STREAM_PATH) as socket:
            await socket.send(json.dumps({"text": "word " * 900, "request_id": "long"}))
            await asyncio.wait_for(socket.recv(), 5)
            worker.process.terminate()
            code, controls = await until_closed(socket)
            assert controls[-1] == "synthesis_complete"
            assert code == 1012
        assert await asyncio.to_thread(worker.process.wait, 10) == 0


async def test_a_client_that_does_not_read_is_cut_within_the_drain() -> None:
    with running_worker("worker.drain_s=0.1") as worker:
        async with connect(worker.url + STREAM_PATH, max_queue=1, close_timeout=0.2) as socket:
            for _ in range(30):
                await socket.send(json.dumps({"text": "word " * 900}))
            await asyncio.sleep(0.5)
            began_s = time.monotonic()
            assert await asyncio.to_thread(worker.terminate, 20) == 0
            assert time.monotonic() - began_s < 10


async def test_a_refusal_is_told_of_once_and_not_as_a_fault_of_the_worker() -> None:
    with running_worker("worker.token=sesame") as worker:
        with pytest.raises(InvalidStatus):
            await connect(worker.url + STREAM_PATH)
        assert worker.wait_for("session_refused")["level"] == "warning"
        worker.terminate()
        rest = []
        while not worker.log.empty():
            rest.append(worker.log.get())
    assert [line for line in rest if line.get("level") in ("warning", "error")] == []


async def test_sessions_beyond_the_limit_are_refused_before_the_upgrade() -> None:
    with running_worker("worker.max_sessions=1") as worker:
        async with connect(worker.url + STREAM_PATH):
            with pytest.raises(InvalidStatus) as refused:
                await connect(worker.url + STREAM_PATH)
            assert refused.value.response.status_code == 503
        line = worker.wait_for("session_refused")
        assert (line["level"], line["status"]) == ("info", 503)
        for _ in range(50):  # the place is free again once the server has seen the close
            try:
                async with connect(worker.url + STREAM_PATH) as socket:
                    await socket.send(json.dumps({"text": "Hi."}))
                    assert json.loads(await socket.recv())["type"] == "synthesis_start"
                    return
            except InvalidStatus:
                await asyncio.sleep(0.02)
        pytest.fail("the place was not freed")


async def test_the_first_audio_of_each_sentence_waits_for_no_acknowledgement(worker: WorkerProcess) -> None:
    """Nagle's algorithm against delayed acknowledgements would make it 40 ms each."""
    speech = WebSocketSpeech(worker.url)
    session = speech.session("af_heart", "en", 1.0)
    await session.open()
    waits_s = []
    for _ in range(20):
        began_s = time.perf_counter()
        session.speak("Hello.")
        events = await collect(session, ends=1, timeout_s=5)
        assert isinstance(events[-1], SpeechDone)
        waits_s.append(time.perf_counter() - began_s)
    await session.close()
    await speech.close()
    assert sorted(waits_s)[10] < 0.025


def test_a_port_in_use_is_said_in_one_sentence(worker: WorkerProcess) -> None:
    with pytest.raises(RuntimeError, match="exit code 2"):
        start_worker(port=worker.port)
