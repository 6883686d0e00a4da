"""Twilio's signature scheme against vectors computed with the vendor's own SDK."""

import base64
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.platforms.base import WebhookRequest
from gateway.platforms.signature import port_variants, twilio_signature, verify_twilio

_FILE = json.loads((Path(__file__).parents[2] / "vectors" / "twilio" / "signatures.json").read_text("utf-8"))
TOKEN: str = _FILE["auth_token"]
VECTORS: dict[str, dict[str, Any]] = {vector["name"]: vector for vector in _FILE["vectors"]}
SHA256_SETTINGS = {"x-twilio-webhooks-signature-settings": "key=K1, algorithm=HMAC_SHA256"}


def request(name: str, **headers: str) -> WebhookRequest:
    vector = VECTORS[name]
    return WebhookRequest(
        vector["method"],
        vector["url"],
        {"x-twilio-signature": vector["signature"], **headers},
        tuple((key, value) for key, value in vector["form"]),
        vector.get("body", "").encode(),
    )


def signed(url: str, method: str = "GET") -> WebhookRequest:
    return WebhookRequest(method, url, {"x-twilio-signature": twilio_signature(TOKEN, url)})


@pytest.mark.parametrize("vector", VECTORS.values(), ids=VECTORS)
def test_we_sign_as_the_vendor_does(vector: dict[str, Any]) -> None:
    fields = [(key, value) for key, value in vector["form"]]
    assert twilio_signature(TOKEN, vector["url"], fields, vector["digest"]) == vector["signature"]


# T10 folds a query into the fields, which Twilio does for another product; T12 needs its settings header.
@pytest.mark.parametrize("name", [name for name in VECTORS if name not in ("T10", "T12")])
def test_a_signed_request_passes_and_another_token_does_not(name: str) -> None:
    assert verify_twilio(request(name), TOKEN, {})
    assert not verify_twilio(request(name), TOKEN[:-1] + "2", {})


@pytest.mark.parametrize("name", [name for name in VECTORS if VECTORS[name]["form"] and name not in ("T10", "T12")])
def test_an_altered_field_does_not_pass(name: str) -> None:
    good = request(name)
    key, value = good.form[0]
    assert not verify_twilio(replace(good, form=((key, value + "x"), *good.form[1:])), TOKEN, {})
    assert not verify_twilio(replace(good, form=(*good.form, ("Extra", "1"))), TOKEN, {})
    assert not verify_twilio(replace(good, form=()), TOKEN, {})


@pytest.mark.parametrize("name", [name for name in VECTORS if name not in ("T10", "T12")])
def test_an_altered_path_or_scheme_does_not_pass(name: str) -> None:
    good = request(name)
    scheme, rest = good.url.split("://")
    other = {"https": "wss", "wss": "https", "http": "https"}[scheme]
    assert not verify_twilio(replace(good, url=f"{other}://{rest}"), TOKEN, {})
    assert not verify_twilio(replace(good, url=good.url.replace("/twilio", "/Twilio")), TOKEN, {})
    assert not verify_twilio(replace(good, url=good.url + "&x=1"), TOKEN, {})


def test_a_trailing_slash_is_part_of_what_is_signed() -> None:
    assert not verify_twilio(replace(request("T8"), url=VECTORS["T7"]["url"]), TOKEN, {})
    assert not verify_twilio(replace(request("T1"), url=VECTORS["T4"]["url"]), TOKEN, {})


def test_the_socket_must_be_signed_with_its_wss_url() -> None:
    assert not verify_twilio(replace(request("T9"), url=VECTORS["T7"]["url"]), TOKEN, {})


@pytest.mark.parametrize("port", ["", ":443", ":8443"])
def test_a_signature_over_the_portless_url_passes_for_every_port(port: str) -> None:
    url = f"https://bot.example.test{port}/twilio/voice"
    assert verify_twilio(replace(request("T1"), url=url), TOKEN, {})


def test_a_signature_over_a_port_passes_for_that_port_only() -> None:
    with_port = signed("https://bot.example.test:8443/twilio/voice")
    assert verify_twilio(with_port, TOKEN, {})
    assert not verify_twilio(replace(with_port, url="https://bot.example.test/twilio/voice"), TOKEN, {})
    default_port = signed("https://bot.example.test:443/twilio/voice")
    assert verify_twilio(replace(default_port, url="https://bot.example.test/twilio/voice"), TOKEN, {})


def test_the_other_spelling_of_a_wss_url_has_port_80() -> None:
    portless = "wss://bot.example.test/twilio/stream"
    assert verify_twilio(replace(signed("wss://bot.example.test:80/twilio/stream"), url=portless), TOKEN, {})
    assert not verify_twilio(replace(signed("wss://bot.example.test:443/twilio/stream"), url=portless), TOKEN, {})


@pytest.mark.parametrize(
    ("url", "without", "with_port"),
    [
        ("https://h.test", "https://h.test", "https://h.test:443"),
        ("https://h.test?a=b:1", "https://h.test?a=b:1", "https://h.test:443?a=b:1"),
        ("https://u:p@h.test/x:9", "https://u:p@h.test/x:9", "https://u:p@h.test:443/x:9"),
        ("wss://[::1]/s", "wss://[::1]/s", "wss://[::1]:80/s"),
        ("wss://[::1]:81/s#f", "wss://[::1]/s#f", "wss://[::1]:81/s#f"),
        ("nonsense", "nonsense://", "nonsense://:80"),
    ],
)
def test_only_the_port_differs_between_the_two_spellings(url: str, without: str, with_port: str) -> None:
    assert port_variants(url) == (without, with_port)


def test_the_newer_scheme_takes_the_named_key_and_nothing_else() -> None:
    good = request("T12", **SHA256_SETTINGS)
    assert verify_twilio(good, "", {"K1": TOKEN})
    assert not verify_twilio(good, TOKEN, {})
    assert not verify_twilio(good, TOKEN, {"K2": TOKEN})
    assert not verify_twilio(request("T12"), TOKEN, {"K1": TOKEN})


@pytest.mark.parametrize(
    "settings",
    [
        "key=K1,algorithm=HMAC_SHA512",
        "key=K1",
        "",
        "algorithm",
        "key=K1,algorithm=hmac_sha256",
        "algorithm=HMAC_SHA256",
    ],
)
def test_settings_we_do_not_know_do_not_pass(settings: str) -> None:
    headers = {"x-twilio-webhooks-signature-settings": settings}
    assert not verify_twilio(request("T12", **headers), TOKEN, {"K1": TOKEN})
    assert not verify_twilio(request("T1", **headers), TOKEN, {"K1": TOKEN})


def test_a_json_body_passes_only_when_its_hash_is_in_the_signed_url() -> None:
    good = request("T13")
    assert verify_twilio(good, TOKEN, {})
    assert not verify_twilio(replace(good, body=b'{"a":2}'), TOKEN, {})
    unhashed = replace(signed("https://bot.example.test/twilio/json", "POST"), body=b'{"a":1}')
    assert not verify_twilio(unhashed, TOKEN, {})


def test_fields_beside_a_hashed_body_are_not_signed_twice() -> None:
    assert verify_twilio(replace(request("T13"), form=(("a", "1"),)), TOKEN, {})


@pytest.mark.parametrize("signature", ["", "x", "é", "\udcff", "vvn5is9nA7rkCoxzgO565beCfWI"])
def test_a_wrong_signature_does_not_pass(signature: str) -> None:
    headers = {"x-twilio-signature": signature}
    assert not verify_twilio(replace(request("T1"), headers=headers), TOKEN, {})
    assert not verify_twilio(replace(request("T1"), headers={}), TOKEN, {})


def test_without_a_token_nothing_passes() -> None:
    url = VECTORS["T7"]["url"]
    forged = WebhookRequest("GET", url, {"x-twilio-signature": twilio_signature("", url)})
    assert not verify_twilio(forged, "", {})


@given(st.lists(st.tuples(st.text(), st.text())), st.text())
def test_whatever_the_fields_the_answer_is_a_signature(fields: list[tuple[str, str]], url: str) -> None:
    assert len(base64.b64decode(twilio_signature(TOKEN, url, fields))) == 20


@given(st.text(), st.text(), st.dictionaries(st.text(), st.text()), st.binary(max_size=50))
def test_random_requests_are_refused_not_crashed_on(
    method: str, url: str, headers: dict[str, str], body: bytes
) -> None:
    headers = {**headers, "x-twilio-signature": "AAAA"}
    assert not verify_twilio(WebhookRequest(method, url, headers, (("a\ud800", "b"),), body), TOKEN, {})
