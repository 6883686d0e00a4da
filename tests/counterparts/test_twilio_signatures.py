"""Twilio's own SDK signs for our platform and judges what our simulator signs; SignalWire's form scheme is the same."""

import json
from dataclasses import replace
from hashlib import sha256
from urllib.parse import urlencode

import pytest
from multidict import MultiDict
from twilio.request_validator import RequestValidator, get_signature_algorithm

from gateway.platforms.base import WebhookRequest
from gateway.platforms.signalwire import SignalWire
from gateway.platforms.twilio import Twilio
from gateway.simulator.ringing import Reply
from gateway.simulator.signalwire import SignalWireRinging
from gateway.simulator.twilio import TwilioRinging
from tests.counterparts.requests import BASE, FORM, asked, opened

pytestmark = pytest.mark.counterparts

TOKEN = "synthetic-token-0001"
SDK = RequestValidator(TOKEN)
TWILIO = Twilio(TOKEN)
URL = f"{BASE}/twilio/voice"


def signed(url: str, form: dict[str, str] | None = None, method: str = "POST") -> WebhookRequest:
    """A request of ours that the SDK has signed."""
    headers = {"x-twilio-signature": SDK.compute_signature(url, form or {})}
    return WebhookRequest(method, url, headers, tuple((form or {}).items()), urlencode(form or {}).encode())


def sdk_accepts(request: WebhookRequest) -> bool:
    """What the SDK says of a request."""
    form = MultiDict(request.form) if request.method == "POST" else {}
    return bool(SDK.validate(request.url, form, request.headers["x-twilio-signature"]))


GOOD = {
    "a form": signed(URL, FORM),
    "a form and a query": signed(f"{URL}?bot=front%20desk&bot=two", FORM),
    "a query": signed(f"{URL}?{urlencode(FORM)}", method="GET"),
    "an upgrade": signed("wss://bot.example.test/twilio/stream", method="GET"),
    "an upgrade with a port": signed("wss://bot.example.test:8443/twilio/stream", method="GET"),
}
FORM_REQUEST = GOOD["a form"]
ALTERED = {
    "another value": replace(FORM_REQUEST, form=(("CallSid", "CA0002"), *FORM_REQUEST.form[1:])),
    "one field more": replace(FORM_REQUEST, form=(*FORM_REQUEST.form, ("Extra", "1"))),
    "one field less": replace(FORM_REQUEST, form=FORM_REQUEST.form[1:]),
    "another method": replace(FORM_REQUEST, method="GET"),
    "another path": replace(FORM_REQUEST, url=f"{BASE}/twilio/status"),
    "a slash behind it": replace(FORM_REQUEST, url=f"{URL}/"),
    "a query behind it": replace(FORM_REQUEST, url=f"{URL}?bot=1"),
    "another scheme": replace(FORM_REQUEST, url=URL.replace("https", "http")),
    "another host": replace(FORM_REQUEST, url=URL.replace("bot.", "cat.")),
    "another signature": replace(FORM_REQUEST, headers={"x-twilio-signature": "AAAAAAAAAAAAAAAAAAAAAAAAAAA="}),
}


@pytest.mark.parametrize("request_", GOOD.values(), ids=GOOD)
def test_what_the_sdk_signs_is_taken(request_: WebhookRequest) -> None:
    assert sdk_accepts(request_)
    assert TWILIO.verify(request_)
    assert not Twilio("another-token").verify(request_)


@pytest.mark.parametrize("request_", ALTERED.values(), ids=ALTERED)
def test_what_was_altered_is_refused_by_both(request_: WebhookRequest) -> None:
    assert not sdk_accepts(request_)
    assert not TWILIO.verify(request_)


def test_repeated_values_are_signed_once_by_both() -> None:
    form = MultiDict([("Digits", "2"), ("Digits", "1"), ("Digits", "2")])
    headers = {"x-twilio-signature": SDK.compute_signature(URL, form)}
    assert TWILIO.verify(WebhookRequest("POST", URL, headers, tuple(form.items()), b"Digits=2&Digits=1&Digits=2"))


@pytest.mark.parametrize("signed_for", ["", ":443"])
@pytest.mark.parametrize("asked_at", ["", ":443", ":8443"])
def test_both_take_a_port_for_its_absence_and_no_other(signed_for: str, asked_at: str) -> None:
    at = {port: f"https://bot.example.test{port}/twilio/voice" for port in ("", ":443", ":8443")}
    request = replace(signed(at[signed_for], FORM), url=at[asked_at])
    # A signature without a port fits every port: the SDK drops it, and so do we.
    fits = signed_for == "" or asked_at in ("", ":443")
    assert sdk_accepts(request) == TWILIO.verify(request) == fits


def test_a_json_body_is_covered_by_its_hash() -> None:
    body = json.dumps({"CallSid": "CA0001"}).encode()
    url = f"{URL}?bodySHA256={sha256(body).hexdigest()}"
    request = WebhookRequest("POST", url, {"x-twilio-signature": SDK.compute_signature(url, {})}, body=body)
    assert TWILIO.verify(request)
    assert SDK.validate(url, body.decode(), request.headers["x-twilio-signature"])
    altered = replace(request, body=body.replace(b"CA0001", b"CA0002"))
    assert not TWILIO.verify(altered)
    assert not SDK.validate(url, altered.body.decode(), request.headers["x-twilio-signature"])


def test_a_body_that_nothing_covers_is_taken_by_the_sdk_and_refused_by_us() -> None:
    # With no fields and no bodySHA256 the SDK signs the address alone and leaves the body to its caller.
    request = replace(signed(URL), body=b'{"CallSid":"CA0001"}')
    assert sdk_accepts(request)
    assert not TWILIO.verify(request)


def test_the_newer_scheme_is_taken_with_its_key_alone() -> None:
    settings = "key=webhooks_sharedkey_1,algorithm=HMAC_SHA256"
    signature = RequestValidator("shared").compute_signature(URL, FORM, get_signature_algorithm(settings))
    headers = {"x-twilio-signature": signature, "x-twilio-webhooks-signature-settings": settings}
    request = replace(FORM_REQUEST, headers=headers)
    assert Twilio(TOKEN, {"webhooks_sharedkey_1": "shared"}).verify(request)
    assert not Twilio("shared", {"webhooks_sharedkey_2": "shared"}).verify(request)
    downgraded = {"x-twilio-signature": signature, "x-twilio-webhooks-signature-settings": settings[:-9] + "HMAC_SHA1"}
    assert not Twilio(TOKEN, {"webhooks_sharedkey_1": "shared"}).verify(replace(request, headers=downgraded))


def test_the_sdk_takes_what_our_simulator_signs() -> None:
    ringing = TwilioRinging("seed", TOKEN)
    webhook = asked(ringing.ask(BASE))
    answer = TWILIO.answer("wss://bot.example.test/twilio/stream", "token", {"bot": "front"})
    upgrade = opened(ringing.door(BASE, Reply(answer.content_type, answer.body)))
    for request in (webhook, upgrade):
        assert sdk_accepts(request)
        assert TWILIO.verify(request)


def test_signalwire_signs_forms_as_twilio_does() -> None:
    platform = SignalWire(TOKEN)
    webhook = asked(SignalWireRinging("seed", TOKEN).ask(BASE))
    assert SDK.validate(webhook.url, MultiDict(webhook.form), webhook.headers["x-signalwire-signature"])
    url = f"{BASE}/signalwire/voice"
    theirs = replace(signed(url, FORM), headers={"x-signalwire-signature": SDK.compute_signature(url, FORM)})
    assert platform.verify(theirs)
    assert not platform.verify(replace(theirs, url=f"{url}/"))
