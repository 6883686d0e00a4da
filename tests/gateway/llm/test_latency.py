"""What the clients themselves add, against emulators on loopback: no network is in it, and it judges nothing."""

import asyncio
import statistics
import time
from collections.abc import Callable
from contextlib import aclosing

import pytest

from gateway.llm.base import LanguageModel
from gateway.llm.bedrock import BedrockEndpoint, BedrockModel
from gateway.llm.openai_compatible import ChatServer, OpenAiCompatibleModel
from tests.gateway.llm.asking import QUESTION, dummy_session, eventually
from tests.rig.bedrock import Script, bedrock_in_thread
from tests.rig.openai import ChatEmulator, ChatScript, chunk

pytestmark = pytest.mark.bench

TURNS = 200
WORDS = tuple(f"word{n} " for n in range(50))


def report(what: str, took_s: list[float]) -> None:
    centiles = statistics.quantiles(took_s, n=100)
    print(f"{what}: p50 {1e3 * centiles[49]:.2f} ms, p99 {1e3 * centiles[98]:.2f} ms, n {len(took_s)}")


async def measure(
    what: str, model: LanguageModel, first_s: Callable[[], float | None], gone_s: Callable[[], float | None]
) -> None:
    """First delta written to TextDelta delivered, and generator closed to the server's view of it."""
    delivered: list[float] = []
    disconnected: list[float] = []
    for _ in range(TURNS):
        async with aclosing(model.stream(QUESTION, "Be brief.")) as reply:
            await anext(reply)
            delivered.append(time.perf_counter() - (first_s() or 0.0))
            await asyncio.sleep(0.01)
            closing_s = time.perf_counter()
        await eventually(lambda: gone_s() is not None)
        disconnected.append((gone_s() or 0.0) - closing_s)
    report(f"{what}, first delta to the loop", delivered)
    report(f"{what}, close to disconnect", disconnected)


async def test_bedrock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_BEARER_TOKEN_BEDROCK", raising=False)
    with bedrock_in_thread([Script(WORDS, gap_s=0.02)]) as emulator:
        model = BedrockModel("m", BedrockEndpoint("us-east-1", emulator.url), session=dummy_session())
        await model.ready()
        seen = emulator.seen
        await measure("bedrock", model, lambda: seen[-1].first_delta_s, lambda: seen[-1].disconnected_s)
        await model.close()


async def test_openai_compatible() -> None:
    async with ChatEmulator([ChatScript([chunk({"content": w}) for w in WORDS], gap_s=0.02)]) as emulator:
        model = OpenAiCompatibleModel(ChatServer(emulator.url, "m"))
        seen = emulator.seen
        await measure("openai", model, lambda: seen[-1].first_chunk_s, lambda: seen[-1].disconnected_s)
        await model.close()
