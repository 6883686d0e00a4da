"""Vonage's own JWT library judges what our simulator signs, and signs what our platform must not take.

It makes application tokens (RS256) only; webhooks are signed with HS256, for which PyJWT, which it is built on, signs.
"""

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from time import time
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from vonage_jwt import JwtClient, verify_signature
from vonage_jwt.errors import VonageVerifyJwtError

from gateway.platforms.base import WebhookRequest
from gateway.platforms.vonage import Vonage
from gateway.simulator.vonage import VonageRinging
from tests.counterparts.requests import BASE, asked

pytestmark = pytest.mark.counterparts

SECRET = "synthetic-signature-secret-" + "0123456789" * 4
APPLICATION = "00000000-0000-0000-0000-00000000abcd"
URL = f"{BASE}/vonage/voice"
BODY = b'{"uuid":"aaaa","from":"15550100001","to":"15550100002"}'
VONAGE = Vonage(SECRET, api_key="abcd1234", application_id=APPLICATION)


def token(secret: str = SECRET, algorithm: str = "HS256", **claims: Any) -> str:
    """A webhook's token for BODY, unless `claims` say otherwise."""
    usual = {
        "iat": int(time()),
        "jti": "c0ffee",
        "iss": "Vonage",
        "api_key": "abcd1234",
        "application_id": APPLICATION,
        "payload_hash": sha256(BODY).hexdigest(),
    }
    return str(jwt.encode({**usual, **claims}, secret, algorithm=algorithm))


def request(bearer: str) -> WebhookRequest:
    return WebhookRequest("POST", URL, {"authorization": f"Bearer {bearer}"}, body=BODY)


def bearer_of(headers: Mapping[str, str]) -> str:
    return headers["authorization"].removeprefix("Bearer ")


def test_a_signed_webhook_is_taken_by_both() -> None:
    assert verify_signature(token(), SECRET)
    assert VONAGE.verify(request(token()))


def test_an_expiry_to_come_is_taken_by_both_and_one_past_by_neither() -> None:
    assert verify_signature(token(exp=int(time()) + 60), SECRET)
    assert VONAGE.verify(request(token(exp=int(time()) + 60)))
    with pytest.raises(VonageVerifyJwtError):
        verify_signature(token(exp=int(time()) - 60), SECRET)
    assert not VONAGE.verify(request(token(exp=int(time()) - 60)))


def test_another_secret_is_refused_by_both() -> None:
    forged = token("another-synthetic-secret-of-32-bytes-and-more")
    assert not verify_signature(forged, SECRET)
    assert not VONAGE.verify(request(forged))


@pytest.mark.parametrize("algorithm", ["HS384", "HS512", "none"])
def test_another_algorithm_is_refused_by_both(algorithm: str) -> None:
    forged = token("" if algorithm == "none" else SECRET, algorithm)
    with pytest.raises(VonageVerifyJwtError):
        verify_signature(forged, SECRET)
    assert not VONAGE.verify(request(forged))


def test_an_application_token_of_the_library_opens_nothing() -> None:
    key = generate_private_key(65537, 2048).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    theirs = JwtClient(APPLICATION, key).generate_application_jwt().decode()
    with pytest.raises(VonageVerifyJwtError):
        verify_signature(theirs, SECRET)
    assert not VONAGE.verify(request(theirs))


# The library checks the signature alone and leaves all this to its caller.
BEYOND = {
    "another body": replace(request(token()), body=BODY.replace(b"aaaa", b"bbbb")),
    "no body": replace(request(token()), body=b""),
    "another method": replace(request(token()), method="GET"),
    "another account": request(token(api_key="other")),
    "another application": request(token(application_id="other")),
    "an old one": request(token(iat=int(time()) - 301)),
    "one from the future": request(token(iat=int(time()) + 400)),
}


@pytest.mark.parametrize("altered", BEYOND.values(), ids=BEYOND)
def test_we_refuse_what_the_signature_alone_does_not_tell(altered: WebhookRequest) -> None:
    assert not VONAGE.verify(altered)


def test_the_address_is_not_signed_so_a_proxy_may_change_it() -> None:
    for url in (f"{URL}/", URL.replace("test/", "test:443/"), URL.replace("https", "http")):
        assert VONAGE.verify(replace(request(token()), url=url))


def test_the_library_takes_what_our_simulator_signs() -> None:
    webhook = asked(VonageRinging("seed", SECRET).ask(BASE))
    assert verify_signature(bearer_of(webhook.headers), SECRET)
    assert jwt.decode(bearer_of(webhook.headers), SECRET, ["HS256"])["payload_hash"] == sha256(webhook.body).hexdigest()
    assert Vonage(SECRET).verify(webhook)
