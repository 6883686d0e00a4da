"""Vonage's signed webhooks against a token made with the vendor's own library, and what must not pass."""

import hashlib
import json
from base64 import urlsafe_b64encode
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.platforms.base import WebhookRequest
from gateway.platforms.vonage_signature import VonageIdentity, hs256, verified_claims, verify_webhook
from tests.rig.codec_vectors import VECTORS

VECTOR: dict[str, Any] = json.loads((VECTORS / "vonage" / "signatures.json").read_text("utf-8"))
IDENTITY = VonageIdentity(VECTOR["signature_secret"], VECTOR["api_key"], VECTOR["application_id"])
NOW_S: int = VECTOR["issued_s"]
TOKEN: str = VECTOR["token"]
WEBHOOK = WebhookRequest(
    "POST", "https://bot.example.test/vonage/event", {"authorization": f"Bearer {TOKEN}"}, (), VECTOR["body"].encode()
)


def part(value: Any) -> str:
    return urlsafe_b64encode(json.dumps(value, separators=(",", ":")).encode()).rstrip(b"=").decode()


def bearer(claims: Any, header: Any = None, secret: str = VECTOR["signature_secret"]) -> str:
    signed = f"{part(header or {'alg': 'HS256', 'typ': 'JWT'})}.{part(claims)}"
    return f"Bearer {signed}.{hs256(secret, signed)}"


def claims(**others: Any) -> dict[str, Any]:
    ours = {"iat": NOW_S, "api_key": IDENTITY.api_key, "application_id": IDENTITY.application_id}
    return {key: value for key, value in {**ours, **others}.items() if value != "absent"}


def test_the_vendors_token_passes_and_its_parts_are_read() -> None:
    assert verify_webhook(WEBHOOK, IDENTITY, NOW_S)
    told = verified_claims(f"Bearer {TOKEN}", IDENTITY, NOW_S)
    assert told is not None
    assert (told["payload_hash"], told["jti"], told["iss"]) == (VECTOR["payload_hash"], VECTOR["jti"], "Vonage")
    assert hs256(VECTOR["signature_secret"], TOKEN.rpartition(".")[0]) == TOKEN.rpartition(".")[2]


def test_another_secret_does_not_pass() -> None:
    assert not verify_webhook(WEBHOOK, replace(IDENTITY, signature_secret=VECTOR["signature_secret"] + "x"), NOW_S)
    assert not verify_webhook(WEBHOOK, replace(IDENTITY, signature_secret=""), NOW_S)


def test_an_altered_body_does_not_pass() -> None:
    assert not verify_webhook(replace(WEBHOOK, body=WEBHOOK.body + b" "), IDENTITY, NOW_S)
    assert not verify_webhook(replace(WEBHOOK, body=b""), IDENTITY, NOW_S)


def test_another_accounts_request_does_not_pass() -> None:
    assert not verify_webhook(WEBHOOK, replace(IDENTITY, api_key="other"), NOW_S)
    assert not verify_webhook(WEBHOOK, replace(IDENTITY, application_id="other"), NOW_S)
    assert verify_webhook(WEBHOOK, replace(IDENTITY, api_key="", application_id=""), NOW_S)


@pytest.mark.parametrize(("age_s", "passes"), [(300, True), (-300, True), (301, False), (-301, False)])
def test_a_replayed_request_passes_for_five_minutes(age_s: int, passes: bool) -> None:
    assert verify_webhook(WEBHOOK, IDENTITY, NOW_S + age_s) is passes


@pytest.mark.parametrize("exp", [NOW_S, NOW_S - 1, "tomorrow", None, []])
def test_an_expired_token_is_false_and_never_raises(exp: Any) -> None:
    assert (verified_claims(bearer(claims(exp=exp)), IDENTITY, NOW_S) is not None) is (exp is None)
    assert verified_claims(bearer(claims(exp=NOW_S + 1)), IDENTITY, NOW_S) is not None


@pytest.mark.parametrize("iat", ["absent", None, str(NOW_S), [], 1e308, -1])
def test_a_token_without_a_time_of_now_does_not_pass(iat: Any) -> None:
    assert verified_claims(bearer(claims(iat=iat)), IDENTITY, NOW_S) is None


@pytest.mark.parametrize("header", [{"alg": "none"}, {"alg": "HS512"}, {"typ": "JWT"}, ["HS256"], "HS256"])
def test_only_hs256_passes(header: Any) -> None:
    assert verified_claims(bearer(claims(), header), IDENTITY, NOW_S) is None


@pytest.mark.parametrize(
    "authorization",
    ["", "Bearer", "Bearer ", "Bearer a", "Bearer .", "Bearer a.b", "Bearer a.b.c", f"Basic {TOKEN}", TOKEN]
    + [f"Bearer {TOKEN}"[:-1], f"Bearer {TOKEN}é", f"Bearer {TOKEN}.", "Bearer " + "x" * 5000, bearer([]), bearer(5)],
)
def test_what_is_no_token_of_vonage_is_false(authorization: str) -> None:
    assert verified_claims(authorization, IDENTITY, NOW_S) is None


@pytest.mark.parametrize("spelt", [f"bearer {TOKEN}", f"BEARER  {TOKEN}", f"Bearer {TOKEN}="])
def test_the_scheme_and_padding_may_be_spelt_in_other_ways(spelt: str) -> None:
    assert verified_claims(spelt, IDENTITY, NOW_S) is not None


@pytest.mark.parametrize("payload_hash", ["absent", None, "", 5, "é", VECTOR["payload_hash"].upper()])
def test_a_token_that_does_not_cover_the_body_does_not_pass(payload_hash: Any) -> None:
    headers = {"authorization": bearer(claims(payload_hash=payload_hash))}
    assert not verify_webhook(replace(WEBHOOK, headers=headers), IDENTITY, NOW_S)


def test_a_get_is_covered_by_its_query_as_json_in_its_order() -> None:
    text = '{"to":"15550100002","from":"+15550100001","name":"é","empty":""}'
    headers = {"authorization": bearer(claims(payload_hash=hashlib.sha256(text.encode()).hexdigest()))}
    url = "https://bot.example.test/vonage/voice?to=15550100002&from=%2B15550100001&name=%C3%A9&empty="
    request = WebhookRequest("GET", url, headers)
    assert verify_webhook(request, IDENTITY, NOW_S)
    assert not verify_webhook(replace(request, url=url + "&x=1"), IDENTITY, NOW_S)
    assert not verify_webhook(replace(request, method="POST"), IDENTITY, NOW_S)


@given(st.text())
def test_random_headers_never_raise(text: str) -> None:
    assert verified_claims("Bearer " + text, IDENTITY, NOW_S) is None
    assert verified_claims(text, IDENTITY, NOW_S) is None


@given(st.text(max_size=30))
def test_a_signed_token_with_random_parts_never_raises(text: str) -> None:
    head = f"{text}.{text}".encode("ascii", "ignore").decode()
    assert verified_claims(f"Bearer {head}.{hs256(IDENTITY.signature_secret, head)}", IDENTITY, NOW_S) is None


def test_the_secret_is_not_in_the_repr() -> None:
    assert "synthetic" not in repr(IDENTITY)
