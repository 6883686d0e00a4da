"""Vonage's call resource over loopback, and the tokens an application signs."""

import json
from base64 import urlsafe_b64decode
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1
from cryptography.hazmat.primitives.asymmetric.ec import generate_private_key as ec_key
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key as rsa_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from gateway.errors import PeerFault, Refused
from gateway.platforms.base import Document
from gateway.platforms.control import OutboundCall
from gateway.platforms.vonage_control import TOKEN_LIFE_S, ApplicationToken, VonageControl
from tests.rig.call_rest import BRIEF, CallRest

CALL = "00000000-0000-4000-8000-000000000001"
APPLICATION = "00000000-0000-4000-8000-0000000000bb"
NOW_S = 1767225600
PLAIN = (Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
KEY = rsa_key(65537, 2048)
PEM = KEY.private_bytes(*PLAIN).decode()
OUTBOUND = OutboundCall("+15550100001", "+15550100002", "https://bot.example.test/vonage/voice", ring_timeout_s=20)


@pytest.fixture
async def rest() -> AsyncIterator[CallRest]:
    async with CallRest().serving() as serving:
        yield serving


@pytest.fixture
async def vonage(rest: CallRest) -> AsyncIterator[VonageControl]:
    token = ApplicationToken(APPLICATION, PEM, now=lambda: NOW_S)
    async with aiohttp.ClientSession() as http:
        yield VonageControl(http, token, base_url=rest.base_url + "/", patience=BRIEF)


def claims_of(token: str) -> dict[str, Any]:
    """Check the signature as Vonage does, and return the claims."""
    signed, _, signature = token.rpartition(".")
    KEY.public_key().verify(_decoded(signature), signed.encode(), PKCS1v15(), SHA256())
    header, _, payload = signed.partition(".")
    assert json.loads(_decoded(header)) == {"alg": "RS256", "typ": "JWT"}
    claims: dict[str, Any] = json.loads(_decoded(payload))
    return claims


def _decoded(part: str) -> bytes:
    return urlsafe_b64decode(part + "=" * (-len(part) % 4))


async def test_each_request_carries_a_fresh_token_of_the_application(rest: CallRest, vonage: VonageControl) -> None:
    await vonage.hang_up(CALL)
    await vonage.hang_up(CALL)
    first, second = (claims_of(asked.bearer) for asked in rest.asked)
    assert {**first, "jti": ""} == {
        "application_id": APPLICATION,
        "iat": NOW_S,
        "exp": NOW_S + TOKEN_LIFE_S,
        "jti": "",
    }
    assert first["jti"] != second["jti"]


@pytest.mark.parametrize("pem", ["", "no key", ec_key(SECP256R1()).private_bytes(*PLAIN).decode()])
def test_what_is_no_rsa_key_is_an_error(pem: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        ApplicationToken(APPLICATION, pem)


async def test_hanging_up_ends_the_leg(rest: CallRest, vonage: VonageControl) -> None:
    rest.answers = [(204, None)]
    await vonage.hang_up("a/b")
    (asked,) = rest.asked
    assert (asked.method, asked.path, asked.body) == ("PUT", "/v1/calls/a%2Fb", {"action": "hangup"})


@pytest.mark.parametrize("status", [404, 410])
async def test_hanging_up_a_call_that_is_over_is_a_success(status: int, rest: CallRest, vonage: VonageControl) -> None:
    rest.answers = [(status, {})]
    await vonage.hang_up(CALL)


@pytest.mark.parametrize("fault", [500, 429, "drop", "stall"])
async def test_hanging_up_is_tried_again(fault: int | str, rest: CallRest, vonage: VonageControl) -> None:
    rest.faults = [fault, fault]
    await vonage.hang_up(CALL)
    assert len(rest.asked) == 3


@pytest.mark.parametrize(("status", "code"), [(401, "rest_unauthorised"), (400, "rest_refused"), (302, "rest_refused")])
async def test_a_refusal_is_a_fault_without_the_apis_words(
    status: int, code: str, rest: CallRest, vonage: VonageControl
) -> None:
    rest.faults = [status]
    with pytest.raises(PeerFault) as raised:
        await vonage.hang_up(CALL)
    assert raised.value.code == code
    assert "555" not in str(raised.value)


@pytest.mark.parametrize(
    ("target", "endpoint"),
    [
        ("+15550100009", {"type": "phone", "number": "15550100009"}),
        ("sip:agent@example.test", {"type": "sip", "uri": "sip:agent@example.test"}),
    ],
)
async def test_a_transfer_connects_the_leg_elsewhere(
    target: str, endpoint: dict[str, str], rest: CallRest, vonage: VonageControl
) -> None:
    await vonage.transfer(CALL, target)
    ncco = [{"action": "connect", "endpoint": [endpoint]}]
    assert rest.asked[0].body == {"action": "transfer", "destination": {"type": "ncco", "ncco": ncco}}


async def test_another_document_is_followed(rest: CallRest, vonage: VonageControl) -> None:
    await vonage.redirect(CALL, Document("application/json", '[{"action":"talk","text":"hi"}]'))
    assert rest.asked[0].body["destination"]["ncco"] == [{"action": "talk", "text": "hi"}]


async def test_a_transfer_to_nowhere_is_refused_before_anything_is_asked(rest: CallRest, vonage: VonageControl) -> None:
    with pytest.raises(Refused):
        await vonage.transfer(CALL, "the office")
    assert rest.asked == []


async def test_a_transfer_of_a_call_that_is_over_is_a_fault(rest: CallRest, vonage: VonageControl) -> None:
    rest.answers = [(404, {})]
    with pytest.raises(PeerFault) as raised:
        await vonage.transfer(CALL, "+15550100009")
    assert raised.value.code == "call_over"


async def test_a_transfer_that_may_have_happened_is_not_tried_again(rest: CallRest, vonage: VonageControl) -> None:
    rest.faults = ["stall"]
    with pytest.raises(PeerFault):
        await vonage.transfer(CALL, "+15550100009")
    assert len(rest.asked) == 1


@pytest.mark.parametrize("status_url", ["", "https://bot.example.test/vonage/status"])
async def test_a_new_call_asks_our_webhook_by_post(status_url: str, rest: CallRest, vonage: VonageControl) -> None:
    rest.answers = [(201, {"uuid": CALL})]
    call = OutboundCall(OUTBOUND.to, OUTBOUND.caller, OUTBOUND.answer_url, status_url, 20)
    assert await vonage.dial(call) == CALL
    (asked,) = rest.asked
    assert (asked.method, asked.path) == ("POST", "/v1/calls")
    expected: dict[str, Any] = {
        "to": [{"type": "phone", "number": "15550100001"}],
        "from": {"type": "phone", "number": "15550100002"},
        "answer_url": [OUTBOUND.answer_url],
        "answer_method": "POST",
        "ringing_timer": 20,
    }
    assert asked.body == ({**expected, "event_url": [status_url]} if status_url else expected)


@pytest.mark.parametrize("body", [{}, {"uuid": ""}, {"uuid": 5}])
async def test_a_new_call_without_an_id_is_a_fault(body: Any, rest: CallRest, vonage: VonageControl) -> None:
    rest.answers = [(201, body)]
    with pytest.raises(PeerFault) as raised:
        await vonage.dial(OUTBOUND)
    assert raised.value.code == "rest_bad_answer"


async def test_keys_are_pressed_in_the_leg_once(rest: CallRest, vonage: VonageControl) -> None:
    await vonage.send_digits(CALL, "12#")
    (asked,) = rest.asked
    assert (asked.method, asked.path, asked.body) == ("PUT", f"/v1/calls/{CALL}/dtmf", {"digits": "12#"})


async def test_garbage_for_an_answer_is_a_fault(rest: CallRest, vonage: VonageControl) -> None:
    rest.faults = ["garbage"]
    with pytest.raises(PeerFault):
        await vonage.dial(OUTBOUND)
