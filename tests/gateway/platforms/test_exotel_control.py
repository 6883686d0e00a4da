"""Exotel's connect API over loopback."""

import base64
from collections.abc import AsyncIterator

import aiohttp
import pytest

from gateway.errors import PeerFault
from gateway.platforms.base import Document
from gateway.platforms.control import OutboundCall
from gateway.platforms.exotel_control import ExotelAccount, ExotelControl
from tests.rig.call_rest import BRIEF, CallRest

OUTBOUND = OutboundCall(
    "+15550100001", "+15550100002", "https://bot.example.test/exotel/voice?ref=abc", "https://bot.example.test/status"
)


@pytest.fixture
async def rest() -> AsyncIterator[CallRest]:
    async with CallRest().serving() as serving:
        yield serving


@pytest.fixture
async def exotel(rest: CallRest) -> AsyncIterator[ExotelControl]:
    account = ExotelAccount("me", "key", "secret", "bot", "p:w", base_url=rest.base_url)
    async with aiohttp.ClientSession() as http:
        yield ExotelControl(http, account, patience=BRIEF)


async def test_a_call_is_placed_with_its_audio_at_our_socket(rest: CallRest, exotel: ExotelControl) -> None:
    rest.answers = [(200, {"Call": {"Sid": "CA1"}})]
    assert await exotel.dial(OUTBOUND) == "CA1"
    (asked,) = rest.asked
    assert (asked.method, asked.path) == ("POST", "/v1/accounts/me/calls/connect")
    assert asked.bearer == "Basic " + base64.b64encode(b"key:secret").decode()
    assert asked.body == {
        "from": "+15550100001",
        "callerid": "+15550100002",
        "streamurl": "wss://bot:p%3Aw@bot.example.test/exotel/stream?sample-rate=8000&ref=abc",
        "streamtype": "bidirectional",
        "statuscallback": "https://bot.example.test/status",
        "statuscallbackevents[]": "terminal",
    }


@pytest.mark.parametrize(
    "body", [{"Sid": "CA1"}, {"call": {"sid": "CA1"}}, {"call_sid": "CA1"}, {"Call": 5, "sid": "CA1"}]
)
async def test_a_new_calls_id_is_found_however_it_is_written(
    rest: CallRest, exotel: ExotelControl, body: object
) -> None:
    rest.answers = [(200, body)]
    assert await exotel.dial(OutboundCall("1", "2", "http://b.test/exotel/voice")) == "CA1"
    assert rest.asked[0].body["streamurl"].startswith("ws://bot:")
    assert "statuscallback" not in rest.asked[0].body


async def test_a_new_call_without_an_id_is_a_fault(rest: CallRest, exotel: ExotelControl) -> None:
    with pytest.raises(PeerFault, match="rest_bad_answer"):
        await exotel.dial(OUTBOUND)


async def test_a_refused_call_is_a_fault_that_repeats_no_number(rest: CallRest, exotel: ExotelControl) -> None:
    rest.answers = [(400, {"RestException": {"Message": "about +15550100001"}})]
    with pytest.raises(PeerFault, match="rest_refused") as fault:
        await exotel.dial(OUTBOUND)
    assert "555" not in str(fault.value)


async def test_a_stream_url_longer_than_exotel_takes_is_not_sent(rest: CallRest, exotel: ExotelControl) -> None:
    with pytest.raises(PeerFault, match="rest_refused"):
        await exotel.dial(OutboundCall("1", "2", f"https://bot.example.test/exotel/voice?ref={'x' * 600}"))
    assert rest.asked == []


async def test_nothing_is_asked_for_what_exotel_does_by_closing_or_by_its_flow(
    rest: CallRest, exotel: ExotelControl
) -> None:
    await exotel.hang_up("CA1")
    for moved in (exotel.transfer("CA1", "100"), exotel.redirect("CA1", Document("text/plain", "x"))):
        with pytest.raises(PeerFault, match="rest_refused"):
            await moved
    assert rest.asked == []
