"""POST /invocations, streamed and whole, and everything a client can do wrong."""

import asyncio
import io
import json
import socket
import struct
import wave
from collections.abc import Mapping
from typing import Any

import aiohttp
import pytest

from tests.rig.speech_pair import tone_of
from tests.rig.worker import serving
from tests.tts_worker.gated import GatedEngine
from tts_worker.app import build_app
from tts_worker.tone import ToneEngine
from tts_worker.worker import WorkerLimits

NOW_S = 1_000_000.0


async def post(port: int, body: Any, **headers: str) -> tuple[int, Mapping[str, str], bytes]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    url = f"http://127.0.0.1:{port}/invocations"
    async with aiohttp.ClientSession() as http, http.post(url, data=data, headers=headers) as answer:
        return answer.status, answer.headers, await answer.read()


async def test_by_default_the_answer_is_a_streamed_wav_of_unknown_length() -> None:
    async with serving(build_app(ToneEngine())) as port:
        status, headers, body = await post(port, {"text": "Hello there."})
    assert status == 200
    assert headers["Content-Type"] == "audio/wav"
    assert headers["Transfer-Encoding"] == "chunked"
    assert headers["X-Sample-Rate"] == "24000"
    assert struct.unpack_from("<4sI4s", body) == (b"RIFF", 0xFFFFFFFF, b"WAVE")
    assert struct.unpack_from("<4sI", body, 36) == (b"data", 0xFFFFFFFF)
    assert body[44:] == tone_of("Hello there.")


async def test_a_whole_wav_has_true_sizes_and_says_what_it_cost() -> None:
    async with serving(build_app(ToneEngine())) as port:
        request = {"text": "Hello there.", "stream": False, "sample_rate": 8_000, "voice": "low"}
        status, headers, body = await post(port, request)
    assert status == 200
    with wave.open(io.BytesIO(body)) as recording:
        assert (recording.getframerate(), recording.getnchannels(), recording.getnframes()) == (8_000, 1, 5_760)
    assert float(headers["X-Audio-Duration"]) == 0.72
    assert float(headers["X-Inference-Time-Ms"]) >= 0
    assert float(headers["X-RTF"]) >= 0
    assert headers["X-Characters-Processed"] == "12"


@pytest.mark.parametrize("stream", [True, False])
async def test_bare_pcm_has_no_header(stream: bool) -> None:
    async with serving(build_app(ToneEngine())) as port:
        _, headers, body = await post(port, {"text": "Hello there.", "format": "pcm", "stream": stream})
    assert headers["Content-Type"] == "audio/pcm"
    assert body == tone_of("Hello there.")


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(("form", "size"), [("wav", 44), ("pcm", 0)])
async def test_text_without_speech_is_an_empty_answer(stream: bool, form: str, size: int) -> None:
    async with serving(build_app(ToneEngine())) as port:
        status, headers, body = await post(port, {"text": "👍", "stream": stream, "format": form})
    assert (status, len(body)) == (200, size)
    assert stream or headers["X-RTF"] == "0.0000"


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, "bad_json"),
        (b"\xff", 400, "bad_json"),
        (b"", 400, "bad_json"),
        (b"[1]", 400, "bad_json"),
        ({}, 400, "missing_text"),
        ({"text": 1}, 400, "bad_field"),
        ({"text": "a", "format": "ogg"}, 400, "bad_field"),
        ({"text": "a", "format": ["wav"]}, 400, "bad_field"),
        ({"text": "a", "format": "wav", "encoding": "ulaw"}, 400, "bad_field"),
        ({"text": "a", "format": "ulaw", "sample_rate": 24_000}, 400, "bad_field"),
        ({"text": "a", "transport": "pigeon"}, 400, "bad_field"),
        ({"text": "a", "stream": "yes"}, 400, "bad_field"),
        ({"text": "a", "sample_rate": 44_100}, 400, "bad_field"),
        ({"text": "a", "voice": "nobody"}, 400, "unknown_voice"),
        ({"text": "a", "language": "tlh"}, 400, "unknown_language"),
        ({"text": "x" * 100_000}, 413, "text_too_long"),
        (b"x" * 1_100_000, 413, "text_too_long"),
        ({"text": "a", "request_timestamp": NOW_S - 60}, 408, "request_stale"),
    ],
)
async def test_a_bad_request_is_told_its_code_and_remedy_and_takes_no_place(body: Any, status: int, code: str) -> None:
    app = build_app(ToneEngine(), wall_clock_s=lambda: NOW_S)
    async with serving(app) as port:
        answered, _, said = await post(port, body)
        worker = app.state.worker
        assert (worker.sessions, worker.scheduler.queued_requests) == (0, 0)
    error = json.loads(said)
    assert (answered, error["error"]) == (status, code)
    assert len(error["message"]) > 10


async def test_a_hundred_malformed_bodies_do_not_use_up_the_queue() -> None:
    async with serving(build_app(ToneEngine(), WorkerLimits(max_queued=2))) as port:
        for _ in range(100):
            assert (await post(port, b"{nonsense"))[0] == 400
        assert (await post(port, {"text": "Hello."}))[0] == 200


@pytest.mark.parametrize("limits", [WorkerLimits(max_queued=1), WorkerLimits(max_sessions=1)])
async def test_a_full_worker_answers_busy_and_recovers(limits: WorkerLimits) -> None:
    engine = GatedEngine()
    async with serving(build_app(engine, limits)) as port:
        first = asyncio.create_task(post(port, {"text": "First."}))
        await engine.begins()
        status, headers, said = await post(port, {"text": "Second."})
        assert (status, headers["Retry-After"]) == (503, "1")
        assert {"error": "busy", "queue_depth": 1}.items() <= json.loads(said).items()
        engine.open()
        assert (await first)[0] == 200
        assert (await post(port, {"text": "Third."}))[0] == 200


@pytest.mark.parametrize("stream", [True, False])
async def test_a_client_that_leaves_stops_the_synthesis(stream: bool) -> None:
    """F-103."""
    engine = GatedEngine()
    app = build_app(engine)
    async with serving(app) as port:
        first = asyncio.create_task(post(port, {"text": "word " * 500, "stream": stream}))
        await engine.begins()
        engine.gate.release(2)
        await engine.speaks(2)
        first.cancel()
        await asyncio.wait([first])
        async with asyncio.timeout(5):
            while app.state.worker.sessions:  # noqa: ASYNC110 - the server notices in its own time
                await asyncio.sleep(0.005)
        engine.open()
        assert (await post(port, {"text": "Next."}))[0] == 200
        assert app.state.worker.scheduler.queued_requests == 0
    assert len(engine.spoken) <= 4


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    ("text", "status", "code"), [("refuse", 413, "text_too_long"), ("crash", 500, "engine_failed")]
)
async def test_a_failure_before_the_first_audio_has_its_status(text: str, status: int, code: str, stream: bool) -> None:
    async with serving(build_app(GatedEngine())) as port:
        answered, _, said = await post(port, {"text": text, "stream": stream})
    assert (answered, json.loads(said)["error"]) == (status, code)


async def test_a_failure_in_the_middle_breaks_the_stream_visibly() -> None:
    engine = GatedEngine()
    engine.open()
    async with serving(build_app(engine)) as port:
        with pytest.raises(aiohttp.ClientPayloadError):
            await post(port, {"text": "word " * 24 + "broken"})


def narrow_socket(address: tuple[Any, ...]) -> socket.socket:
    """A client's socket that takes little before it is read; the system's own buffers would hold minutes of speech."""
    made = socket.socket(*address[:3])
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
    return made


async def test_a_slow_reader_holds_the_engine_and_gets_everything() -> None:
    engine = GatedEngine()
    engine.open()
    text = "word " * 900
    connector = aiohttp.TCPConnector(socket_factory=narrow_socket)
    async with (
        serving(build_app(engine)) as port,
        aiohttp.ClientSession(connector=connector, read_bufsize=1024) as http,
    ):
        url = f"http://127.0.0.1:{port}/invocations"
        async with http.post(url, json={"text": text, "format": "pcm", "speed": 0.5}) as answer:
            await asyncio.sleep(0.3)
            assert len(engine.spoken) < 38  # of 38: 26 MB of audio are more than the sockets hold
            assert len(await answer.read()) == pytest.approx(2 * len(tone_of(text)), rel=0.001)
            assert len(engine.spoken) == 38


async def test_the_token_is_asked_of_everybody_but_the_health_check() -> None:
    async with serving(build_app(ToneEngine(), token="sesame")) as port:
        assert (await post(port, {"text": "a"}))[0] == 401
        assert (await post(port, {"text": "a"}, Authorization="Bearer wrong"))[0] == 401
        assert (await post(port, {"text": "a"}, Authorization="Bearer sesame"))[0] == 200
        async with aiohttp.ClientSession() as http, http.get(f"http://127.0.0.1:{port}/ping") as answer:
            assert answer.status == 200


async def test_a_drain_waits_for_an_invocation_in_work() -> None:
    engine = GatedEngine()
    app = build_app(engine)
    async with serving(app) as port:
        answer = asyncio.create_task(post(port, {"text": "Hello."}))
        await engine.begins()
        drain = asyncio.create_task(app.state.worker.drain(5.0))
        await asyncio.sleep(0.05)
        assert not drain.done()
        assert (await post(port, {"text": "Late."}))[0] == 503
        engine.open()
        assert (await answer)[0] == 200
        await drain


async def test_a_body_that_never_ends_is_refused_in_time() -> None:
    async with serving(build_app(ToneEngine(), WorkerLimits(stall_s=0.2))) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b'POST /invocations HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n{"text"')
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)
        writer.close()
    assert head.startswith(b"HTTP/1.1 400 ")
