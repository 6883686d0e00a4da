"""The console's HTTP, on a real gateway with small working parts, over loopback."""

import asyncio
import json
import re
from html.parser import HTMLParser

import aiohttp
import pytest

from tests.gateway.console.served import ADMIN, console, open_stream, reserve

PAGES = ["/", "/softphone"]
# A greeting of two characters takes 0.12 s to speak; the bounds are those of a loaded machine.
PATIENCE_S = 10.0


class Markup(HTMLParser):
    """What a page runs and loads."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.inline: list[str] = []
        self._in_script = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self._in_script = tag in ("script", "style")
        if tag in ("script", "link", "img"):
            self.loaded.append(given.get("src") or given.get("href") or "")
        self.inline += [name for name in given if name.startswith("on") or name == "style"]

    def handle_data(self, data: str) -> None:
        if self._in_script and data.strip():
            self.inline.append(data)

    def handle_endtag(self, tag: str) -> None:
        self._in_script = False


@pytest.mark.parametrize("path", PAGES)
async def test_a_page_is_served_to_everybody_under_a_strict_policy(path: str) -> None:
    async with console() as (client, _), client.get(path) as response:
        assert (response.status, response.content_type, response.charset) == (200, "text/html", "utf-8")
        policy = response.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert response.headers["Referrer-Policy"] == "no-referrer"
        assert response.headers["Permissions-Policy"].startswith("microphone=(self)")


@pytest.mark.parametrize("path", PAGES)
async def test_a_page_runs_nothing_inline_and_loads_only_what_we_serve(path: str) -> None:
    async with console() as (client, _):
        async with client.get(path) as response:
            page = Markup(await response.text())
        assert page.inline == []
        loaded = [url for url in page.loaded if url != "data:,"]
        assert len(loaded) == 2
        for url in loaded:
            assert url.startswith("/console/")
            async with client.get(url) as response:
                assert response.status == 200


async def test_every_module_is_served_with_what_it_imports() -> None:
    async with console() as (client, _):
        wanted, seen = ["console.js", "softphone.js", "worklets.js"], set()
        while wanted:
            name = wanted.pop()
            seen.add(name)
            async with client.get(f"/console/{name}") as response:
                assert (response.status, response.content_type) == (200, "text/javascript"), name
                assert "Content-Security-Policy" in response.headers
                source = await response.text()
            wanted += [found for found in re.findall(r'from "\./([\w.]+)"', source) if found not in seen]
            assert "http://" not in source
        assert len(seen) > 10


async def test_styles_are_served_as_styles() -> None:
    async with console() as (client, _), client.get("/console/style.css") as response:
        assert (response.status, response.content_type) == (200, "text/css")


@pytest.mark.parametrize(
    "path",
    [
        "/console/none.js",
        "/console/package.json",
        "/console/..%2Froutes.py",
        "/softphone/callers/none.wav",
        "/softphone/callers/manifest.json",
        "/softphone/callers/..%2Fmanifest.json",
    ],
)
async def test_nothing_else_is_served(path: str) -> None:
    async with console() as (client, _), client.get(path) as response:
        assert response.status == 404


@pytest.mark.parametrize("insecure", [True, False])
async def test_the_status_says_what_the_operator_must_know(insecure: bool) -> None:
    async with console(insecure) as (client, gateway):
        async with client.get("/console/status") as response:
            assert await response.json() == {"insecure_dev": insecure, "draining": False}
            assert response.headers["Cache-Control"] == "no-store"
        await gateway.calls.drain(0.0)
        async with client.get("/console/status") as response:
            assert (await response.json())["draining"] is True


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "admin"}])
async def test_a_call_needs_the_admin_token(headers: dict[str, str]) -> None:
    async with console() as (client, gateway), client.post("/softphone/call", headers=headers) as response:
        assert response.status == 401
        assert (await response.json())["error"] == "no_admin_token"
        assert gateway.calls.has_room


async def test_insecure_dev_needs_none() -> None:
    async with console(insecure=True) as (client, _), client.post("/softphone/call") as response:
        assert response.status == 200


async def test_a_reserved_call_has_an_id_a_token_and_a_stream_by_the_public_address() -> None:
    async with console(public_url="https://bot.example.com") as (client, _):
        status, first = await reserve(client)
        _, second = await reserve(client)
        assert status == 200
        assert first["stream_url"] == "wss://bot.example.com/softphone/stream"
        assert first["call_id"] != second["call_id"]
        assert first["token"] != second["token"]


async def test_without_room_a_call_is_refused_with_the_reason() -> None:
    async with console(max_calls=1) as (client, gateway):
        assert (await reserve(client))[0] == 200
        status, body = await reserve(client)
        assert (status, body["error"]) == (503, "at_capacity")
        await gateway.calls.drain(0.0)
        status, body = await reserve(client)
        assert (status, body["error"]) == (503, "draining")


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
async def test_another_sites_page_cannot_place_calls(site: str) -> None:
    async with console(insecure=True, max_calls=1) as (client, gateway):
        status, body = await reserve(client, **{"Sec-Fetch-Site": site})
        assert (status, body["error"]) == (403, "cross_site")
        assert gateway.calls.has_room
        assert (await reserve(client, **{"Sec-Fetch-Site": "same-origin"}))[0] == 200


async def test_a_gateway_without_the_softphone_says_so() -> None:
    async with console(softphone=False) as (client, _):
        status, body = await reserve(client)
        assert (status, body["error"]) == (404, "unknown_platform")


async def test_the_token_opens_the_stream_once_and_the_bot_speaks() -> None:
    async with console() as (client, gateway):
        _, call = await reserve(client)
        async with asyncio.timeout(PATIENCE_S), await open_stream(client, call["call_id"], call["token"]) as ws:
            first = json.loads(await ws.receive_str())
            assert (first["event"], first["streamSid"]) == ("media", "stream-1")
            assert [record.call_id for record in gateway.calls.records()] == [call["call_id"]]
            async with client.get("/calls", headers=ADMIN) as response:
                assert [record["platform"] for record in await response.json()] == ["softphone"]
            async with await open_stream(client, call["call_id"], call["token"]) as again:
                assert (await again.receive()).type is aiohttp.WSMsgType.CLOSE
                assert again.close_code == 1008


@pytest.mark.parametrize("token", ["", "guessed"])
async def test_a_stream_without_the_token_is_closed(token: str) -> None:
    async with console() as (client, gateway):
        _, call = await reserve(client)
        async with asyncio.timeout(PATIENCE_S), await open_stream(client, call["call_id"], token) as ws:
            assert (await ws.receive()).type is aiohttp.WSMsgType.CLOSE
        assert gateway.calls.records() == []


async def test_a_softphone_token_opens_no_other_platforms_stream() -> None:
    async with console() as (client, _):
        _, call = await reserve(client)
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await open_stream(client, call["call_id"], call["token"], platform="twilio")
        assert refused.value.status == 403


@pytest.mark.parametrize("path", ["/softphone/voice", "/softphone/status"])
async def test_the_softphone_has_no_webhooks(path: str) -> None:
    async with console() as (client, _), client.post(path, data={"CallSid": "softphone-1"}) as response:
        assert response.status == 403


async def test_the_bundled_callers_can_be_heard() -> None:
    async with console() as (client, _):
        async with client.get("/softphone/callers") as response:
            callers = await response.json()
        assert callers[0] == {"file": "hours.wav", "text": "Hello. What time do you open on Monday?"}
        for caller in callers:
            async with client.get(f"/softphone/callers/{caller['file']}") as response:
                assert (response.status, response.content_type) == (200, "audio/wav")
                assert (await response.read()).startswith(b"RIFF")


async def test_the_softphone_asks_for_any_bot_by_its_name() -> None:
    async with console() as (client, gateway):

        async def call(query: str) -> tuple[int, str]:
            async with client.post(f"/softphone/call{query}", headers=ADMIN) as response:
                body = await response.json()
                return response.status, body.get("error") or body["token"]

        status, token = await call("?bot=billing")
        assert status == 200
        assert await call("?bot=billing") == (503, "bot_at_capacity")
        assert await call("?bot=nobody") == (400, "unknown_bot")
        (held,) = gateway.calls._reserved.values()
        assert (held.bot, held.token) == ("billing", token)
