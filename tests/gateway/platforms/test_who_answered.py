"""Platforms that find out who answers: what they are asked when a call is placed, and what they call back (F-119)."""

import json
from collections.abc import Callable
from typing import Any

import aiohttp
import pytest

from gateway.platforms.base import Answerer, TellsWhoAnswered, WebhookRequest
from gateway.platforms.control import CallControl, OutboundCall, TwilioControl
from gateway.platforms.plivo_control import PlivoControl
from gateway.platforms.registry import build_platform
from gateway.platforms.telnyx_control import TelnyxControl
from gateway.platforms.vonage_control import ApplicationToken, VonageControl
from tests.gateway.platforms.test_vonage_control import PEM
from tests.rig.call_rest import CallRest

STATUS = "https://bot.example.test/x/status"
KEYS: dict[str, dict[str, Any]] = {
    "twilio": {"auth_token": "t"},
    "signalwire": {"signing_key": "k"},
    "telnyx": {"public_key_base64": "A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg="},
    "plivo": {"auth_token": "t"},
    "vobiz": {"auth_token": "t"},
    "vonage": {"signature_secret": "s"},
}


def platform(name: str) -> TellsWhoAnswered:
    made = build_platform(name, **KEYS[name])
    assert isinstance(made, TellsWhoAnswered)
    return made


def form(**fields: str) -> WebhookRequest:
    return WebhookRequest("POST", STATUS, {}, tuple(fields.items()))


def event(kind: str, **payload: str) -> WebhookRequest:
    body = {"data": {"event_type": kind, "payload": {"call_control_id": "c1", **payload}}}
    return WebhookRequest("POST", STATUS, {}, (), json.dumps(body).encode())


@pytest.mark.parametrize("name", ["twilio", "signalwire", "telnyx"])
@pytest.mark.parametrize(
    ("said", "answerer"),
    [
        ("human", Answerer("c1", "human")),
        ("machine_start", Answerer("c1", "machine")),
        ("machine_end_beep", Answerer("c1", "machine", announced=True)),
        ("machine_end_silence", Answerer("c1", "machine", announced=True)),
        ("fax", Answerer("c1", "fax")),
        ("unknown", None),
        ("", None),
    ],
)
def test_those_like_twilio_say_it_in_one_word(name: str, said: str, answerer: Answerer | None) -> None:
    assert platform(name).answered_by(form(CallSid="c1", AnsweredBy=said)) == answerer


@pytest.mark.parametrize(
    ("request_", "answerer"),
    [
        (event("call.machine.detection.ended", result="human"), Answerer("c1", "human")),
        (event("call.machine.detection.ended", result="machine"), Answerer("c1", "machine")),
        (event("call.machine.detection.ended", result="not_sure"), None),
        (event("call.machine.greeting.ended", result="beep_detected"), Answerer("c1", "machine", announced=True)),
        (event("call.hangup"), None),
    ],
)
def test_telnyx_call_control_says_it_in_events(request_: WebhookRequest, answerer: Answerer | None) -> None:
    assert platform("telnyx").answered_by(request_) == answerer


@pytest.mark.parametrize("name", ["plivo", "vobiz"])
def test_plivo_says_machine_or_not(name: str) -> None:
    assert platform(name).answered_by(form(CallUUID="c1", Machine="true")) == Answerer("c1", "machine")
    assert platform(name).answered_by(form(CallUUID="c1", Machine="False")) == Answerer("c1", "human")
    assert platform(name).answered_by(form(CallUUID="c1", CallStatus="completed")) is None


def test_vonage_says_it_as_a_status() -> None:
    for status, answerer in (("human", Answerer("c1", "human")), ("machine", Answerer("c1", "machine")), ("x", None)):
        body = json.dumps({"uuid": "c1", "status": status}).encode()
        assert platform("vonage").answered_by(WebhookRequest("POST", STATUS, {}, (), body)) == answerer


@pytest.mark.parametrize("name", sorted(KEYS))
def test_a_callback_without_a_call_says_nothing(name: str) -> None:
    for broken in (form(), form(AnsweredBy="human", Machine="true"), WebhookRequest("POST", STATUS, {}, (), b"{")):
        assert platform(name).answered_by(broken) is None


MakeControl = Callable[[aiohttp.ClientSession, str], CallControl]
CONTROLS: dict[str, tuple[MakeControl, dict[str, Any]]] = {
    "twilio": (
        lambda http, url: TwilioControl(http, "AC1", "s", base_url=url),
        {"MachineDetection": "DetectMessageEnd", "AsyncAmd": "true", "AsyncAmdStatusCallback": STATUS},
    ),
    "telnyx texml": (
        lambda http, url: TelnyxControl(http, "k", account_id="a", application_id="b", base_url=url),
        {"MachineDetection": "DetectMessageEnd", "AsyncAmd": "true", "AsyncAmdStatusCallback": STATUS},
    ),
    "telnyx call control": (
        lambda http, url: TelnyxControl(http, "k", application_id="b", application="call_control", base_url=url),
        {"answering_machine_detection": "greeting_end"},
    ),
    "plivo": (
        lambda http, url: PlivoControl(http, "a", "t", publish=lambda _: "", base_url=url),
        {"machine_detection": "true", "machine_detection_url": STATUS},
    ),
    "vonage": (
        lambda http, url: VonageControl(http, ApplicationToken("app", PEM), base_url=url),
        {"machine_detection": "continue"},
    ),
}


@pytest.mark.parametrize("name", CONTROLS)
@pytest.mark.parametrize("ask_who", [True, False])
async def test_a_platform_is_asked_who_answers_where_that_is_wanted(name: str, ask_who: bool) -> None:
    make, fields = CONTROLS[name]
    async with CallRest().serving() as rest, aiohttp.ClientSession() as http:
        rest.answers = [(200, {"sid": "c1", "call_control_id": "c1", "request_uuid": "c1", "uuid": "c1"})]
        call = OutboundCall("+15550100001", "+15550100002", "https://b.test/v", STATUS, ask_who=ask_who)
        assert await make(http, rest.base_url).dial(call) == "c1"
    body = rest.asked[0].body
    assert {key: body[key] for key in fields if key in body} == (fields if ask_who else {})
