"""Twilio's, SignalWire's and Telnyx's calls: read from REST, led by TwiML, told of by signed forms."""

from base64 import b64encode
from typing import Any

import pytest

from gateway.simulator.carrier.base import Carrier, End, Enter, HangUp, Move, Place, RestRequest, Say, State
from gateway.simulator.carrier.twiml import SignalWireCarrier, TelnyxCarrier, TwilioCarrier
from gateway.simulator.failure import CallFailed
from gateway.simulator.ringing import Reply, Webhook
from tests.gateway.simulator.carrier.rig import ANSWER_URL, CALL, STATUS_URL, fields_of, posted, sent

ACCOUNT = "/2010-04-01/Accounts/AC1/Calls"
WANTED = {
    "To": "+15550100009",
    "From": "+15550100002",
    "Url": ANSWER_URL,
    "Timeout": "30",
    "StatusCallback": STATUS_URL,
}
PLACE = Place("+15550100009", "+15550100002", ANSWER_URL, STATUS_URL, 30.0)
TWIML = "<Response><Hangup/></Response>"
TEXML = "/v2/texml/Accounts/a1/Calls"
SEED = b64encode(bytes(32)).decode()


@pytest.mark.parametrize(
    ("carrier", "request_", "wish"),
    [
        (TwilioCarrier("t"), posted(f"{ACCOUNT}.json", **WANTED), PLACE),
        (TwilioCarrier("t"), posted(f"{ACCOUNT}/CA1.json", Twiml=TWIML), Move("CA1", Reply("text/xml", TWIML))),
        (TwilioCarrier("t"), posted(f"{ACCOUNT}/CA1.json", Status="completed"), End("CA1")),
        (SignalWireCarrier("t"), posted(f"/api/laml{ACCOUNT}.json", **WANTED), PLACE),
        (TelnyxCarrier(SEED), sent("POST", TEXML, WANTED), PLACE),
        (TelnyxCarrier(SEED), posted(f"{TEXML}/v3", Texml=TWIML), Move("v3", Reply("text/xml", TWIML))),
        (TelnyxCarrier(SEED), sent("POST", "/v2/calls/v3%3A1/actions/hangup", {}), End("v3:1")),
    ],
)
def test_what_is_wanted_of_a_call_is_read(carrier: Carrier, request_: RestRequest, wish: Any) -> None:
    assert carrier.wish(request_) == wish


def test_signalwire_fetches_what_a_call_is_led_to() -> None:
    wish = SignalWireCarrier("key").wish(posted(f"/api/laml{ACCOUNT}/c1.json", Url="https://bot.example.test/d/1"))
    assert isinstance(wish, Move)
    assert isinstance(wish.document, Webhook)
    assert wish.document.url == "https://bot.example.test/d/1"
    assert "X-SignalWire-Signature" in wish.document.headers


@pytest.mark.parametrize(
    ("carrier", "request_"),
    [
        (TwilioCarrier("t"), posted(f"{ACCOUNT}.json", To="+15550100009")),
        (TwilioCarrier("t"), posted(f"{ACCOUNT}/CA1.json")),
        (TwilioCarrier("t"), posted(f"{ACCOUNT}/CA1.json", "PUT", Status="completed")),
        (TwilioCarrier("t"), sent("POST", f"{ACCOUNT}.json", WANTED)),
        (TwilioCarrier("t"), posted("/v2/calls")),
        (SignalWireCarrier("t"), posted(f"/api/laml{ACCOUNT}/c1.json", Twiml=TWIML)),
        (TelnyxCarrier(SEED), posted(TEXML, **WANTED)),
        (TelnyxCarrier(SEED), posted(f"{TEXML}/v3", Twiml=TWIML)),
        (TelnyxCarrier(SEED), sent("POST", "/v2/calls/v3/actions/dance", {})),
    ],
)
def test_what_the_api_does_not_take_is_refused(carrier: Carrier, request_: RestRequest) -> None:
    with pytest.raises(CallFailed, match="bad_request"):
        carrier.wish(request_)


def test_what_is_granted_and_what_is_gone_is_told_as_the_platform_does() -> None:
    twilio, telnyx = TwilioCarrier("t"), TelnyxCarrier(SEED)
    assert (twilio.granted(PLACE, "c1").status, twilio.granted(End("c1"), "c1").status) == (201, 200)
    assert twilio.granted(PLACE, "c1").body["sid"] == "c1"
    assert (twilio.gone().status, twilio.gone().body["code"]) == (400, 21220)
    assert telnyx.granted(PLACE, "c1").body == {"call_sid": "c1"}
    assert (telnyx.gone().status, telnyx.gone().body["errors"][0]["code"]) == (422, "90018")


@pytest.mark.parametrize(
    ("carrier", "header"),
    [
        (TwilioCarrier("t"), "X-Twilio-Signature"),
        (SignalWireCarrier("t"), "X-SignalWire-Signature"),
        (TelnyxCarrier(SEED), "telnyx-signature-ed25519"),
    ],
)
def test_callbacks_are_signed_forms_and_only_the_end_is_told(carrier: Carrier, header: str) -> None:
    answered = carrier.answered(CALL)
    assert (answered.url, fields_of(answered)["CallStatus"]) == (ANSWER_URL, "in-progress")
    assert header in answered.headers
    told = {state: carrier.told(CALL, state) for state in State}
    assert [told[state] for state in (State.RINGING, State.ANSWERED)] == [None, None]
    ends = [webhook for webhook in told.values() if webhook is not None]
    assert [fields_of(webhook)["CallStatus"] for webhook in ends] == ["completed", "busy", "no-answer", "canceled"]
    assert {webhook.url for webhook in ends} == {STATUS_URL}
    assert {fields_of(webhook)["CallSid"] for webhook in ends} == {"c1"}


@pytest.mark.parametrize(
    ("verbs", "steps"),
    [
        ("<Say>Ada.</Say><Dial><Conference>r</Conference></Dial>", [Say("Ada."), Enter("r")]),
        (
            '<Dial><Conference startConferenceOnEnter="false" endConferenceOnExit="true">r</Conference></Dial>',
            [Enter("r", starts=False, ends=True)],
        ),
        ('<Reject reason="busy"/>', [HangUp()]),
        ("", []),
    ],
)
def test_a_document_is_followed(verbs: str, steps: list[Any]) -> None:
    assert TwilioCarrier("t").steps(Reply("text/xml", f"<Response>{verbs}</Response>")) == steps


@pytest.mark.parametrize(
    "text", ["", "<Say/>", "<Response><Connect/></Response>", "<Response><Dial>1</Dial></Response>"]
)
def test_another_document_is_refused(text: str) -> None:
    with pytest.raises(CallFailed, match="bad_document"):
        TwilioCarrier("t").steps(Reply("text/xml", text))
