"""jambonz' call resource over loopback."""

import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from gateway.errors import PeerFault, Refused
from gateway.platforms.base import Document
from gateway.platforms.control import OutboundCall
from gateway.platforms.jambonz_control import JambonzControl
from tests.rig.call_rest import BRIEF, CallRest

CALL = "00000000-0000-4000-8000-0000000000f1"
SHELF = "https://bot.example.test/jambonz/documents/1"


class Publisher:
    """A shelf with room for the last document."""

    def __init__(self) -> None:
        self.document: Document | None = None

    def __call__(self, document: Document) -> str:
        self.document = document
        return SHELF


@pytest.fixture
async def rest() -> AsyncIterator[CallRest]:
    async with CallRest().serving() as serving:
        yield serving


@pytest.fixture
def shelf() -> Publisher:
    return Publisher()


@pytest.fixture
async def jambonz(rest: CallRest, shelf: Publisher) -> AsyncIterator[JambonzControl]:
    async with aiohttp.ClientSession() as http:
        yield JambonzControl(http, "acc/1", "key", publish=shelf, base_url=rest.base_url + "/", patience=BRIEF)


async def test_hanging_up_completes_the_call(rest: CallRest, jambonz: JambonzControl) -> None:
    rest.answers = [(202, None)]
    await jambonz.hang_up(CALL)
    (asked,) = rest.asked
    assert (asked.method, asked.path) == ("PUT", f"/v1/Accounts/acc%2F1/Calls/{CALL}")
    assert (asked.bearer, asked.body) == ("key", {"call_status": "completed"})


async def test_hanging_up_a_call_that_is_over_is_a_success(rest: CallRest, jambonz: JambonzControl) -> None:
    rest.answers = [(404, {})]
    await jambonz.hang_up(CALL)


@pytest.mark.parametrize("fault", [500, 429, "drop", "stall"])
async def test_hanging_up_is_tried_again(fault: int | str, rest: CallRest, jambonz: JambonzControl) -> None:
    rest.faults = [fault]
    await jambonz.hang_up(CALL)
    assert len(rest.asked) == 2


@pytest.mark.parametrize(("status", "code"), [(401, "rest_unauthorised"), (400, "rest_refused")])
async def test_a_refusal_is_a_fault_without_the_apis_words(
    status: int, code: str, rest: CallRest, jambonz: JambonzControl
) -> None:
    rest.faults = [status]
    with pytest.raises(PeerFault) as raised:
        await jambonz.hang_up(CALL)
    assert raised.value.code == code
    assert "555" not in str(raised.value)


async def test_a_caller_is_moved_by_a_document_that_jambonz_fetches(
    rest: CallRest, shelf: Publisher, jambonz: JambonzControl
) -> None:
    await jambonz.transfer(CALL, "+15550100009")
    assert rest.asked[0].body == {"call_hook": {"url": SHELF, "method": "POST"}}
    assert shelf.document is not None
    assert json.loads(shelf.document.body)[0]["target"] == [{"type": "phone", "number": "+15550100009"}]


async def test_a_transfer_to_nowhere_is_refused_before_anything_is_asked(
    rest: CallRest, jambonz: JambonzControl
) -> None:
    with pytest.raises(Refused):
        await jambonz.transfer(CALL, "the office")
    assert rest.asked == []


async def test_a_transfer_of_a_call_that_is_over_is_a_fault(rest: CallRest, jambonz: JambonzControl) -> None:
    rest.answers = [(404, {})]
    with pytest.raises(PeerFault) as raised:
        await jambonz.transfer(CALL, "+15550100009")
    assert raised.value.code == "call_over"


@pytest.mark.parametrize(
    ("to", "endpoint"),
    [
        ("+15550100001", {"type": "phone", "number": "+15550100001"}),
        ("sip:a@example.test", {"type": "sip", "sipUri": "sip:a@example.test"}),
    ],
)
@pytest.mark.parametrize("status_url", ["", "https://bot.example.test/jambonz/status"])
async def test_a_new_call_asks_our_webhook(
    to: str, endpoint: dict[str, str], status_url: str, rest: CallRest, jambonz: JambonzControl
) -> None:
    rest.answers = [(201, {"sid": CALL})]
    call = OutboundCall(to, "+15550100002", "https://bot.example.test/jambonz/voice", status_url, 20)
    assert await jambonz.dial(call) == CALL
    (asked,) = rest.asked
    expected: dict[str, Any] = {
        "from": "+15550100002",
        "to": endpoint,
        "call_hook": {"url": call.answer_url, "method": "POST"},
        "timeout": 20,
    }
    status = {"call_status_hook": {"url": status_url, "method": "POST"}} if status_url else {}
    assert (asked.method, asked.path) == ("POST", "/v1/Accounts/acc%2F1/Calls")
    assert asked.body == {**expected, **status}


@pytest.mark.parametrize("body", [{}, {"sid": ""}, {"sid": 5}])
async def test_a_new_call_without_an_id_is_a_fault(body: Any, rest: CallRest, jambonz: JambonzControl) -> None:
    rest.answers = [(201, body)]
    with pytest.raises(PeerFault) as raised:
        await jambonz.dial(OutboundCall("+15550100001", "+15550100002", "https://bot.example.test/jambonz/voice"))
    assert raised.value.code == "rest_bad_answer"
