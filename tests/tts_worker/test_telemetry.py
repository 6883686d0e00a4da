"""The worker's metrics, read from a running worker that spoke, was interrupted and refused."""

import asyncio
import json

import aiohttp

from media.tts_wire import STREAM_PATH
from tests.rig.waiting import until
from tests.rig.worker import serving
from tests.tts_worker.gated import GatedEngine
from tts_worker.app import build_app
from tts_worker.telemetry import Telemetry
from tts_worker.tone import ToneEngine
from tts_worker.worker import WorkerLimits


async def read(port: int) -> dict[str, float]:
    async with aiohttp.ClientSession() as http, http.get(f"http://127.0.0.1:{port}/metrics") as answer:
        lines = (await answer.text()).splitlines()
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[0] != "#")}


async def test_a_request_is_counted_once_with_its_speech_and_its_wait() -> None:
    async with serving(build_app(ToneEngine())) as port, aiohttp.ClientSession() as http:
        body = {"text": "Good morning.", "voice": "af_heart"}
        async with http.post(f"http://127.0.0.1:{port}/invocations", json=body) as answer:
            pcm = await answer.read()
        told = await read(port)
    assert told['voicebot_worker_requests_total{ended="complete"}'] == 1
    assert told['voicebot_worker_first_audio_seconds_count{opens="true"}'] == 1
    assert abs(told["voicebot_worker_audio_seconds_total"] - len(pcm) / 48_000) < 0.2
    assert told["voicebot_worker_sessions"] == told["voicebot_worker_queued_requests"] == 0


async def test_what_is_cancelled_or_turned_away_is_counted_as_such() -> None:
    engine = GatedEngine()
    app = build_app(engine, WorkerLimits(max_queued=1))
    async with serving(app) as port, aiohttp.ClientSession() as http:
        async with http.ws_connect(f"http://127.0.0.1:{port}{STREAM_PATH}") as session:
            await session.send_str(json.dumps({"text": "One."}))
            await session.send_str(json.dumps({"text": "Two."}))
            while (await session.receive_json())["type"] != "error":
                pass
            told = await read(port)
            assert (told["voicebot_worker_sessions"], told["voicebot_worker_queued_requests"]) == (1, 1)
            await session.send_str(json.dumps({"type": "cancel"}))
            await until(lambda: not app.state.worker.scheduler.queued_requests)
            engine.open()
        await asyncio.sleep(0)
        told = await read(port)
    assert told['voicebot_worker_requests_total{ended="busy"}'] == 1
    assert told['voicebot_worker_requests_total{ended="cancelled"}'] == 1


def test_each_has_a_registry_of_its_own() -> None:
    one, other = Telemetry(), Telemetry()
    one.ended("complete")
    assert b'ended="complete"' not in other.exposition()
