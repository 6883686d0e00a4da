"""What platforms ask of us over HTTP that is not Twilio's way: GET webhooks, tokens in paths, documents to fetch."""

import json
from base64 import b64encode
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import structlog
from aiohttp import ClientSession, WSServerHandshakeError

from gateway.errors import Refused
from gateway.platform_routes import Sources
from gateway.platforms import twiml
from gateway.platforms.control import OutboundCall
from gateway.platforms.shelf import Shelf
from gateway.simulator.twilio import read_answer, sign
from tests.conformance.served import ADMIN_TOKEN, SECRETS, serving

BASIC = {"Authorization": "Basic " + b64encode(SECRETS["exotel"].encode()).decode()}
ASKED = {"CallSid": "CA01", "CallFrom": "+15550100001", "CallTo": "+15550100002"}


async def test_a_webhook_may_be_a_get() -> None:
    async with serving() as (gateway, target), ClientSession() as http:
        async with http.get(f"{target.url}/exotel/voice", params=ASKED, headers=BASIC) as response:
            assert response.status == 200
            query = parse_qs(urlsplit(json.loads(await response.text())["url"]).query)
        assert gateway.calls.holds("exotel", query["token"][0])
        assert not gateway.calls.holds("twilio", query["token"][0])


@pytest.mark.parametrize("token", ["unknown", "0" * 32, "%F0%9F%98%80"])
async def test_f29_an_unknown_token_is_refused_before_the_upgrade_and_never_logged(token: str) -> None:
    async with serving() as (_, target), ClientSession() as http:
        with structlog.testing.capture_logs() as logs:
            with pytest.raises(WSServerHandshakeError) as refused:
                await http.ws_connect(f"{target.url}/exotel/stream/{token}", headers=BASIC)
            assert refused.value.status == 403
        (line,) = (line for line in logs if line["event"] == "request_refused")
        assert line["route"] == "/{platform}/stream/{token}"
        assert token not in json.dumps(logs)


async def test_a_document_is_fetched_by_its_key_for_a_while() -> None:
    async with serving() as (gateway, target), ClientSession() as http:
        shelf = gateway.parts.shelf
        assert isinstance(shelf, Shelf)
        path = shelf.put(twiml.dial("+15550100009")).partition("/documents/")[2]
        for method in ("GET", "POST"):
            async with http.request(method, f"{target.url}/documents/{path}") as response:
                assert (response.status, response.content_type) == (200, "text/xml")
                assert "+15550100009" in await response.text()
        async with http.get(f"{target.url}/documents/unknown") as response:
            assert response.status == 404


class Dialler:
    """An account that only notes what it is to dial, and moves."""

    def __init__(self) -> None:
        self.dialled: list[OutboundCall] = []

    async def dial(self, call: OutboundCall) -> str:
        self.dialled.append(call)
        return "CA01"


async def test_a_placed_call_is_answered_with_its_parameters_by_a_signed_webhook() -> None:
    dialler: Any = Dialler()
    wanted = {"to": "+15550100001", "from": "+15550100002", "platform": "twilio", "params": {"customer": "Ada"}}
    async with serving({"twilio": dialler}) as (gateway, target), ClientSession() as http:
        operator = {"Authorization": f"Bearer {ADMIN_TOKEN}"}
        async with http.post(f"{target.url}/calls", json=wanted, headers=operator) as response:
            assert (response.status, await response.json()) == (201, {"call_id": "CA01", "platform": "twilio"})
        (call,) = dialler.dialled
        form = {"CallSid": "CA01", "Direction": "outbound-api", "From": "+15550100002", "To": "+15550100001"}
        signed = sign(SECRETS["twilio"], call.answer_url, form)
        url = target.reachable(call.answer_url)
        async with http.post(url, data=form, headers=signed) as response:
            order = read_answer(await response.text())
        assert order.parameters["customer"] == "Ada"
        assert gateway.calls.holds("twilio", order.parameters["token"])
        async with http.post(url + "x", data=form, headers=signed) as response:
            assert response.status == 403  # the reference is signed, too


def test_sockets_are_counted_by_the_address_they_came_from() -> None:
    sources = Sources(2)
    sources.enter("a")
    sources.enter("a")
    sources.enter("b")
    with pytest.raises(Refused) as refused:
        sources.enter("a")
    assert refused.value.http_status == 429
    sources.leave("a")
    sources.enter("a")
