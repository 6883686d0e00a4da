"""AudioHook's signatures against the vendor's documented vector and a synthetic one, and what must not pass."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.platforms.base import WebhookRequest
from gateway.platforms.genesys_signature import GenesysClient, base_string, shows_key, sign, verified
from tests.rig.codec_vectors import Vector, load

VECTORS = load("genesys", "signatures.json")
MINE = VECTORS[1]
KEY = b"synthetic-audiohook-client-secret"
CREATED_S: int = MINE["created"]


def request(vector: Vector = MINE, /, **headers: str) -> WebhookRequest:
    changed = {name.replace("_", "-"): value for name, value in headers.items()}
    return WebhookRequest("GET", vector["url"], {**vector["headers"], **changed})


def client(vector: Vector = MINE) -> GenesysClient:
    return GenesysClient(vector["api_key"], vector["secret"])


def signed(was: str, becomes: str, **headers: str) -> WebhookRequest:
    """My vector with other parameters, signed anew."""
    params = MINE["headers"]["signature-input"].removeprefix("sig1=")
    assert re.search(was, params)
    params = re.sub(was, becomes, params, count=1)
    names = re.findall(r'"([^"]*)"', params.partition(")")[0])
    made = request(**headers)
    signature = sign(KEY, base_string(made, names, params))
    return request(**{"signature_input": f"sig1={params}", "signature": f"sig1=:{signature}:", **headers})


@pytest.mark.parametrize("vector", VECTORS, ids=lambda v: v["name"])
def test_the_vectors_pass(vector: Vector) -> None:
    told = verified(request(vector), client(vector), vector["created"])
    assert told is not None
    assert vector["signature"] == request(vector).headers["signature"][6:-1]
    assert told.nonce in vector["headers"]["signature-input"]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda v: v["name"])
@pytest.mark.parametrize("name", ["audiohook-organization-id", "audiohook-session-id", "audiohook-correlation-id"])
def test_an_altered_or_missing_part_does_not_pass(vector: Vector, name: str) -> None:
    good = request(vector)
    for headers in ({**good.headers, name: "x"}, {key: value for key, value in good.headers.items() if key != name}):
        assert verified(replace(good, headers=headers), client(vector), vector["created"]) is None


@pytest.mark.parametrize(
    "url",
    ["wss://bot.example.test/audiohook/ws/", "wss://bot.example.test/audiohook/ws?x=1", "wss://bot.example.test/ws"]
    + ["wss://other.example.test/audiohook/ws", "wss://bot.example.test:8443/audiohook/ws"],
)
def test_another_target_or_host_does_not_pass(url: str) -> None:
    assert verified(replace(request(), url=url), client(), CREATED_S) is None


@pytest.mark.parametrize("url", ["wss://BOT.example.test:443/audiohook/ws", "https://bot.example.test/audiohook/ws"])
def test_letter_case_and_the_schemes_own_port_are_no_difference(url: str) -> None:
    assert verified(replace(request(), url=url), client(), CREATED_S) is not None


def test_another_secret_or_key_does_not_pass() -> None:
    for wrong in (
        replace(client(), secret="b3RoZXI="),
        replace(client(), secret=""),
        replace(client(), secret="no base64!"),
        replace(client(), api_key="other"),
        replace(client(), api_key=""),
    ):
        assert verified(request(), wrong, CREATED_S) is None


@pytest.mark.parametrize(("age_s", "passes"), [(0, True), (12, True), (-3, True), (14, False), (-4, False)])
def test_a_signature_is_good_for_ten_seconds_and_what_clocks_are_off(age_s: int, passes: bool) -> None:
    assert (verified(request(), client(), CREATED_S + age_s) is not None) is passes


def test_an_expired_signature_does_not_pass_however_young() -> None:
    lapsed = signed("expires=1767225610", "expires=1767225600")
    assert verified(lapsed, client(), CREATED_S + 2) is not None
    assert verified(lapsed, client(), CREATED_S + 3) is None


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ('nonce="[^"]*"', 'nonce="short"'),
        (';nonce="[^"]*"', ""),
        ("hmac-sha256", "hmac-sha512"),
        (';alg="[^"]*"', ""),
        ("created=[0-9]*", "created=now"),
        (";created=[0-9]*", ""),
        (";expires=[0-9]*", ""),
        ("expires=[0-9]*", "expires=" + "9" * 30),
        ("synthetic-key-1", "synthetic-key-2"),
        (' "x-api-key"', ""),
        ('"@request-target" ', ""),
        ('"audiohook-session-id" ', ""),
        ('"x-api-key"', '"x-api-key" "x-api-key"'),
        ('"@authority"', '"@authority" "host"'),
    ],
)
def test_a_well_signed_request_that_says_too_little_does_not_pass(was: str, becomes: str) -> None:
    assert verified(signed(was, becomes), client(), CREATED_S) is None


def test_more_may_be_signed_than_is_asked_for() -> None:
    assert verified(signed('"x-api-key"', '"x-api-key" "user-agent"', user_agent="x"), client(), CREATED_S) is not None


@pytest.mark.parametrize("name", ["signature", "signature_input", "x_api_key"])
@pytest.mark.parametrize("value", ["", "sig1", "sig1=", "sig1=::", "sig1=()", "é", "sig2=:AAAA:", "x" * 100_000])
def test_what_is_malformed_does_not_pass(name: str, value: str) -> None:
    assert verified(request(**{name: value}), client(), CREATED_S) is None


def test_the_headers_of_one_label_belong_together() -> None:
    renamed = MINE["headers"]["signature"].replace("sig1", "sig2")
    assert verified(request(signature=renamed), client(), CREATED_S) is None
    both = {"signature": renamed, "signature_input": MINE["headers"]["signature-input"].replace("sig1=", "sig2=")}
    assert verified(request(**both), client(), CREATED_S) is not None


@given(st.text(), st.text())
def test_random_headers_never_raise(described: str, given_: str) -> None:
    assert verified(request(signature_input=described, signature=given_), client(), CREATED_S) is None


def test_the_key_alone_is_compared_whole() -> None:
    assert shows_key(request(), client())
    assert not shows_key(request(x_api_key="synthetic-key-"), client())
    assert not shows_key(request(x_api_key="é"), client())
    assert not shows_key(request(x_api_key=""), replace(client(), api_key=""))


def test_secrets_are_not_in_the_repr() -> None:
    assert "c3lu" not in repr(client())
    assert "synthetic" not in repr(client())
