"""Plivo's and Vobiz's calls: read from REST, led by their XML, told of by signed forms."""

from typing import Any

import pytest

from gateway.simulator.carrier.base import End, Enter, HangUp, Move, Place, RestRequest, Say, State
from gateway.simulator.carrier.plivo import PlivoCarrier, VobizCarrier
from gateway.simulator.failure import CallFailed
from gateway.simulator.ringing import Reply, Webhook
from tests.gateway.simulator.carrier.rig import ANSWER_URL, CALL, STATUS_URL, fields_of, sent

CALLS = "/v1/Account/MA1/Call/"
WANTED = {
    "to": "15550100009",
    "from": "15550100002",
    "answer_url": ANSWER_URL,
    "ring_timeout": 30,
    "hangup_url": STATUS_URL,
}
PLACE = Place("+15550100009", "15550100002", ANSWER_URL, STATUS_URL, 30.0)


@pytest.mark.parametrize("carrier", [PlivoCarrier("t"), VobizCarrier("t")])
def test_what_is_wanted_of_a_call_is_read(carrier: PlivoCarrier) -> None:
    calls = CALLS if carrier.name == "plivo" else f"/api{CALLS}"
    assert carrier.wish(sent("POST", calls, WANTED)) == PLACE
    assert carrier.wish(RestRequest("DELETE", f"https://api.example.test{calls}c1/")) == End("c1")
    move = carrier.wish(
        sent("POST", f"{calls}c1/", {"legs": "aleg", "aleg_url": "https://x.test/d", "aleg_method": "GET"})
    )
    assert isinstance(move, Move)
    assert isinstance(move.document, Webhook)
    assert (move.call_id, move.document.method, move.document.url) == ("c1", "GET", "https://x.test/d")


@pytest.mark.parametrize(
    "request_",
    [
        sent("POST", CALLS, {"to": "1"}),
        sent("POST", f"{CALLS}c1/", {"legs": "both", "aleg_url": "https://x.test/d"}),
        sent("POST", f"{CALLS}c1/", {"legs": "aleg"}),
        sent("PUT", f"{CALLS}c1/", {}),
        sent("POST", "/v1/Account/MA1/Call", WANTED),
    ],
)
def test_what_the_api_does_not_take_is_refused(request_: RestRequest) -> None:
    with pytest.raises(CallFailed, match="bad_request"):
        PlivoCarrier("t").wish(request_)


def test_what_is_granted_and_what_is_gone_is_told_as_the_platform_does() -> None:
    carrier = PlivoCarrier("t")
    assert (carrier.granted(PLACE, "c1").status, carrier.granted(PLACE, "c1").body["request_uuid"]) == (201, "c1")
    assert carrier.granted(End("c1"), "c1").status == 204
    assert carrier.granted(Move("c1", Reply("", "")), "c1").status == 202
    assert carrier.gone().status == 404


@pytest.mark.parametrize(("carrier", "vendor"), [(PlivoCarrier("t"), "Plivo"), (VobizCarrier("t"), "Vobiz")])
def test_callbacks_are_signed_forms_and_only_the_end_is_told(carrier: PlivoCarrier, vendor: str) -> None:
    answered = carrier.answered(CALL)
    assert (answered.url, fields_of(answered)["Event"]) == (ANSWER_URL, "StartApp")
    assert f"X-{vendor}-Signature-V3" in answered.headers
    ends = [webhook for state in State if (webhook := carrier.told(CALL, state)) is not None]
    assert [fields_of(end)["CallStatus"] for end in ends] == ["completed", "busy", "no-answer", "cancel"]
    assert {(end.url, fields_of(end)["Event"]) for end in ends} == {(STATUS_URL, "Hangup")}


@pytest.mark.parametrize(
    ("verbs", "steps"),
    [
        ("<Speak>Ada.</Speak><Conference>r</Conference>", [Say("Ada."), Enter("r")]),
        ('<Conference startConferenceOnEnter="false">r</Conference>', [Enter("r", starts=False)]),
        ("<Hangup/>", [HangUp()]),
    ],
)
def test_a_document_is_followed(verbs: str, steps: list[Any]) -> None:
    assert PlivoCarrier("t").steps(Reply("text/xml", f"<Response>{verbs}</Response>")) == steps
    with pytest.raises(CallFailed, match="bad_document"):
        PlivoCarrier("t").steps(Reply("text/xml", "<Response><Say>Ada.</Say></Response>"))
