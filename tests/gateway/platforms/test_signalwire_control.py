"""SignalWire's call resource over loopback: Twilio's, at the space's place, with documents by URL."""

from collections.abc import AsyncIterator

import aiohttp
import pytest

from gateway.platforms.base import Document
from gateway.platforms.control import OutboundCall
from gateway.platforms.signalwire_control import SignalWireControl
from tests.rig.call_rest import CallRest

CALLS = "/api/laml/2010-04-01/Accounts/p-1/Calls"


@pytest.fixture
async def rest() -> AsyncIterator[CallRest]:
    async with CallRest().serving() as serving:
        yield serving


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


async def test_calls_are_hung_up_and_placed_at_the_space(rest: CallRest, http: aiohttp.ClientSession) -> None:
    control = SignalWireControl(http, "p-1", "token", space_url=rest.base_url + "/")
    await control.hang_up("c-1")
    rest.answers = [(201, {"sid": "c-2"})]
    assert await control.dial(OutboundCall("+15550100001", "+15550100002", "https://bot.example.test/v")) == "c-2"
    assert [asked.path for asked in rest.asked] == [f"{CALLS}/c-1.json", f"{CALLS}.json"]
    assert rest.asked[0].body == {"Status": "completed"}
    assert rest.asked[0].headers["Authorization"] == "Basic cC0xOnRva2Vu"  # p-1:token


async def test_a_call_is_moved_to_the_url_of_a_document(rest: CallRest, http: aiohttp.ClientSession) -> None:
    kept: list[Document] = []

    def publish(document: Document) -> str:
        kept.append(document)
        return "https://bot.example.test/documents/1"

    control = SignalWireControl(http, "p-1", "token", space_url=rest.base_url, publish=publish)
    await control.transfer("c-1", "+15550100009")
    assert rest.asked[0].body == {"Url": "https://bot.example.test/documents/1"}
    assert "<Dial>+15550100009</Dial>" in kept[0].body


async def test_without_a_place_for_it_the_document_is_sent_along(rest: CallRest, http: aiohttp.ClientSession) -> None:
    await SignalWireControl(http, "p-1", "token", space_url=rest.base_url).transfer("c-1", "+15550100009")
    assert "<Dial>+15550100009</Dial>" in rest.asked[0].body["Twiml"]
