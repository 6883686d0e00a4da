"""Bandwidth's calls: read from REST, led by BXML, told of with credentials."""

from typing import Any

import pytest

from gateway.simulator.carrier.bandwidth import BandwidthCarrier
from gateway.simulator.carrier.base import End, Enter, HangUp, LeaveStream, Move, Place, RestRequest, Say, State
from gateway.simulator.failure import CallFailed
from gateway.simulator.ringing import Reply
from tests.gateway.simulator.carrier.rig import ANSWER_URL, CALL, HOST, STATUS_URL, fields_of, sent

CALLS = "/api/v2/accounts/5000000/calls"
WANTED = {
    "to": "+15550100009",
    "from": "+15550100002",
    "answerUrl": ANSWER_URL,
    "disconnectUrl": STATUS_URL,
    "callTimeout": 30,
    "username": "operator",
    "password": "secret",
}
PLACE = Place("+15550100009", "+15550100002", ANSWER_URL, STATUS_URL, 30.0)
BXML = "<Response><Hangup/></Response>"
CARRIER = BandwidthCarrier("operator:secret")


def bxml(method: str = "PUT", content_type: str = "application/xml") -> RestRequest:
    return RestRequest(method, f"{HOST}{CALLS}/c1/bxml", content_type, BXML.encode())


def test_what_is_wanted_of_a_call_is_read() -> None:
    assert CARRIER.wish(sent("POST", CALLS, WANTED)) == PLACE
    assert CARRIER.wish(sent("POST", f"{CALLS}/c1", {"state": "completed"})) == End("c1")
    assert CARRIER.wish(bxml()) == Move("c1", Reply("application/xml", BXML))


@pytest.mark.parametrize(
    "request_",
    [
        sent("POST", CALLS, {**WANTED, "answerUrl": ""}),
        sent("POST", CALLS, {**WANTED, "password": "another"}),
        sent("PUT", CALLS, WANTED),
        sent("POST", f"{CALLS}/c1", {"state": "dancing"}),
        sent("POST", "/calls", WANTED),
        bxml("POST"),
        bxml(content_type="application/json"),
    ],
)
def test_what_the_api_does_not_take_is_refused(request_: RestRequest) -> None:
    with pytest.raises(CallFailed, match="bad_request"):
        CARRIER.wish(request_)


def test_what_is_granted_and_what_is_gone_is_told_as_the_platform_does() -> None:
    assert (CARRIER.granted(PLACE, "c1").status, CARRIER.granted(PLACE, "c1").body) == (201, {"callId": "c1"})
    assert (CARRIER.granted(End("c1"), "c1").status, CARRIER.gone().status) == (204, 404)


def test_callbacks_show_the_credentials_and_only_the_end_is_told() -> None:
    answered = CARRIER.answered(CALL)
    assert (answered.url, fields_of(answered)["eventType"]) == (ANSWER_URL, "answer")
    assert answered.headers["Authorization"].startswith("Basic ")
    ends = [webhook for state in State if (webhook := CARRIER.told(CALL, state)) is not None]
    assert [fields_of(end)["cause"] for end in ends] == ["hangup", "busy", "timeout", "cancel"]
    assert {(end.url, fields_of(end)["eventType"]) for end in ends} == {(STATUS_URL, "disconnect")}


@pytest.mark.parametrize(
    ("verbs", "steps"),
    [
        ("<SpeakSentence>Ada.</SpeakSentence><Conference>r</Conference>", [Say("Ada."), Enter("r")]),
        ('<StopStream name="voicebot"/><Conference>r</Conference>', [LeaveStream(), Enter("r")]),
        ("<Hangup/>", [HangUp()]),
    ],
)
def test_a_document_is_followed(verbs: str, steps: list[Any]) -> None:
    assert CARRIER.steps(Reply("application/xml", f"<Response>{verbs}</Response>")) == steps
    with pytest.raises(CallFailed, match="bad_document"):
        CARRIER.steps(Reply("application/xml", "<Response><Say>Ada.</Say></Response>"))
