"""Plivo's call resource over loopback, and Vobiz's."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import pytest

from gateway.errors import PeerFault, Refused
from gateway.platforms.base import Document
from gateway.platforms.control import OutboundCall
from gateway.platforms.plivo_control import PlivoControl, VobizControl
from tests.rig.call_rest import BRIEF, CallRest

CALLS = "/Account/MA1/Call/"
KEPT_AT = "https://bot.example.test/documents/1"


@dataclass(slots=True)
class Desk:
    """A control at a stand-in, and the documents it has published."""

    rest: CallRest
    http: aiohttp.ClientSession
    published: list[Document] = field(default_factory=list)

    def publish(self, document: Document) -> str:
        self.published.append(document)
        return KEPT_AT

    def control(self, kind: type[PlivoControl] = PlivoControl) -> PlivoControl:
        return kind(self.http, "MA1", "token", publish=self.publish, base_url=self.rest.base_url + "/", patience=BRIEF)


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    async with CallRest().serving() as rest, aiohttp.ClientSession() as http:
        yield Desk(rest, http)


@pytest.mark.parametrize("status", [204, 404])
async def test_hanging_up_deletes_the_call_and_one_that_is_over_is_a_success(status: int, desk: Desk) -> None:
    desk.rest.answers = [(status, None)]
    await desk.control().hang_up("../c 1")
    (asked,) = desk.rest.asked
    assert (asked.method, asked.path, asked.body) == ("DELETE", f"{CALLS}..%2Fc%201/", None)
    assert asked.headers["Authorization"] == "Basic TUExOnRva2Vu"  # MA1:token


async def test_hanging_up_is_tried_again_and_a_refusal_told(desk: Desk) -> None:
    desk.rest.faults = [503, "drop"]
    await desk.control().hang_up("c-1")
    assert len(desk.rest.asked) == 3
    desk.rest.faults = [400]
    with pytest.raises(PeerFault, match="rest_refused"):
        await desk.control().hang_up("c-1")


async def test_a_transfer_tells_where_its_document_is(desk: Desk) -> None:
    desk.rest.answers = [(202, {"message": "call transferred"})]
    await desk.control().transfer("c-1", "+15550100009")
    (asked,) = desk.rest.asked
    assert (asked.method, asked.path) == ("POST", f"{CALLS}c-1/")
    assert asked.body == {"legs": "aleg", "aleg_url": KEPT_AT, "aleg_method": "POST"}
    assert "<Number>+15550100009</Number>" in desk.published[0].body


async def test_a_transfer_that_may_have_happened_is_not_repeated(desk: Desk) -> None:
    desk.rest.faults = [500]
    with pytest.raises(PeerFault, match="rest_failed"):
        await desk.control().transfer("c-1", "+15550100009")
    assert len(desk.rest.asked) == 1


async def test_a_transfer_to_nowhere_or_of_a_call_that_is_over_is_told(desk: Desk) -> None:
    with pytest.raises(Refused):
        await desk.control().transfer("c-1", "reception")
    assert desk.rest.asked == []
    desk.rest.answers = [(404, {"error": "not found"})]
    with pytest.raises(PeerFault, match="call_over"):
        await desk.control().transfer("c-1", "+15550100009")


@pytest.mark.parametrize("answer", [{"request_uuid": "c-2", "api_id": "x"}, {"call_uuid": "c-2", "request_uuid": "r"}])
async def test_dialling_returns_the_new_calls_id(answer: Any, desk: Desk) -> None:
    desk.rest.answers = [(201, answer)]
    call = OutboundCall("+15550100001", "+15550100002", "https://bot.example.test/v", "https://bot.example.test/s", 20)
    assert await desk.control().dial(call) == "c-2"
    (asked,) = desk.rest.asked
    assert (asked.method, asked.path) == ("POST", CALLS)
    assert asked.body == {
        "to": "15550100001",
        "from": "15550100002",
        "answer_url": "https://bot.example.test/v",
        "answer_method": "POST",
        "ring_timeout": 20,
        "hangup_url": "https://bot.example.test/s",
        "hangup_method": "POST",
    }


async def test_an_answer_without_an_id_is_a_fault_and_dialling_not_repeated(desk: Desk) -> None:
    call = OutboundCall("+15550100001", "+15550100002", "https://bot.example.test/v")
    for answer in ({}, {"request_uuid": ["c-2"]}):
        desk.rest.answers = [(201, answer)]
        with pytest.raises(PeerFault, match="rest_bad_answer"):
            await desk.control().dial(call)
    desk.rest.faults = ["stall"]
    with pytest.raises(PeerFault, match="rest_timeout"):
        await desk.control().dial(call)
    assert len(desk.rest.asked) == 3


async def test_vobiz_is_shown_its_credentials_in_headers_of_its_own(desk: Desk) -> None:
    await desk.control(VobizControl).hang_up("c-1")
    (asked,) = desk.rest.asked
    assert (asked.headers["X-Auth-ID"], asked.headers["X-Auth-Token"]) == ("MA1", "token")
    assert "Authorization" not in asked.headers
    assert asked.path == f"{CALLS}c-1/"
