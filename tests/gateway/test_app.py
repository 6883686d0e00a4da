"""From settings to parts: each choice makes its part, and what cannot be built is the operator's to mend."""

import asyncio
from pathlib import Path

import aiohttp
from aiohttp import web

from config.sources import load
from gateway.app import build_app, build_gateway, build_runner


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


async def test_building_leaves_nothing_running() -> None:
    async with aiohttp.ClientSession() as http:
        gateway = build_gateway(loadtest(), http)
        await gateway.stop(0.0)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_peer_that_dribbles_the_head_of_its_request_is_closed() -> None:
    """Each byte comes in time; the head as a whole does not."""
    async with aiohttp.ClientSession() as http:
        settings = load("loadtest", None, ("server.keep_alive_s=0.4",), {})
        gateway = build_gateway(settings, http)
        runner = build_runner(gateway, settings)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            reader, writer = await asyncio.open_connection(*runner.addresses[0][:2])
            writer.write(b"GET /twilio/stream HTTP/1.1\r\nHost: bot.example.test\r\n")
            closed = asyncio.create_task(reader.read())
            for number in range(50):
                writer.write(f"X-{number}: 1\r\n".encode())
                if (await asyncio.wait({closed}, timeout=0.1))[0]:
                    break
            assert closed.done()
            writer.close()
        finally:
            await gateway.stop(0.0)
            await runner.cleanup()
