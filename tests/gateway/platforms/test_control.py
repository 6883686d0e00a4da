"""Call control against a strict stand-in for Twilio's REST API, over loopback."""

from collections.abc import AsyncIterator

import aiohttp
import pytest

from gateway.errors import PeerFault, Refused
from gateway.platforms.control import OutboundCall, TwilioControl
from gateway.platforms.twiml import reject
from tests.rig.call_rest import BRIEF
from tests.rig.twilio_rest import TwilioRest

CALL = "CA" + "0" * 31 + "1"


@pytest.fixture
async def rest() -> AsyncIterator[TwilioRest]:
    async with TwilioRest().serving() as serving:
        serving.add_call(CALL)
        yield serving


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


@pytest.fixture
def twilio(rest: TwilioRest, http: aiohttp.ClientSession) -> TwilioControl:
    return TwilioControl(http, rest.account_sid, rest.auth_token, base_url=rest.base_url, patience=BRIEF)


async def test_hanging_up_completes_the_call(rest: TwilioRest, twilio: TwilioControl) -> None:
    await twilio.hang_up(CALL)
    assert rest.calls[CALL]["status"] == "completed"


async def test_hanging_up_twice_is_a_success(rest: TwilioRest, twilio: TwilioControl) -> None:
    await twilio.hang_up(CALL)
    await twilio.hang_up(CALL)
    assert len(rest.requests) == 2


async def test_hanging_up_a_call_twilio_forgot_is_a_success(twilio: TwilioControl) -> None:
    await twilio.hang_up("CA" + "f" * 32)


@pytest.mark.parametrize("fault", [500, 503, 429, "drop", "stall"])
async def test_hanging_up_is_tried_again_when_the_api_fails(
    fault: int | str, rest: TwilioRest, twilio: TwilioControl
) -> None:
    rest.faults = [fault, fault]
    await twilio.hang_up(CALL)
    assert rest.calls[CALL]["status"] == "completed"
    assert len(rest.requests) == 3


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (500, "rest_failed"),
        (429, "rest_rate_limited"),
        ("drop", "rest_connection_lost"),
        ("stall", "rest_timeout"),
    ],
)
async def test_an_api_that_stays_away_is_a_retryable_fault(
    fault: int | str, code: str, rest: TwilioRest, twilio: TwilioControl
) -> None:
    rest.faults = [fault] * 3
    with pytest.raises(PeerFault) as raised:
        await twilio.hang_up(CALL)
    assert (raised.value.code, raised.value.retryable) == (code, True)
    assert len(rest.requests) == 3


@pytest.mark.parametrize("status", [401, 403, 400, 302, 418])
async def test_a_refusal_is_final_and_never_repeats_a_number(
    status: int, rest: TwilioRest, twilio: TwilioControl
) -> None:
    rest.faults = [status]
    with pytest.raises(PeerFault) as raised:
        await twilio.hang_up(CALL)
    assert raised.value.code == ("rest_unauthorised" if status in (401, 403) else "rest_refused")
    assert not raised.value.retryable
    assert str(status) in raised.value.detail
    assert "555" not in str(raised.value)
    assert len(rest.requests) == 1


async def test_wrong_credentials_are_told_as_such(rest: TwilioRest, http: aiohttp.ClientSession) -> None:
    wrong = TwilioControl(http, rest.account_sid, "other", base_url=rest.base_url, patience=BRIEF)
    with pytest.raises(PeerFault, match="rest_unauthorised: HTTP 401, error 20003"):
        await wrong.hang_up(CALL)


async def test_a_key_may_stand_in_for_the_accounts_token(rest: TwilioRest, http: aiohttp.ClientSession) -> None:
    with_key = TwilioControl(
        http, rest.account_sid, "key-secret", key_sid="SK1", base_url=rest.base_url, patience=BRIEF
    )
    with pytest.raises(PeerFault, match="rest_unauthorised"):
        await with_key.hang_up(CALL)  # the stand-in knows no keys; what counts is the path it asked for
    assert rest.requests[0][0] == f"/2010-04-01/Accounts/{rest.account_sid}/Calls/{CALL}.json"


async def test_an_unreachable_api_is_a_retryable_fault(http: aiohttp.ClientSession, unused_tcp_port: int) -> None:
    gone = TwilioControl(http, "AC1", "secret", base_url=f"http://127.0.0.1:{unused_tcp_port}", patience=BRIEF)
    with pytest.raises(PeerFault) as raised:
        await gone.hang_up(CALL)
    assert (raised.value.code, raised.value.retryable) == ("rest_unreachable", True)


async def test_a_transfer_gives_the_call_a_dial_document(rest: TwilioRest, twilio: TwilioControl) -> None:
    await twilio.transfer(CALL, "+15550100009")
    assert "<Dial>+15550100009</Dial>" in rest.calls[CALL]["twiml"]


async def test_a_transfer_that_may_have_happened_is_not_repeated(rest: TwilioRest, twilio: TwilioControl) -> None:
    rest.faults = [500]
    with pytest.raises(PeerFault, match="rest_failed"):
        await twilio.transfer(CALL, "+15550100009")
    assert len(rest.requests) == 1


async def test_a_transfer_that_was_turned_away_for_load_is_repeated(rest: TwilioRest, twilio: TwilioControl) -> None:
    rest.faults = [429]
    await twilio.transfer(CALL, "+15550100009")
    assert len(rest.requests) == 2


async def test_a_transfer_to_nowhere_is_refused_before_anything_is_asked(
    rest: TwilioRest, twilio: TwilioControl
) -> None:
    with pytest.raises(Refused):
        await twilio.transfer(CALL, "reception")
    assert rest.requests == []


async def test_a_call_that_is_over_cannot_be_moved(rest: TwilioRest, twilio: TwilioControl) -> None:
    with pytest.raises(PeerFault, match="call_over"):
        await twilio.redirect("CA" + "f" * 32, reject("busy"))
    await twilio.hang_up(CALL)
    with pytest.raises(PeerFault, match="call_over"):
        await twilio.redirect(CALL, reject("busy"))


async def test_a_refused_document_is_a_fault(rest: TwilioRest, twilio: TwilioControl) -> None:
    rest.faults = [400]
    with pytest.raises(PeerFault, match="rest_refused"):
        await twilio.redirect(CALL, reject("busy"))


async def test_dialling_returns_the_new_calls_id(rest: TwilioRest, twilio: TwilioControl) -> None:
    call = OutboundCall("+15550100009", "+15550100002", "https://bot.example.test/twilio/voice")
    call_id = await twilio.dial(call)
    assert rest.calls[call_id]["status"] == "queued"
    assert rest.requests[-1][1] == {
        "To": "+15550100009",
        "From": "+15550100002",
        "Url": "https://bot.example.test/twilio/voice",
        "Timeout": "30",
    }
    assert "555" not in repr(call)


async def test_dialling_asks_for_status_where_wanted(rest: TwilioRest, twilio: TwilioControl) -> None:
    status_url = "https://bot.example.test/twilio/status"
    await twilio.dial(OutboundCall("+15550100009", "+15550100002", "https://bot.example.test/v", status_url, 20))
    assert rest.requests[-1][1]["StatusCallback"] == status_url
    assert rest.requests[-1][1]["Timeout"] == "20"


async def test_dialling_is_not_repeated_when_it_may_have_rung(rest: TwilioRest, twilio: TwilioControl) -> None:
    rest.faults = ["stall"]
    with pytest.raises(PeerFault, match="rest_timeout"):
        await twilio.dial(OutboundCall("+15550100009", "+15550100002", "https://bot.example.test/v"))
    assert len(rest.requests) == 1


@pytest.mark.parametrize("fault", ["garbage", "flood"])
async def test_an_answer_that_is_no_call_is_a_fault(fault: str, rest: TwilioRest, twilio: TwilioControl) -> None:
    rest.faults = [fault]
    with pytest.raises(PeerFault, match="rest_bad_answer"):
        await twilio.dial(OutboundCall("+15550100009", "+15550100002", "https://bot.example.test/v"))


async def test_a_call_id_cannot_leave_its_place_in_the_path(rest: TwilioRest, twilio: TwilioControl) -> None:
    await twilio.hang_up("../../x?y=")
    assert rest.requests[0][0].endswith("/Calls/..%2F..%2Fx%3Fy=.json")


async def test_a_refused_call_is_a_fault(twilio: TwilioControl) -> None:
    with pytest.raises(PeerFault, match="rest_refused: HTTP 400, error 21201"):
        await twilio.dial(OutboundCall("", "+15550100002", "https://bot.example.test/v"))
