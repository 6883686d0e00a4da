"""Asterisk's REST interface over loopback."""

import base64
from collections.abc import AsyncIterator

import aiohttp
import pytest

from gateway.errors import PeerFault, Refused
from gateway.platforms.asterisk_control import AsteriskAccount, AsteriskControl
from gateway.platforms.base import Document
from gateway.platforms.control import OutboundCall
from tests.rig.call_rest import BRIEF, CallRest

CALL = "1767225600.3"
OUTBOUND = OutboundCall("+15550100001", "+15550100002", "https://b.test/audiosocket/voice?ref=abc", ring_timeout_s=20)
BASIC = "Basic " + base64.b64encode(b"voicebot:pw").decode()


@pytest.fixture
async def rest() -> AsyncIterator[CallRest]:
    async with CallRest().serving() as serving:
        yield serving


@pytest.fixture
async def asterisk(rest: CallRest) -> AsyncIterator[AsteriskControl]:
    account = AsteriskAccount("voicebot", "pw", rest.base_url + "/ari/", "PJSIP/{number}@trunk", "bots", "100")
    async with aiohttp.ClientSession() as http:
        yield AsteriskControl(http, account, patience=BRIEF)


@pytest.mark.parametrize("status", [204, 404])
async def test_hanging_up_ends_the_channel_or_finds_it_gone(
    rest: CallRest, asterisk: AsteriskControl, status: int
) -> None:
    rest.answers = [(status, None)]
    await asterisk.hang_up(CALL)
    (asked,) = rest.asked
    assert (asked.method, asked.path, asked.bearer) == ("DELETE", f"/ari/channels/{CALL}", BASIC)


async def test_a_channels_id_cannot_lead_elsewhere(rest: CallRest, asterisk: AsteriskControl) -> None:
    await asterisk.hang_up("../bridges/1")
    assert rest.asked[0].path == "/ari/channels/..%2Fbridges%2F1"


async def test_a_transfer_leaves_the_number_for_the_dial_plan(rest: CallRest, asterisk: AsteriskControl) -> None:
    rest.answers = [(204, None)]
    await asterisk.transfer(CALL, "+15550100009")
    (asked,) = rest.asked
    assert (asked.method, asked.path) == ("POST", "/ari/asterisk/variable")
    assert asked.body == {"variable": f"VOICEBOT_NEXT_{CALL}", "value": "+15550100009"}


@pytest.mark.parametrize("target", ["sip:a@b.test", "100 & hangup", "", "${EXTEN}"])
async def test_a_target_that_is_no_number_never_reaches_the_dial_plan(
    rest: CallRest, asterisk: AsteriskControl, target: str
) -> None:
    with pytest.raises(Refused, match="bad_target"):
        await asterisk.transfer(CALL, target)
    assert rest.asked == []


async def test_a_call_begins_in_the_dial_plan_with_its_reference(rest: CallRest, asterisk: AsteriskControl) -> None:
    rest.answers = [(200, {"id": CALL})]
    assert await asterisk.dial(OUTBOUND) == CALL
    (asked,) = rest.asked
    assert (asked.method, asked.path) == ("POST", "/ari/channels")
    assert asked.body == {
        "endpoint": "PJSIP/+15550100001@trunk",
        "context": "bots",
        "extension": "100",
        "priority": 1,
        "callerId": "+15550100002",
        "timeout": 20,
        "variables": {"VOICEBOT_REF": "abc"},
    }


@pytest.mark.parametrize("body", [{}, {"id": ""}, {"id": 5}, []])
async def test_a_new_channel_without_an_id_is_a_fault(rest: CallRest, asterisk: AsteriskControl, body: object) -> None:
    rest.answers = [(200, body)]
    with pytest.raises(PeerFault, match="rest_bad_answer"):
        await asterisk.dial(OUTBOUND)


async def test_what_ari_refuses_is_a_fault(rest: CallRest, asterisk: AsteriskControl) -> None:
    rest.answers = [(400, {"message": "about +15550100001"}), (409, {}), (400, {})]
    for refused in (asterisk.dial(OUTBOUND), asterisk.hang_up(CALL), asterisk.transfer(CALL, "100")):
        with pytest.raises(PeerFault, match="rest_refused") as fault:
            await refused
        assert "555" not in str(fault.value)
    with pytest.raises(PeerFault, match="rest_refused"):
        await asterisk.redirect(CALL, Document("text/plain", "x"))
