"""HTTP tools against a real server on loopback: what is sent, and every way in which an answer can go wrong."""

import asyncio
import gzip
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.commands.stack import free_port
from gateway.errors import ToolError
from gateway.llm.base import Tool
from gateway.tools.http import MAX_REASON_BYTES, HttpRequest, HttpTool, addressed

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
ANY = {"type": "object"}


@asynccontextmanager
async def host(handler: Handler) -> AsyncIterator[str]:
    """The tool's server; yields its address."""
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handler)
    server = TestServer(app)
    await server.start_server()
    try:
        yield str(server.make_url("")).rstrip("/")
    finally:
        await server.close()


async def run(
    url: str, arguments: dict[str, Any] | None = None, method: str = "GET", bound: int = 2000, x_api_key: str = ""
) -> str:
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as http:
        tool = HttpTool(Tool("t", "d", ANY), HttpRequest(method, url, {"X-Api-Key": x_api_key}, bound), http, 5.0)
        assert tool.faults(arguments or {}) == ""
        return await tool.run(arguments or {})


async def refused(handler: Handler) -> ToolError:
    async with host(handler) as url:
        with pytest.raises(ToolError) as error:
            await run(url)
    return error.value


async def echo(request: web.Request) -> web.Response:
    body = await request.text()
    return web.Response(text=f"{request.method} {request.raw_path} {body}")


async def test_arguments_fill_the_address_and_the_rest_is_the_query() -> None:
    async with host(echo) as url:
        arguments = {"number": "12/3?x=1#y", "day": "à demain", "tags": ["a", "b"], "open": True, "none": None}
        assert await run(f"{url}/orders/{{number}}", arguments) == (
            "GET /orders/12%2F3%3Fx%3D1%23y?day=%C3%A0+demain&tags=a&tags=b&open=true "
        )


async def test_arguments_of_a_post_are_its_json() -> None:
    async with host(echo) as url:
        answer = await run(f"{url}/orders/{{number}}/notes", {"number": 7, "text": "late"}, "POST")
        assert answer == 'POST /orders/7/notes {"text": "late"}'


async def test_an_argument_may_stand_in_the_query_too() -> None:
    async with host(echo) as url:
        assert (
            await run(f"{url}/find?q={{the words}}&n=5", {"the words": "a&b", "m": 6}) == "GET /find?q=a%26b&n=5&m=6 "
        )


_JSON = st.recursive(st.none() | st.booleans() | st.floats() | st.integers() | st.text(), st.lists, max_leaves=5)


@given(st.dictionaries(st.sampled_from(["number", "day", "\ud800"]), _JSON | st.text(st.characters())))
@settings(deadline=None)  # a busy machine is no fault
def test_no_argument_can_change_whom_or_what_is_asked(arguments: dict[str, Any]) -> None:
    for method in ("GET", "POST"):
        address, body = addressed(HttpRequest(method, "https://api.example.com/orders/{number}/notes"), arguments)
        assert (address.scheme, address.host, address.port, address.fragment) == ("https", "api.example.com", 443, "")
        first, orders, _, notes = address.raw_path.split("/")
        assert (first, orders, notes) == ("", "orders", "notes")
        assert (body is None) == (method == "GET")


@pytest.mark.parametrize("value", ["", " ", ".", ".."])
async def test_an_argument_cannot_climb_out_of_its_place(value: str) -> None:
    async with aiohttp.ClientSession() as http:
        request = HttpRequest("GET", "http://127.0.0.1:1/orders/{number}/notes")
        tool = HttpTool(Tool("t", "d", ANY), request, http, 5.0)
        assert tool.faults({"number": value}).startswith("number: must not be")


async def test_the_secret_goes_out_in_its_header() -> None:
    async def tells(request: web.Request) -> web.Response:
        return web.Response(text=request.headers["X-Api-Key"])

    async with host(tells) as url:
        assert await run(url, x_api_key="s3cret") == "s3cret"


def test_the_secret_is_in_no_repr() -> None:
    assert "s3cret" not in repr(HttpRequest("GET", "http://h", {"X-Api-Key": "s3cret"}))


async def test_cookies_of_one_answer_are_not_sent_with_the_next_request() -> None:
    seen: list[str] = []

    async def sets(request: web.Request) -> web.Response:
        seen.append(request.headers.get("Cookie", ""))
        response = web.Response(text="ok")
        response.set_cookie("caller", "one")
        return response

    async with host(sets) as url, aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as http:
        tool = HttpTool(Tool("t", "d", ANY), HttpRequest("GET", url), http, 5.0)
        await tool.run({})
        await tool.run({})
    assert seen == ["", ""]


async def test_an_answer_beyond_the_bound_is_cut_and_says_so() -> None:
    written = 0

    async def huge(request: web.Request) -> web.StreamResponse:
        nonlocal written
        response = web.StreamResponse()
        await response.prepare(request)
        for _ in range(2000):
            await response.write(b"x" * 65_536)
            written += 65_536
        return response

    async with host(huge) as url:
        answer = await run(url, bound=1000)
    assert answer == "x" * 1000 + "\n(The rest of the answer was cut off.)"
    assert written < 60_000_000  # the rest is not even read


async def test_an_answer_of_exactly_the_bound_is_whole() -> None:
    async with host(says("y" * 1000)) as url:
        assert await run(url, bound=1000) == "y" * 1000


def says(text: str, status: int = 200) -> Handler:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(text=text, status=status)

    return answer


@pytest.mark.parametrize(
    ("status", "code"), [(400, "http_4xx"), (404, "http_4xx"), (500, "http_5xx"), (503, "http_5xx")]
)
async def test_a_refusal_tells_the_model_why_within_bounds(status: int, code: str) -> None:
    error = await refused(says("that day is full " * 1000, status))
    assert (error.code, error.retryable) == (code, False)
    assert f"answered {status}: that day is full" in error.detail
    assert len(error.detail) < MAX_REASON_BYTES + 50


async def test_a_redirect_is_not_followed() -> None:
    asked: list[str] = []

    async def moved(request: web.Request) -> web.Response:
        asked.append(request.path)
        raise web.HTTPFound("/elsewhere")

    assert (await refused(moved)).code == "redirected"
    assert asked == ["/"]


async def test_a_compressed_answer_is_not_unpacked() -> None:
    bomb = gzip.compress(bytes(50_000_000))

    async def packed(_: web.Request) -> web.Response:
        return web.Response(body=bomb, headers={"Content-Encoding": "gzip"})

    assert (await refused(packed)).code == "not_text"


async def test_bytes_that_are_no_text_are_refused() -> None:
    async def picture(_: web.Request) -> web.Response:
        return web.Response(body=b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", content_type="image/png")

    assert (await refused(picture)).code == "not_text"


@pytest.mark.parametrize("charset", ["utf-8", "latin-1", "klingon", "undefined", "idna", "punycode"])
async def test_text_in_any_charset_is_read(charset: str) -> None:
    async def speaks(_: web.Request) -> web.Response:
        return web.Response(body=b"caf\xe9 noir", headers={"Content-Type": f"text/plain; charset={charset}"})

    async with host(speaks) as url:
        assert (await run(url)).endswith("noir")


async def test_a_server_that_closes_early_has_failed() -> None:
    async def leaves(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "100"})
        await response.prepare(request)
        await response.write(b"half of ")
        assert request.transport is not None
        request.transport.close()
        return response

    error = await refused(leaves)
    assert (error.code, error.retryable) == ("broken_answer", False)


async def test_a_server_that_talks_nonsense_has_failed() -> None:
    async def nonsense(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 smtp.example.com ESMTP\r\n" * 3)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(nonsense, "127.0.0.1", 0)
    async with server:
        with pytest.raises(ToolError) as error:
            await run(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    assert error.value.code == "broken_answer"


async def test_a_server_that_is_away_surely_did_nothing() -> None:
    with pytest.raises(ToolError) as error:
        await run(f"http://127.0.0.1:{free_port()}", method="POST")
    assert (error.value.code, error.value.retryable) == ("unreachable", True)


async def test_cancelling_a_run_closes_its_connection_at_once() -> None:
    came, gone = asyncio.Event(), asyncio.Event()

    async def slow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        came.set()
        await reader.read()
        gone.set()
        writer.close()

    server = await asyncio.start_server(slow, "127.0.0.1", 0)
    async with server, asyncio.timeout(5.0):
        running = asyncio.create_task(run(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"))
        await came.wait()
        before_s = time.monotonic()
        running.cancel()
        await gone.wait()
        assert time.monotonic() - before_s < 2.0
        assert running.cancelled()


@pytest.mark.parametrize(("method", "lasting"), [("GET", False), ("POST", True), ("PUT", True), ("DELETE", True)])
async def test_all_but_a_get_change_something(method: str, lasting: bool) -> None:
    async with aiohttp.ClientSession() as http:
        tool = HttpTool(Tool("t", "d", ANY), HttpRequest(method, "http://h"), http, 5.0)
        assert (tool.lasting, tool.parting) == (lasting, False)
        await tool.its_moment()
