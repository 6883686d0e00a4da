"""Telnyx's own SDK judges what our simulator signs; PyNaCl, which it checks with, signs for our platform."""

import time
from base64 import b64encode
from dataclasses import replace
from urllib.parse import urlencode

import pytest
from nacl.signing import SigningKey
from telnyx.lib.webhook_verification import WebhookVerificationError, verify_webhook_signature

from gateway.platforms.base import WebhookRequest
from gateway.platforms.telnyx import Telnyx
from gateway.simulator.telnyx import TelnyxRinging
from tests.counterparts.requests import BASE, FORM, asked

pytestmark = pytest.mark.counterparts

KEY = SigningKey(bytes(range(32)))
PUBLIC_KEY = b64encode(bytes(KEY.verify_key)).decode()
TELNYX = Telnyx(PUBLIC_KEY)
URL = f"{BASE}/telnyx/voice"
SIGNATURE, TIMESTAMP = "telnyx-signature-ed25519", "telnyx-timestamp"
JSON = b'{"data":{"event_type":"call.initiated","payload":{"call_control_id":"v3:1","city":"S\xc3\xa3o Paulo"}}}'


def signed(body: bytes, age_s: int = 0, key: SigningKey = KEY) -> WebhookRequest:
    timestamp = str(int(time.time()) - age_s)
    signature = b64encode(key.sign(timestamp.encode() + b"|" + body).signature).decode()
    return WebhookRequest("POST", URL, {SIGNATURE: signature, TIMESTAMP: timestamp}, body=body)


def sdk_accepts(request: WebhookRequest) -> bool:
    """What the SDK says of a request."""
    try:
        verify_webhook_signature(request.body, request.headers, PUBLIC_KEY)
    except WebhookVerificationError:
        return False
    return True


GOOD = {
    "a command's event": signed(JSON),
    "a form of TeXML": signed(urlencode(FORM).encode()),
    "an empty body": signed(b""),
    "a slow one": signed(JSON, 240),
    "one of a fast clock": signed(JSON, -240),
}
FRESH = signed(JSON)
ALTERED = {
    "another body": replace(FRESH, body=JSON.replace(b"v3:1", b"v3:2")),
    "no body": replace(FRESH, body=b""),
    "a byte more": replace(FRESH, body=JSON + b"\n"),
    "another time": replace(FRESH, headers={**FRESH.headers, TIMESTAMP: str(int(FRESH.headers[TIMESTAMP]) - 1)}),
    "an old one": signed(JSON, 302),
    "one of the future": signed(JSON, -400),
    "another key": signed(JSON, key=SigningKey(bytes(32))),
    "a time that is none": replace(FRESH, headers={**FRESH.headers, TIMESTAMP: "soon"}),
    "a signature that is none": replace(FRESH, headers={**FRESH.headers, SIGNATURE: "soon"}),
    "no signature": replace(FRESH, headers={TIMESTAMP: FRESH.headers[TIMESTAMP]}),
}


@pytest.mark.parametrize("request_", GOOD.values(), ids=GOOD)
def test_what_is_signed_is_taken_by_both(request_: WebhookRequest) -> None:
    assert sdk_accepts(request_)
    assert TELNYX.verify(request_)


@pytest.mark.parametrize("request_", ALTERED.values(), ids=ALTERED)
def test_what_was_altered_is_refused_by_both(request_: WebhookRequest) -> None:
    assert not sdk_accepts(request_)
    assert not TELNYX.verify(request_)


@pytest.mark.parametrize("url", [f"{URL}/", URL.replace("test/", "test:443/"), f"{URL}?bot=1"])
def test_the_address_and_the_method_are_not_signed_so_a_proxy_may_change_them(url: str) -> None:
    assert TELNYX.verify(replace(FRESH, url=url))
    assert TELNYX.verify(replace(FRESH, method="PUT"))


def test_the_sdk_takes_what_our_simulator_signs() -> None:
    webhook = asked(TelnyxRinging("seed", b64encode(bytes(KEY)).decode()).ask(BASE))
    assert sdk_accepts(webhook)
    assert TELNYX.verify(webhook)
