"""Vonage's calls: read from REST, led by NCCOs, told of by signed JSON."""

import json
from typing import Any

import pytest

from gateway.simulator.carrier.base import End, Enter, Move, Place, RestRequest, Say, State
from gateway.simulator.carrier.vonage import VonageCarrier
from gateway.simulator.failure import CallFailed
from gateway.simulator.ringing import Reply
from tests.gateway.simulator.carrier.rig import ANSWER_URL, CALL, STATUS_URL, fields_of, sent

WANTED = {
    "to": [{"type": "phone", "number": "15550100009"}],
    "from": {"type": "phone", "number": "15550100002"},
    "answer_url": [ANSWER_URL],
    "event_url": [STATUS_URL],
    "ringing_timer": 30,
}
PLACE = Place("+15550100009", "15550100002", ANSWER_URL, STATUS_URL, 30.0)
NCCO = [{"action": "conversation", "name": "r"}]
MOVE = {"action": "transfer", "destination": {"type": "ncco", "ncco": NCCO}}


def test_what_is_wanted_of_a_call_is_read() -> None:
    carrier = VonageCarrier("t")
    assert carrier.wish(sent("POST", "/v1/calls", WANTED)) == PLACE
    assert carrier.wish(sent("PUT", "/v1/calls/c1", {"action": "hangup"})) == End("c1")
    assert carrier.wish(sent("PUT", "/v1/calls/c1", MOVE)) == Move("c1", Reply("application/json", json.dumps(NCCO)))


@pytest.mark.parametrize(
    "request_",
    [
        sent("POST", "/v1/calls", {**WANTED, "to": "15550100009"}),
        sent("PUT", "/v1/calls/c1", {"action": "dance"}),
        sent("POST", "/v1/calls/c1", MOVE),
        sent("POST", "/v2/calls", WANTED),
    ],
)
def test_what_the_api_does_not_take_is_refused(request_: RestRequest) -> None:
    with pytest.raises(CallFailed, match="bad_request"):
        VonageCarrier("t").wish(request_)


def test_what_is_granted_and_what_is_gone_is_told_as_the_platform_does() -> None:
    carrier = VonageCarrier("t")
    assert (carrier.granted(PLACE, "c1").status, carrier.granted(PLACE, "c1").body["uuid"]) == (201, "c1")
    assert (carrier.granted(End("c1"), "c1").status, carrier.gone().status) == (204, 404)


def test_callbacks_are_signed_each_by_itself_and_everything_is_told() -> None:
    carrier = VonageCarrier("t")
    answered = carrier.answered(CALL)
    assert (answered.url, fields_of(answered)["uuid"]) == (ANSWER_URL, "c1")
    told = [webhook for state in State if (webhook := carrier.told(CALL, state)) is not None]
    states = ["ringing", "answered", "completed", "busy", "unanswered", "cancelled"]
    assert [fields_of(webhook)["status"] for webhook in told] == states
    assert len({webhook.headers["Authorization"] for webhook in (answered, *told)}) == 7


@pytest.mark.parametrize(
    ("actions", "steps"),
    [
        ([{"action": "talk", "text": "Ada."}, *NCCO], [Say("Ada."), Enter("r")]),
        ([{**NCCO[0], "startOnEnter": False, "endOnExit": True}], [Enter("r", starts=False, ends=True)]),
        ([], []),
    ],
)
def test_a_document_is_followed(actions: list[Any], steps: list[Any]) -> None:
    assert VonageCarrier("t").steps(Reply("application/json", json.dumps(actions))) == steps


def test_another_document_is_refused() -> None:
    with pytest.raises(CallFailed, match="bad_document"):
        VonageCarrier("t").steps(Reply("application/json", '[{"action": "connect"}]'))
