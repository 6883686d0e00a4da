"""What the image asks of its own process: the commands of HEALTHCHECK, run against real ones."""

import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from aiohttp import web

from tests.rig.worker import running_worker

DOCKERFILE = (Path(__file__).parents[1] / "Dockerfile").read_text("utf-8")


def health_command(stage: str) -> list[str]:
    """The exec form of the stage's HEALTHCHECK, with this interpreter."""
    (section,) = re.findall(rf"^FROM \S+ AS {stage}$(.*?)(?=^FROM|\Z)", DOCKERFILE, re.MULTILINE | re.DOTALL)
    (command,) = re.findall(r"^HEALTHCHECK .*?CMD (\[.*\])$", section, re.MULTILINE)
    python, *rest = json.loads(command)
    assert python == "python"
    return [sys.executable, *rest]


def healthy(command: list[str], **env: str) -> bool:
    return subprocess.run(command, env={**os.environ, **env}, stderr=subprocess.DEVNULL, timeout=60).returncode == 0


def test_a_workers_container_is_healthy_while_its_ping_says_so() -> None:
    command = health_command("worker")
    with running_worker() as worker:
        port = str(worker.port)
        assert healthy(command, VOICEBOT_WORKER__PORT=port)
    assert not healthy(command, VOICEBOT_WORKER__PORT=port)


async def test_an_answer_of_503_is_not_healthy() -> None:
    async def ping(_: web.Request) -> web.Response:
        return web.Response(status=503)

    app = web.Application()
    app.router.add_get("/ping", ping)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = str(runner.addresses[0][1])
    try:
        assert not await asyncio.to_thread(healthy, health_command("worker"), VOICEBOT_WORKER__PORT=port)
    finally:
        await runner.cleanup()
