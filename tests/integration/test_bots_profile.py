"""`--profile bots`, the example, really starts, and its numbers find its bots."""

from pathlib import Path

import aiohttp
import pytest

from gateway.commands.stack import Stack, free_port

OFFLINE = ("stt.engine=energy", "worker.engine=tone", "log.format=json")


@pytest.mark.timeout(120)
async def test_the_example_starts_and_its_bots_answer_their_own_calls(tmp_path: Path) -> None:
    port, worker_port = free_port(), free_port()
    settings = ["--profile", "bots"]
    for override in (f"server.port={port}", f"worker.port={worker_port}", f"tts.url=ws://127.0.0.1:{worker_port}"):
        settings += ["--set", override]
    for override in OFFLINE:
        settings += ["--set", override]
    commands = {"worker": ["tts_worker", *settings], "gateway": ["gateway", "serve", *settings]}
    base = f"http://127.0.0.1:{port}"
    async with Stack(commands, base, tmp_path), aiohttp.ClientSession() as http:

        async def ring(call_id: str, called: str) -> str:
            form = {"CallSid": call_id, "From": "+6281100000", "To": called}
            async with http.post(f"{base}/twilio/voice", data=form) as answer:
                return await answer.text()

        booking = [await ring(f"CA{number}", "0215550100") for number in range(3)]
        assert ["<Reject" in document for document in booking] == [False, False, True]  # max_calls = 2
        assert "<Reject" not in await ring("CA9", "+15550100009")
        async with http.post(f"{base}/calls", json={"to": "+15550100", "from": "+15550101", "bot": "nobody"}) as answer:
            assert answer.status == 400
            assert "default, booking" in (await answer.json())["message"]
