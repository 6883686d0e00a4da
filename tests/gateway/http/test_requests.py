"""Requests as they were signed, and from where they came."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestServer, make_mocked_request

from gateway.errors import Refused
from gateway.http.requests import MAX_WEBHOOK_BYTES, RequestReader, is_within, networks

PUBLIC = "https://bot.example.test"


def asked(headers: dict[str, str] | None = None, remote: str = "10.0.0.5", path: str = "/twilio/voice?a=%2B1") -> Any:
    class Transport:
        def get_extra_info(self, name: str, default: Any = None) -> Any:
            return (remote, 1234) if name == "peername" else default

    transport: Any = Transport()
    return make_mocked_request("GET", path, headers={"Host": "evil.test", **(headers or {})}, transport=transport)


def test_the_base_is_the_configured_one_whatever_the_host_header_says() -> None:
    assert RequestReader(PUBLIC + "/").base(asked()) == PUBLIC
    assert RequestReader("").base(asked()) == "http://evil.test"


def test_a_host_header_that_is_no_host_is_refused_where_it_counts() -> None:
    broken = asked({"Host": "[::1"})
    assert RequestReader(PUBLIC).base(broken) == PUBLIC
    for read in (RequestReader("").base, RequestReader("").upgrade):
        with pytest.raises(Refused) as refused:
            read(broken)
        assert (refused.value.code, refused.value.http_status) == ("bad_host", 400)


@pytest.mark.parametrize(("public", "url"), [(PUBLIC, "wss://bot.example.test"), ("http://h:1", "ws://h:1")])
def test_the_upgrade_is_the_socket_address_of_the_answer_document(public: str, url: str) -> None:
    upgrade = RequestReader(public).upgrade(asked({"X-Twilio-Signature": "s"}))
    assert upgrade.url == f"{url}/twilio/voice?a=%2B1"
    assert (upgrade.method, upgrade.headers["x-twilio-signature"]) == ("GET", "s")


@pytest.mark.parametrize(
    ("remote", "forwarded", "source"),
    [
        ("203.0.113.9", "198.51.100.1", "203.0.113.9"),  # no proxy of ours: the header is a claim
        ("10.0.0.5", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.5", "1.1.1.1, 198.51.100.1, 10.9.9.9", "198.51.100.1"),
        ("10.0.0.5", "", ""),
        ("10.0.0.5", None, "10.0.0.5"),
        ("10.0.0.5", "unknown", "unknown"),
    ],
)
def test_the_source_is_the_last_address_that_no_proxy_of_ours_has_written(
    remote: str, forwarded: str | None, source: str
) -> None:
    headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}
    assert RequestReader(PUBLIC, ["10.0.0.0/8"]).source(asked(headers, remote)) == source


def test_networks_are_checked_when_they_are_configured() -> None:
    with pytest.raises(ValueError, match="everywhere"):
        networks(["everywhere"])
    assert is_within("10.1.2.3", networks(["10.0.0.0/8"]))
    assert is_within("::1", networks(["::1"]))
    assert not is_within("11.1.2.3", networks(["10.0.0.0/8"]))
    assert not is_within("somewhere", networks(["0.0.0.0/0"]))


@asynccontextmanager
async def reading() -> AsyncIterator[str]:
    """A server that tells what it read."""

    async def voice(request: web.Request) -> web.Response:
        try:
            read = await RequestReader(PUBLIC, body_timeout_s=0.1).webhook(request)
        except Refused as refused:
            return web.json_response({"code": refused.code}, status=refused.http_status)
        return web.json_response({"url": read.url, "form": read.form, "body": read.body.decode("latin-1")})

    app = web.Application(client_max_size=MAX_WEBHOOK_BYTES)
    app.router.add_route("*", "/{platform}/voice", voice)
    async with TestServer(app) as server:
        yield str(server.make_url("/twilio/voice"))


async def test_a_form_is_read_with_its_body_and_the_query_as_it_was_sent() -> None:
    async with reading() as url, ClientSession() as http:
        body = "From=%2B1555&Tag=b&Tag=a"
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        async with http.post(f"{url}?x=1", data=body, headers=headers) as response:
            read = await response.json()
    assert read == {
        "url": f"{PUBLIC}/twilio/voice?x=1",
        "form": [["From", "+1555"], ["Tag", "b"], ["Tag", "a"]],
        "body": body,
    }


async def test_a_json_body_is_kept_byte_for_byte() -> None:
    headers = {"Content-Type": "application/json"}
    async with (
        reading() as url,
        ClientSession() as http,
        http.post(url, data=b'{"a": 1 }', headers=headers) as response,
    ):
        read = json.loads(await response.text())
    assert (read["form"], read["body"]) == ([], '{"a": 1 }')


async def test_a_body_that_is_too_long_is_refused() -> None:
    async with (
        reading() as url,
        ClientSession() as http,
        http.post(url, data=b"x" * (MAX_WEBHOOK_BYTES + 1)) as response,
    ):
        assert response.status == 413


async def test_a_body_that_dribbles_is_refused() -> None:
    async def dribble() -> AsyncIterator[bytes]:
        yield b"From="
        await asyncio.sleep(0.5)

    async with reading() as url, ClientSession() as http, http.post(url, data=dribble()) as response:
        assert response.status == 408
