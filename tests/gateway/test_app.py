"""From settings to parts: each choice makes its part, and what cannot be built is the operator's to mend."""

import asyncio
import logging
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
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


@asynccontextmanager
async def listening(*more: str) -> AsyncIterator[tuple[str, int]]:
    """The whole application on a free port: host and port."""
    async with aiohttp.ClientSession() as http:
        settings = load("loadtest", None, more, {})
        gateway = build_gateway(settings, http)
        runner = build_runner(gateway, settings)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            yield runner.addresses[0][:2]
        finally:
            await gateway.stop(0.0)
            await runner.cleanup()


async def test_a_peer_that_dribbles_the_head_of_its_request_is_closed() -> None:
    """Each byte comes in time; the head as a whole does not."""
    async with listening("server.keep_alive_s=0.4") as address:
        reader, writer = await asyncio.open_connection(*address)
        writer.write(b"GET /twilio/stream HTTP/1.1\r\nHost: bot.example.test\r\n")
        closed = asyncio.create_task(reader.read())
        for number in range(50):
            writer.write(f"X-{number}: 1\r\n".encode())
            if (await asyncio.wait({closed}, timeout=0.1))[0]:
                break
        assert closed.done()
        writer.close()


async def test_a_packed_body_is_not_unpacked() -> None:
    """Sixty kilobytes could become sixty megabytes, before anybody has asked who sent them."""
    packed = zlib.compress(b"CallSid=CA1&" + b"x" * 1_000_000)
    assert len(packed) < 2_000
    headers = {"Content-Encoding": "deflate", "Content-Type": "application/x-www-form-urlencoded"}
    async with listening() as (host, port), aiohttp.ClientSession() as http:
        url = f"http://{host}:{port}/twilio/voice"
        async with http.post(url, data=packed, headers=headers) as response:
            assert (response.status, (await response.json())["error"]) == (400, "bad_form")


async def test_a_request_that_is_no_http_is_one_line_without_its_words(caplog: pytest.LogCaptureFixture) -> None:
    async with listening() as address:
        reader, writer = await asyncio.open_connection(*address)
        writer.write(b"GET /vonage/voice?from=15550100001&name=Jos\xe9 HTTP/1.1\r\n\r\n")
        assert b" 400 " in await reader.readline()
        writer.close()
    (record,) = caplog.records
    assert (record.getMessage(), record.levelno) == ("unreadable_request: InvalidURLError", logging.WARNING)
    assert "15550100001" not in caplog.text


async def test_a_peer_that_leaves_in_the_middle_of_a_body_is_no_fault_of_ours(caplog: pytest.LogCaptureFixture) -> None:
    async with listening() as address:
        _, writer = await asyncio.open_connection(*address)
        writer.write(b"POST /twilio/voice HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nFrom=")
        await asyncio.sleep(0.1)
        writer.close()
        await asyncio.sleep(0.1)
    assert not caplog.records
