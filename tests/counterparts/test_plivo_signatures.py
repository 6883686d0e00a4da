"""Plivo's own SDK signs for our platform and judges what our simulator signs. Its V3 scheme has no time to be stale."""

from dataclasses import replace
from urllib.parse import urlencode

import pytest
from plivo.utils.signature_v3 import (
    construct_get_url,
    construct_post_url,
    get_signature_v3,
    validate_v3_signature,
)

from gateway.platforms.base import WebhookRequest
from gateway.platforms.plivo import Plivo
from gateway.simulator.plivo import PlivoRinging
from gateway.simulator.ringing import Reply
from tests.counterparts.requests import BASE, FORM, asked, opened

pytestmark = pytest.mark.counterparts

TOKEN = "synthetic-token-0001"
NONCE = "05429567804466091622"
PLIVO = Plivo(TOKEN)
URL = f"{BASE}/plivo/voice"
STREAM_URL = "wss://bot.example.test/plivo/stream"
SIGNATURE, NONCE_HEADER = "x-plivo-signature-v3", "x-plivo-signature-v3-nonce"
REPEATED = (("CallUUID", "2"), ("CallUUID", "10"), ("CallUUID", "1"), ("To", "15550100002"))


def grouped(form: tuple[tuple[str, str], ...]) -> dict[str, str | list[str]]:
    """Fields as the SDK takes them: several values of a name as a list."""
    values: dict[str, list[str]] = {}
    for name, value in form:
        values.setdefault(name, []).append(value)
    return {name: found if len(found) > 1 else found[0] for name, found in values.items()}


def signed(url: str, form: tuple[tuple[str, str], ...] = (), method: str = "POST") -> WebhookRequest:
    """A request of ours that the SDK has signed."""
    construct = construct_get_url if method == "GET" else construct_post_url
    signature = get_signature_v3(TOKEN, construct(url, grouped(form)).decode(), NONCE).decode()
    body = urlencode(form).encode()
    return WebhookRequest(method, url, {SIGNATURE: signature, NONCE_HEADER: NONCE}, form, body)


def sdk_accepts(request: WebhookRequest) -> bool:
    """What the SDK says of a request."""
    nonce, signature = request.headers[NONCE_HEADER], request.headers[SIGNATURE]
    return bool(
        validate_v3_signature(request.method, request.url, nonce, TOKEN, signature, grouped(request.form) or None)
    )


GOOD = {
    "a form": signed(URL, tuple(FORM.items())),
    "a form and a query": signed(f"{URL}?bot=front%20desk&a=1", tuple(FORM.items())),
    "repeated fields": signed(URL, REPEATED),
    # The SDK cannot read a query with other letters than ASCII.
    "a query alone": signed(f"{URL}?{urlencode({**FORM, 'City': 'Sao Paulo & mas'})}", method="GET"),
    "a repeated query": signed(f"{URL}?b=2&b=10&a=", method="GET"),
    "nothing to say": signed(URL),
    "a slash at the end": signed(f"{URL}/", tuple(FORM.items())),
    "a port": signed("https://bot.example.test:8443/plivo/voice", tuple(FORM.items())),
}
FORM_REQUEST = GOOD["a form"]
ALTERED = {
    "another value": replace(FORM_REQUEST, form=(("CallSid", "CA0002"), *FORM_REQUEST.form[1:])),
    "one field more": replace(FORM_REQUEST, form=(*FORM_REQUEST.form, ("Extra", "1"))),
    "one field less": replace(FORM_REQUEST, form=FORM_REQUEST.form[1:]),
    "another method": replace(FORM_REQUEST, method="GET"),
    "another path": replace(FORM_REQUEST, url=f"{BASE}/plivo/status"),
    "a slash behind it": replace(FORM_REQUEST, url=f"{URL}/"),
    "a port, which Plivo signs as it stands": replace(FORM_REQUEST, url=URL.replace("test/", "test:443/")),
    "a query behind it": replace(FORM_REQUEST, url=f"{URL}?bot=1"),
    "another scheme": replace(FORM_REQUEST, url=URL.replace("https", "http")),
    "another nonce": replace(FORM_REQUEST, headers={**FORM_REQUEST.headers, NONCE_HEADER: NONCE[::-1]}),
    "another signature": replace(FORM_REQUEST, headers={**FORM_REQUEST.headers, SIGNATURE: "A" * 43 + "="}),
}


@pytest.mark.parametrize("request_", GOOD.values(), ids=GOOD)
def test_what_the_sdk_signs_is_taken(request_: WebhookRequest) -> None:
    assert sdk_accepts(request_)
    assert PLIVO.verify(request_)
    assert not Plivo("another-token").verify(request_)


@pytest.mark.parametrize("request_", ALTERED.values(), ids=ALTERED)
def test_what_was_altered_is_refused_by_both(request_: WebhookRequest) -> None:
    assert not sdk_accepts(request_)
    assert not PLIVO.verify(request_)


def test_one_of_several_signatures_is_enough_for_both() -> None:
    several = f"{'A' * 43}=,{FORM_REQUEST.headers[SIGNATURE]}"
    request = replace(FORM_REQUEST, headers={**FORM_REQUEST.headers, SIGNATURE: several})
    assert sdk_accepts(request)
    assert PLIVO.verify(request)


def test_an_upgrade_is_signed_by_its_address() -> None:
    request = signed(STREAM_URL, method="GET")
    assert PLIVO.verify(request)
    assert not PLIVO.verify(replace(request, url=f"{STREAM_URL}/"))
    assert not PLIVO.verify(replace(request, headers={**request.headers, NONCE_HEADER: ""}))


def test_the_sdk_takes_what_our_simulator_signs() -> None:
    ringing = PlivoRinging("seed", TOKEN)
    webhook = asked(ringing.ask(BASE))
    assert sdk_accepts(webhook)
    assert PLIVO.verify(webhook)
    answer = PLIVO.answer(STREAM_URL, "token", {})
    upgrade = opened(ringing.door(BASE, Reply(answer.content_type, answer.body)))
    assert PLIVO.verify(upgrade)
    # The SDK's check takes http and https addresses only, so its signer says what the upgrade must carry.
    nonce = upgrade.headers[NONCE_HEADER]
    expected = get_signature_v3(TOKEN, construct_get_url(upgrade.url, {}).decode(), nonce).decode()
    assert upgrade.headers[SIGNATURE] == expected
