"""llama.cpp's server as a process of its own, with the real model of the offline profile."""

import asyncio
import json
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator

import pytest

from config.models import ModelStore
from gateway.commands.stack import free_port
from gateway.llm.llama_server import MODEL_ALIAS
from tests.rig.waiting import until

pytestmark = pytest.mark.models


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    port = free_port()
    model = str(ModelStore().locate("smollm2"))
    process = subprocess.Popen([sys.executable, "-m", "gateway.llm.llama_server", model, "--port", str(port)])
    yield process, f"http://127.0.0.1:{port}"
    process.kill()
    process.wait()


def fetch(url: str, body: object = None) -> dict[str, object]:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        parsed: dict[str, object] = json.load(answer)
        return parsed


async def test_it_answers_in_openais_dialect_and_ends_when_told(server: tuple[subprocess.Popen[bytes], str]) -> None:
    process, url = server

    def listed() -> bool:
        try:
            return MODEL_ALIAS in json.dumps(fetch(f"{url}/v1/models"))
        except OSError:
            return False

    await until(listed, 60.0, every_s=0.2)
    question = {"model": MODEL_ALIAS, "messages": [{"role": "user", "content": "Say hello."}], "max_tokens": 8}
    assert "choices" in await asyncio.to_thread(fetch, f"{url}/v1/chat/completions", question)
    process.send_signal(signal.SIGTERM)
    assert await asyncio.to_thread(process.wait, 20) == 0
