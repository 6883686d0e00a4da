"""SignalWire's two signature schemes against vectors made with the vendor's own SDK."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.platforms.base import WebhookRequest
from gateway.platforms.signalwire_signature import signalwire_signature, verify_signalwire
from tests.rig.codec_vectors import VECTORS

VECTOR: dict[str, Any] = json.loads((VECTORS / "signalwire" / "signatures.json").read_text("utf-8"))
KEY: str = VECTOR["signing_key"]
URL: str = VECTOR["url"]
FORM = WebhookRequest(
    "POST",
    URL,
    {"x-signalwire-signature": VECTOR["form_signature"]},
    tuple((name, value) for name, value in VECTOR["form"]),
    b"AccountSid=...",
)
BODY = WebhookRequest("POST", URL, {"x-signalwire-signature": VECTOR["body_signature"]}, (), VECTOR["body"].encode())


@pytest.mark.parametrize("good", [FORM, BODY], ids=["base64 over the fields", "hex over the body"])
class TestEitherScheme:
    def test_a_signed_request_passes_and_another_key_does_not(self, good: WebhookRequest) -> None:
        assert verify_signalwire(good, KEY)
        assert not verify_signalwire(good, KEY + "x")
        assert not verify_signalwire(good, "")

    def test_the_header_may_have_its_older_name(self, good: WebhookRequest) -> None:
        older = replace(good, headers={"x-twilio-signature": good.headers["x-signalwire-signature"]})
        assert verify_signalwire(older, KEY)

    def test_a_port_makes_no_difference_and_the_path_does(self, good: WebhookRequest) -> None:
        assert verify_signalwire(replace(good, url=URL.replace(".test/", ".test:443/")), KEY)
        for url in (URL + "/", URL.replace("https", "http"), URL + "?x=1"):
            assert not verify_signalwire(replace(good, url=url), KEY)

    @pytest.mark.parametrize("signature", ["", "x", "é", "\udcff"])
    def test_a_wrong_signature_does_not_pass(self, good: WebhookRequest, signature: str) -> None:
        assert not verify_signalwire(replace(good, headers={"x-signalwire-signature": signature}), KEY)
        assert not verify_signalwire(replace(good, headers={}), KEY)


def test_what_was_altered_does_not_pass() -> None:
    assert not verify_signalwire(replace(FORM, form=(*FORM.form, ("Extra", "1"))), KEY)
    assert not verify_signalwire(replace(FORM, form=FORM.form[1:]), KEY)
    assert not verify_signalwire(replace(BODY, body=b'{"a":2}'), KEY)


def test_a_body_that_is_no_form_is_not_covered_by_a_signature_over_the_url() -> None:
    url_only = WebhookRequest("POST", URL, {"x-signalwire-signature": signalwire_signature(KEY, URL, b"")})
    assert verify_signalwire(url_only, KEY)
    assert not verify_signalwire(replace(url_only, body=b'{"a":1}'), KEY)


@given(st.text(), st.text(), st.text(), st.binary(max_size=50))
def test_random_requests_are_refused_not_crashed_on(method: str, url: str, signature: str, body: bytes) -> None:
    request = WebhookRequest(method, url, {"x-signalwire-signature": signature}, (("a\ud800", "b"),), body)
    assert not verify_signalwire(request, KEY)
