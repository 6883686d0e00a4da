"""What platforms ask of us over HTTP that is not Twilio's way: GET webhooks, tokens in paths, documents to fetch."""

import json
from base64 import b64encode
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import structlog
from aiohttp import ClientSession, WSServerHandshakeError
from yarl import URL

from gateway.errors import Refused
from gateway.http.platform_routes import Sources
from gateway.http.sockets import POLICY_VIOLATION
from gateway.platforms import twiml
from gateway.platforms.control import OutboundCall
from gateway.platforms.shelf import Shelf
from gateway.simulator.chan_websocket import ChanWebsocketDialect
from gateway.simulator.ringing import Webhook
from gateway.simulator.run import RINGING, Target
from gateway.simulator.twilio import read_answer, sign
from tests.conformance.served import ADMIN_TOKEN, PUBLIC_URL, SECRETS, serving
from tests.rig.waiting import until

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


async def test_a_stream_whose_token_is_due_in_its_path_is_not_opened_without() -> None:
    async with serving() as (_, target), ClientSession() as http:
        with pytest.raises(WSServerHandshakeError) as refused:
            await http.ws_connect(f"{target.url}/telnyx/stream")
        assert refused.value.status == 403


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
        assert order.parameters.keys() == {"token"}  # what the call was placed with waits here
        assert gateway.calls.holds("twilio", order.parameters["token"])
        async with http.post(url + "x", data=form, headers=signed) as response:
            assert response.status == 403  # the reference is signed, too


@pytest.mark.parametrize("plain", [True, False], ids=["plain text", "JSON"])
async def test_an_asterisk_stream_is_known_by_the_query_of_its_upgrade(plain: bool) -> None:
    """v(call=...,token=...) of Dial(): plain text has no channel variables."""
    ringing = RINGING["chan_websocket"]("one", SECRETS["chan_websocket"])
    async with serving() as (gateway, target), ClientSession() as http:
        webhook = ringing.ask(PUBLIC_URL)
        assert webhook is not None
        token = (await ask(http, target, webhook))[1]
        url = f"{target.url}/chan_websocket/stream?call={ringing.call_id}&token={token}"
        start = ChanWebsocketDialect("1767225600.10", {}, plain=plain).opening()[0]
        async with http.ws_connect(url, headers=BASIC) as socket:
            await socket.send_str(str(start))
            await until(lambda: [record.call_id for record in gateway.calls.records()] == [ringing.call_id])
        await until(lambda: gateway.calls.count == 0)
        async with http.ws_connect(url, headers=BASIC) as again:  # Asterisk may repeat the query of the call before
            await again.send_str(str(start))
            assert (await again.receive()).data == POLICY_VIOLATION


async def ask(http: ClientSession, target: Target, webhook: Webhook, **headers: str) -> tuple[int, str]:
    url = URL(target.reachable(webhook.url), encoded=True)
    given = {**webhook.headers, "Content-Type": webhook.content_type, **headers}
    async with http.request(webhook.method, url, data=webhook.body, headers=given) as response:
        return response.status, await response.text()


@pytest.mark.parametrize("name", ["jambonz", "plivo", "telnyx", "vobiz", "vonage"])
async def test_a_captured_webhook_cannot_be_sent_again(name: str) -> None:
    async with serving() as (_, target), ClientSession() as http:
        webhook = RINGING[name]("one", SECRETS[name]).ask(PUBLIC_URL)
        another = RINGING[name]("two", SECRETS[name]).ask(PUBLIC_URL)
        assert webhook is not None
        assert another is not None
        assert (await ask(http, target, webhook))[0] == 200
        status, told = await ask(http, target, webhook)
        assert (status, json.loads(told)["error"]) == (403, "replayed")
        assert (await ask(http, target, another))[0] == 200


async def test_a_captured_webhook_is_known_whatever_is_written_around_its_signature() -> None:
    async with serving() as (_, target), ClientSession() as http:
        webhook = RINGING["jambonz"]("one", SECRETS["jambonz"]).ask(PUBLIC_URL)
        assert webhook is not None
        assert (await ask(http, target, webhook))[0] == 200
        (name,) = (name for name in webhook.headers if name.lower() == "jambonz-signature")
        status, told = await ask(http, target, webhook, **{name: f"{webhook.headers[name]},v1=0"})
        assert (status, json.loads(told)["error"]) == (403, "replayed")


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
