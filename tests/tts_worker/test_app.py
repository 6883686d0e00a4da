"""The worker's application: readiness, admission, and what it needs to be imported."""

import subprocess
import sys

import aiohttp
import pytest

from config.errors import ConfigError
from tests.rig.worker import serving
from tests.tts_worker.gated import GatedEngine
from tts_worker.app import build_app
from tts_worker.request import Delivery
from tts_worker.tone import ToneEngine


async def ping(port: int) -> tuple[int, dict[str, object]]:
    async with aiohttp.ClientSession() as http, http.get(f"http://127.0.0.1:{port}/ping") as answer:
        return answer.status, await answer.json()


async def test_ping_says_loading_until_the_engine_is_warm_then_ok_then_draining() -> None:
    engine = GatedEngine(is_slow_to_warm=True)
    app = build_app(engine)
    async with serving(app, warm=False) as port:
        assert await ping(port) == (503, {"status": "loading", "engine": "tone", "sessions": 0, "free": 0})
        engine.open()
        await app.state.worker.scheduler.warmed_up
        assert await ping(port) == (200, {"status": "ok", "engine": "tone", "sessions": 0, "free": 64})
        await app.state.worker.drain(1.0)
        assert await ping(port) == (503, {"status": "draining", "engine": "tone", "sessions": 0, "free": 0})


async def test_a_request_to_an_engine_that_cannot_start_is_refused() -> None:
    class Broken(ToneEngine):
        def warm_up(self) -> None:
            raise OSError("no such file")

    app = build_app(Broken())
    async with serving(app, warm=False) as port, aiohttp.ClientSession() as http:
        async with http.post(f"http://127.0.0.1:{port}/invocations", json={"text": "Hi"}) as answer:
            assert answer.status == 503
            assert (await answer.json())["error"] == "busy"
        assert (await ping(port))[0] == 503


def test_defaults_the_engine_does_not_have_stop_the_start() -> None:
    with pytest.raises(ConfigError, match="nobody"):
        build_app(ToneEngine(), defaults=Delivery(voice="nobody"))
    with pytest.raises(ConfigError, match="tlh"):
        build_app(ToneEngine(), defaults=Delivery(language="tlh"))


def test_an_engine_without_the_usual_voice_speaks_with_its_first() -> None:
    class Japanese(ToneEngine):
        voices = frozenset({"jf_beta", "jf_alpha"})

    assert build_app(Japanese()).state.worker.defaults.voice == "jf_alpha"


def test_importing_the_application_loads_no_model_library() -> None:
    program = "import sys, tts_worker.app; print({'torch', 'onnxruntime', 'misaki', 'spacy'} & set(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert shown.stdout.strip() == "set()"
