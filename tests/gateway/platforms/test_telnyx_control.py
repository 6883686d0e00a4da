"""Telnyx's REST API over loopback."""

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from gateway.errors import PeerFault, Refused
from gateway.platforms.base import Document, IncomingCall
from gateway.platforms.control import OutboundCall
from gateway.platforms.telnyx_control import TelnyxControl
from gateway.platforms.twiml import reject
from tests.rig.call_rest import BRIEF, CallRest

CALL = "v3:1/../x"
ACTIONS = "/v2/calls/v3:1%2F..%2Fx/actions"
TEXML = "/v2/texml/Accounts/acc-1/Calls"
OVER = (422, {"errors": [{"code": "90018", "title": "Call has already ended"}]})
OUTBOUND = OutboundCall("+15550100001", "+15550100002", "https://bot.example.test/v", "https://bot.example.test/s", 20)


@pytest.fixture
async def rest() -> AsyncIterator[CallRest]:
    async with CallRest().serving() as serving:
        yield serving


@pytest.fixture
async def telnyx(rest: CallRest) -> AsyncIterator[TelnyxControl]:
    async with aiohttp.ClientSession() as http:
        yield TelnyxControl(
            http, "key", account_id="acc-1", application_id="app-1", base_url=rest.base_url + "/", patience=BRIEF
        )


async def test_every_command_shows_the_key_and_has_an_id_of_its_own(rest: CallRest, telnyx: TelnyxControl) -> None:
    await telnyx.hang_up(CALL)
    await telnyx.hang_up(CALL)
    first, second = rest.asked
    assert (first.method, first.path, first.bearer) == ("POST", f"{ACTIONS}/hangup", "key")
    assert len(first.body["command_id"]) == 36
    assert first.body != second.body


@pytest.mark.parametrize("answer", [OVER, (404, {}), (404, None)])
async def test_hanging_up_a_call_that_is_over_is_a_success(
    answer: tuple[int, Any], rest: CallRest, telnyx: TelnyxControl
) -> None:
    rest.answers = [answer]
    await telnyx.hang_up(CALL)


@pytest.mark.parametrize("body", [{}, {"errors": "x"}, {"errors": ["x"]}, {"errors": [{"code": "90055"}]}])
async def test_another_refusal_is_a_fault(body: Any, rest: CallRest, telnyx: TelnyxControl) -> None:
    rest.answers = [(422, body)]
    with pytest.raises(PeerFault, match="rest_refused"):
        await telnyx.hang_up(CALL)


async def test_a_command_that_may_have_been_obeyed_is_repeated_under_its_id(
    rest: CallRest, telnyx: TelnyxControl
) -> None:
    rest.faults = ["drop", 503]
    await telnyx.transfer(CALL, "+15550100009")
    assert [asked.body["to"] for asked in rest.asked] == ["+15550100009"] * 3
    assert len({asked.body["command_id"] for asked in rest.asked}) == 1


async def test_a_transfer_goes_to_a_number_or_sip_address_only(rest: CallRest, telnyx: TelnyxControl) -> None:
    await telnyx.transfer(CALL, "sip:desk@example.test")
    assert rest.asked[0].path == f"{ACTIONS}/transfer"
    with pytest.raises(Refused):
        await telnyx.transfer(CALL, "reception")
    assert len(rest.asked) == 1


async def test_digits_are_a_command(rest: CallRest, telnyx: TelnyxControl) -> None:
    await telnyx.send_digits(CALL, "42#")
    assert rest.asked[0].path == f"{ACTIONS}/send_dtmf"
    assert rest.asked[0].body["digits"] == "42#"


ORDER = Document("application/json", '{"stream_url":"wss://x"}')
BUSY = Document("application/json", '{"cause":"USER_BUSY"}')


@pytest.mark.parametrize(
    ("direction", "document", "action"),
    [
        ("inbound", ORDER, "answer"),
        ("outbound", ORDER, "streaming_start"),
        ("inbound", BUSY, "reject"),
        ("outbound", BUSY, "hangup"),
    ],
)
async def test_a_call_control_call_gets_its_stream_or_is_turned_away(
    direction: str, document: Document, action: str, rest: CallRest, telnyx: TelnyxControl
) -> None:
    await telnyx.obey(IncomingCall(CALL, direction=direction), document)
    (asked,) = rest.asked
    assert asked.path == f"{ACTIONS}/{action}"
    assert asked.body.get("stream_url") == ("wss://x" if document is ORDER else None)
    assert asked.body.get("cause") == ("USER_BUSY" if action == "reject" else None)


async def test_a_call_control_application_dials_by_its_own_command(rest: CallRest) -> None:
    async with aiohttp.ClientSession() as http:
        control = TelnyxControl(
            http, "key", application_id="app-1", application="call_control", base_url=rest.base_url, patience=BRIEF
        )
        rest.answers = [(200, {"data": {"call_control_id": "v3:2"}})]
        assert await control.dial(OUTBOUND) == "v3:2"
    (asked,) = rest.asked
    assert asked.path == "/v2/calls"
    assert asked.body == {
        "connection_id": "app-1",
        "to": "+15550100001",
        "from": "+15550100002",
        "webhook_url": "https://bot.example.test/v",
        "timeout_secs": 20,
    }


async def test_another_document_is_given_once(rest: CallRest, telnyx: TelnyxControl) -> None:
    await telnyx.redirect(CALL, reject("busy"))
    assert (rest.asked[0].method, rest.asked[0].path) == ("POST", f"{TEXML}/v3:1%2F..%2Fx")
    assert "<Reject" in rest.asked[0].body["Texml"]
    rest.faults = [500]
    with pytest.raises(PeerFault, match="rest_failed"):
        await telnyx.redirect(CALL, reject("busy"))
    assert len(rest.asked) == 2


@pytest.mark.parametrize("answer", [OVER, (404, {})])
async def test_a_call_that_is_over_takes_no_commands(
    answer: tuple[int, Any], rest: CallRest, telnyx: TelnyxControl
) -> None:
    for command in (telnyx.transfer(CALL, "+15550100009"), telnyx.redirect(CALL, reject("busy"))):
        rest.answers = [answer]
        with pytest.raises(PeerFault, match="call_over"):
            await command


@pytest.mark.parametrize(
    "body",
    [{"sid": "v3:2"}, {"call_sid": "v3:2"}, {"data": {"call_control_id": "v3:2"}}, {"sid": 5, "CallSid": "v3:2"}],
)
async def test_dialling_returns_the_new_calls_id_by_whatever_name(
    body: Any, rest: CallRest, telnyx: TelnyxControl
) -> None:
    rest.answers = [(200, body)]
    assert await telnyx.dial(OUTBOUND) == "v3:2"
    assert rest.asked[0].path == TEXML
    assert rest.asked[0].body == {
        "ApplicationSid": "app-1",
        "To": "+15550100001",
        "From": "+15550100002",
        "Url": "https://bot.example.test/v",
        "StatusCallback": "https://bot.example.test/s",
        "Timeout": "20",
    }


@pytest.mark.parametrize("body", [{"status": "queued"}, {"data": []}, {"sid": ""}])
async def test_an_answer_without_an_id_is_a_fault(body: Any, rest: CallRest, telnyx: TelnyxControl) -> None:
    rest.answers = [(200, body)]
    with pytest.raises(PeerFault, match="rest_bad_answer"):
        await telnyx.dial(OutboundCall("+15550100001", "+15550100002", "https://bot.example.test/v"))


async def test_dialling_is_not_repeated_when_it_may_have_rung(rest: CallRest, telnyx: TelnyxControl) -> None:
    rest.faults = ["stall"]
    with pytest.raises(PeerFault, match="rest_timeout"):
        await telnyx.dial(OUTBOUND)
    assert len(rest.asked) == 1


async def test_an_agent_who_cannot_be_led_to_the_room_is_hung_up(rest: CallRest, telnyx: TelnyxControl) -> None:
    rest.answers = [(422, {})]
    with pytest.raises(PeerFault, match="rest_refused"):
        await telnyx.obey(IncomingCall(CALL), Document("application/json", '{"room":"r1","announcement":"Ada calls."}'))
    assert [asked.path for asked in rest.asked] == [f"{ACTIONS}/speak", f"{ACTIONS}/hangup"]
