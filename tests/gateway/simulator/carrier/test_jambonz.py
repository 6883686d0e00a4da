"""jambonz' calls: read from REST, led by verbs, told of by signed JSON."""

import json
from typing import Any

import pytest

from gateway.simulator.carrier.base import End, Enter, HangUp, Move, Place, RestRequest, Say, State
from gateway.simulator.carrier.jambonz import JambonzCarrier
from gateway.simulator.failure import CallFailed
from gateway.simulator.ringing import Reply, Webhook
from tests.gateway.simulator.carrier.rig import ANSWER_URL, CALL, STATUS_URL, fields_of, sent

CALLS = "/v1/Accounts/a1/Calls"
WANTED = {
    "to": {"type": "phone", "number": "+15550100009"},
    "from": "+15550100002",
    "call_hook": {"url": ANSWER_URL, "method": "POST"},
    "call_status_hook": {"url": STATUS_URL, "method": "POST"},
    "timeout": 30,
}
PLACE = Place("+15550100009", "+15550100002", ANSWER_URL, STATUS_URL, 30.0)


def test_what_is_wanted_of_a_call_is_read() -> None:
    carrier = JambonzCarrier("t")
    assert carrier.wish(sent("POST", CALLS, WANTED)) == PLACE
    assert carrier.wish(sent("PUT", f"{CALLS}/c1", {"call_status": "completed"})) == End("c1")
    move = carrier.wish(sent("PUT", f"{CALLS}/c1", {"call_hook": {"url": "https://x.test/d", "method": "POST"}}))
    assert isinstance(move, Move)
    assert isinstance(move.document, Webhook)
    assert (move.call_id, move.document.url) == ("c1", "https://x.test/d")
    assert "Jambonz-Signature" in move.document.headers


@pytest.mark.parametrize(
    "request_",
    [
        sent("POST", CALLS, {**WANTED, "to": "+15550100009"}),
        sent("PUT", f"{CALLS}/c1", {"call_status": "dancing"}),
        sent("POST", "/v1/Calls", WANTED),
    ],
)
def test_what_the_api_does_not_take_is_refused(request_: RestRequest) -> None:
    with pytest.raises(CallFailed, match="bad_request"):
        JambonzCarrier("t").wish(request_)


def test_what_is_granted_and_what_is_gone_is_told_as_the_platform_does() -> None:
    carrier = JambonzCarrier("t")
    assert (carrier.granted(PLACE, "c1").status, carrier.granted(PLACE, "c1").body) == (201, {"sid": "c1"})
    assert (carrier.granted(End("c1"), "c1").status, carrier.gone().status) == (202, 404)


def test_callbacks_are_signed_and_everything_is_told() -> None:
    carrier = JambonzCarrier("t")
    answered = carrier.answered(CALL)
    assert (answered.url, fields_of(answered)["callStatus"]) == (ANSWER_URL, "in-progress")
    assert "Jambonz-Signature" in answered.headers
    told = [webhook for state in State if (webhook := carrier.told(CALL, state)) is not None]
    assert {webhook.url for webhook in told} == {STATUS_URL}
    states = ["ringing", "in-progress", "completed", "busy", "no-answer", "no-answer"]
    assert [fields_of(webhook)["callStatus"] for webhook in told] == states


@pytest.mark.parametrize(
    ("verbs", "steps"),
    [
        (
            [{"verb": "say", "text": "Ada."}, {"verb": "conference", "name": "r"}, {"verb": "hangup"}],
            [Say("Ada."), Enter("r"), HangUp()],
        ),
        (
            [{"verb": "conference", "name": "r", "startConferenceOnEnter": False, "endConferenceOnExit": True}],
            [Enter("r", starts=False, ends=True)],
        ),
        ([{"verb": "sip:decline", "status": 486}], [HangUp()]),
    ],
)
def test_a_document_is_followed(verbs: list[Any], steps: list[Any]) -> None:
    assert JambonzCarrier("t").steps(Reply("application/json", json.dumps(verbs))) == steps


def test_another_document_is_refused() -> None:
    with pytest.raises(CallFailed, match="bad_document"):
        JambonzCarrier("t").steps(Reply("application/json", '[{"verb": "listen"}]'))
