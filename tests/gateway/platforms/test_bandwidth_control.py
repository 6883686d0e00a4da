"""Bandwidth's call resource over loopback, with OAuth2 and with Basic credentials."""

import base64
from collections.abc import AsyncIterator
from dataclasses import dataclass

import aiohttp
import pytest

from gateway.errors import PeerFault, Refused
from gateway.platforms.bandwidth_control import BandwidthAccount, BandwidthControl
from gateway.platforms.base import Document
from gateway.platforms.control import OutboundCall
from tests.rig.call_rest import BRIEF, CallRest

CALL = "c-00000000-0000-4000-8000-000000000001"
CALLS = "/api/v2/accounts/5000000/calls"
BASIC = "Basic " + base64.b64encode(b"id:secret").decode()
LOGIN = (200, {"access_token": "t1", "expires_in": 3600})
OUTBOUND = OutboundCall("+15550100001", "+15550100002", "https://b.test/bandwidth/voice", "https://b.test/s", 20)


@dataclass(slots=True)
class Clock:
    now_s: float = 1000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def rest() -> AsyncIterator[CallRest]:
    async with CallRest().serving() as serving:
        yield serving


def account(rest: CallRest, *, oauth2: bool = True) -> BandwidthAccount:
    rest_url, token_url = rest.base_url + "/api/v2/", rest.base_url + "/oauth2/token"
    return BandwidthAccount("5000000", "app-1", "id", "secret", oauth2, "bot", "pw", rest_url, token_url)


@pytest.fixture
async def bandwidth(rest: CallRest, clock: Clock) -> AsyncIterator[BandwidthControl]:
    async with aiohttp.ClientSession() as http:
        yield BandwidthControl(http, account(rest), now=clock, patience=BRIEF)


async def test_keys_are_pressed_by_a_document_that_holds_the_call(rest: CallRest, bandwidth: BandwidthControl) -> None:
    rest.answers = [LOGIN]
    await bandwidth.send_digits(CALL, "42#")
    asked = rest.asked[-1]
    assert (asked.method, asked.path) == ("PUT", f"{CALLS}/{CALL}/bxml")
    assert '<Response><SendDtmf>42#</SendDtmf><Pause duration="3600" /></Response>' in str(asked.body)


async def test_hanging_up_logs_in_and_completes_the_call(rest: CallRest, bandwidth: BandwidthControl) -> None:
    rest.answers = [LOGIN]
    await bandwidth.hang_up(CALL)
    login, asked = rest.asked
    assert (login.path, login.bearer, login.body) == ("/oauth2/token", BASIC, {"grant_type": "client_credentials"})
    assert (asked.method, asked.path, asked.bearer) == ("POST", f"{CALLS}/{CALL}", "t1")
    assert asked.body == {"state": "completed"}


async def test_with_basic_credentials_there_is_no_login(rest: CallRest) -> None:
    async with aiohttp.ClientSession() as http:
        await BandwidthControl(http, account(rest, oauth2=False), patience=BRIEF).hang_up(CALL)
    (asked,) = rest.asked
    assert (asked.path, asked.bearer) == (f"{CALLS}/{CALL}", BASIC)


async def test_a_token_is_used_until_its_last_minute(rest: CallRest, bandwidth: BandwidthControl, clock: Clock) -> None:
    rest.answers = [LOGIN, (200, {}), (200, {}), (200, {"access_token": "t2", "expires_in": "soon"})]
    for now_s in (1000.0, 4539.0, 4540.0):
        clock.now_s = now_s
        await bandwidth.hang_up(CALL)
    assert [asked.bearer for asked in rest.asked if asked.path != "/oauth2/token"] == ["t1", "t1", "t2"]


async def test_a_token_that_was_withdrawn_is_replaced_for_the_next_request(
    rest: CallRest, bandwidth: BandwidthControl
) -> None:
    rest.answers = [LOGIN, (401, {}), (200, {"access_token": "t2"})]
    with pytest.raises(PeerFault, match="rest_unauthorised"):
        await bandwidth.hang_up(CALL)
    await bandwidth.hang_up(CALL)
    assert rest.asked[-1].bearer == "t2"


@pytest.mark.parametrize("login", [(200, {}), (200, {"access_token": 5})])
async def test_a_login_without_a_token_is_a_fault(
    rest: CallRest, bandwidth: BandwidthControl, login: tuple[int, object]
) -> None:
    rest.answers = [login]
    with pytest.raises(PeerFault, match="rest_bad_answer"):
        await bandwidth.hang_up(CALL)


@pytest.mark.parametrize("status", [404, 409])
async def test_a_call_that_is_over_is_hung_up_and_cannot_be_moved(
    rest: CallRest, bandwidth: BandwidthControl, status: int
) -> None:
    rest.answers = [LOGIN, (status, {}), (status, {})]
    await bandwidth.hang_up(CALL)
    with pytest.raises(PeerFault, match="call_over"):
        await bandwidth.transfer(CALL, "+15550100009")


@pytest.mark.parametrize(
    ("target", "verb"),
    [
        ("+15550100009", "<PhoneNumber>+15550100009</PhoneNumber>"),
        ("sip:a&b@c.test", "<SipUri>sip:a&amp;b@c.test</SipUri>"),
    ],
)
async def test_a_transfer_is_a_document_of_its_own(
    rest: CallRest, bandwidth: BandwidthControl, target: str, verb: str
) -> None:
    rest.answers = [LOGIN, (204, None)]
    await bandwidth.transfer(CALL, target)
    asked = rest.asked[-1]
    assert (asked.method, asked.path) == ("PUT", f"{CALLS}/{CALL}/bxml")
    assert asked.headers["Content-Type"] == "application/xml"
    assert asked.body == f'<?xml version="1.0" encoding="UTF-8"?><Response><Transfer>{verb}</Transfer></Response>'


async def test_a_target_that_is_neither_number_nor_address_is_refused(
    rest: CallRest, bandwidth: BandwidthControl
) -> None:
    with pytest.raises(Refused, match="bad_target"):
        await bandwidth.transfer(CALL, "somewhere")
    assert rest.asked == []


async def test_any_document_can_be_sent(rest: CallRest, bandwidth: BandwidthControl) -> None:
    rest.answers = [LOGIN]
    await bandwidth.redirect(CALL, Document("application/xml", "<Response/>"))
    assert rest.asked[-1].body == "<Response/>"


async def test_a_call_is_placed_for_the_application(rest: CallRest, bandwidth: BandwidthControl) -> None:
    rest.answers = [LOGIN, (201, {"callId": CALL})]
    assert await bandwidth.dial(OUTBOUND) == CALL
    asked = rest.asked[-1]
    assert (asked.method, asked.path) == ("POST", CALLS)
    assert asked.body == {
        "to": "+15550100001",
        "from": "+15550100002",
        "applicationId": "app-1",
        "answerUrl": "https://b.test/bandwidth/voice",
        "callTimeout": 20,
        "disconnectUrl": "https://b.test/s",
        "username": "bot",
        "password": "pw",
    }


async def test_what_is_not_configured_is_not_asked_for(rest: CallRest) -> None:
    rest.answers = [(201, {"callId": CALL})]
    plain = BandwidthAccount("5000000", "app-1", "id", "secret", oauth2=False, base_url=rest.base_url)
    async with aiohttp.ClientSession() as http:
        await BandwidthControl(http, plain, patience=BRIEF).dial(OutboundCall("1", "2", "https://b.test/v"))
    assert set(rest.asked[-1].body) == {"to", "from", "applicationId", "answerUrl", "callTimeout"}


async def test_a_new_call_without_an_id_is_a_fault(rest: CallRest, bandwidth: BandwidthControl) -> None:
    rest.answers = [LOGIN, (201, {})]
    with pytest.raises(PeerFault, match="rest_bad_answer"):
        await bandwidth.dial(OutboundCall("1", "2", "https://b.test/bandwidth/voice"))


async def test_a_refusal_is_a_fault(rest: CallRest, bandwidth: BandwidthControl) -> None:
    rest.answers = [LOGIN, (400, {"description": "about +15550100001"})]
    with pytest.raises(PeerFault, match="rest_refused") as fault:
        await bandwidth.dial(OUTBOUND)
    assert "555" not in str(fault.value)
