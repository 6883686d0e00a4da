"""From settings to parts: each choice makes its part, and what cannot be built is the operator's to mend."""

import asyncio
from pathlib import Path

import aiohttp

from config.sources import load
from gateway.app import build_app, build_bot, build_gateway


def loadtest(*settings: str):  # type: ignore[no-untyped-def]  # Settings, which only entry points may name
    return load("loadtest", None, list(settings))


async def test_the_loadtest_profile_becomes_a_gateway_with_its_routes(tmp_path: Path) -> None:
    settings = loadtest(f"recording.dir={tmp_path}")
    async with aiohttp.ClientSession() as http:
        gateway = build_gateway(settings, http)
        paths = {resource.canonical for resource in build_app(gateway, settings).router.resources()}
        assert {"/healthz", "/readyz", "/metrics", "/calls", "/{platform}/voice", "/{platform}/stream"} <= paths
        assert gateway.insecure
        assert gateway._recordings is not None
        await gateway.stop(0.0)


async def test_the_bot_is_what_was_configured() -> None:
    bot = build_bot(loadtest("bot.greeting=Hi.", "turn.barge_in_ms=300"))
    assert (bot.script.greeting, bot.timing.barge_in_ms) == ("Hi.", 300)


async def test_building_leaves_nothing_running() -> None:
    async with aiohttp.ClientSession() as http:
        gateway = build_gateway(loadtest(), http)
        await gateway.stop(0.0)
    assert asyncio.all_tasks() == {asyncio.current_task()}
