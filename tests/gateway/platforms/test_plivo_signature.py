"""Plivo's V3 signatures against vectors made with the vendor's own SDK, and Vobiz's by its description."""

import hmac
import json
from base64 import b64encode
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.platforms.base import WebhookRequest
from gateway.platforms.plivo_signature import (
    plivo_base,
    plivo_signature,
    verify_plivo,
    verify_plivo_upgrade,
    verify_vobiz,
)
from tests.rig.codec_vectors import VECTORS

_FILE = json.loads((VECTORS / "plivo" / "signatures.json").read_text("utf-8"))
TOKEN: str = _FILE["auth_token"]
NONCE: str = _FILE["nonce"]
BY_NAME: dict[str, dict[str, Any]] = {vector["name"]: vector for vector in _FILE["vectors"]}
# How the upgrade would be signed, by three accounts of it.
UPGRADES = ("P6", "P7", "P8")
STREAM = "wss://bot.example.test/plivo/stream"


def headers(signature: str, name: str = "v3", nonce: str = NONCE, vendor: str = "plivo") -> dict[str, str]:
    return {f"x-{vendor}-signature-{name}": signature, f"x-{vendor}-signature-v3-nonce": nonce}


def request(name: str) -> WebhookRequest:
    vector = BY_NAME[name]
    form = tuple((key, value) for key, value in vector["form"])
    return WebhookRequest(vector["method"], vector["url"], headers(vector["signature"]), form)


@pytest.mark.parametrize("vector", BY_NAME.values(), ids=BY_NAME)
def test_we_sign_as_the_vendor_does(vector: dict[str, Any]) -> None:
    base = plivo_base(vector["method"], vector["url"], [(key, value) for key, value in vector["form"]])
    assert base == vector["base"]
    assert plivo_signature(TOKEN, base, NONCE) == vector["signature"]


@pytest.mark.parametrize("name", BY_NAME)
def test_a_signed_request_passes_and_another_token_does_not(name: str) -> None:
    assert verify_plivo(request(name), [TOKEN])
    assert verify_plivo(request(name), ["other", TOKEN])
    for tokens in ([], [""], ["", "other"], [TOKEN + "x"]):
        assert not verify_plivo(request(name), tokens)


@pytest.mark.parametrize("name", BY_NAME)
def test_an_altered_request_does_not_pass(name: str) -> None:
    good = request(name)
    scheme = good.url.partition("://")[0]
    other = "http" if scheme == "https" else "https"
    for altered in (
        replace(good, url=good.url.replace(scheme, other, 1)),
        replace(good, url=good.url.replace("/plivo", "/Plivo")),
        replace(good, url=good.url.partition("?")[0] + "/"),
        replace(good, form=(*good.form, ("Extra", "1"))),
        replace(good, headers=headers(good.headers["x-plivo-signature-v3"], nonce=NONCE[:-1])),
        replace(good, headers=headers(good.headers["x-plivo-signature-v3"], nonce="")),
    ):
        assert not verify_plivo(altered, [TOKEN])


def test_a_wrong_method_or_body_does_not_pass() -> None:
    assert not verify_plivo(replace(request("P1"), method="GET"), [TOKEN])
    assert not verify_plivo(replace(request("P4"), method="POST"), [TOKEN])
    assert not verify_plivo(replace(request("P3"), body=b'{"a":1}'), [TOKEN])
    assert verify_plivo(replace(request("P5"), method="get"), [TOKEN])


def test_one_of_several_signatures_is_enough() -> None:
    good = BY_NAME["P1"]["signature"]
    for written in (f"AAAA,{good}", f"{good} , AAAA", f",{good},"):
        assert verify_plivo(replace(request("P1"), headers=headers(written)), [TOKEN])
    assert verify_plivo(replace(request("P1"), headers=headers(good, "ma-v3")), [TOKEN])
    assert not verify_plivo(replace(request("P1"), headers=headers("AAAA,BBBB")), [TOKEN])


@pytest.mark.parametrize("signature", ["", "x", "é", "\udcff", ",,"])
def test_a_wrong_signature_does_not_pass(signature: str) -> None:
    assert not verify_plivo(replace(request("P1"), headers=headers(signature)), [TOKEN])
    assert not verify_plivo(replace(request("P1"), headers={}), [TOKEN])


def test_repeated_and_blank_fields_are_signed_sorted() -> None:
    assert plivo_base("POST", "https://h/x?b=&a=2&a=1", [("T", "2"), ("T", "1")]) == "https://h/x?a=1&a=2&b=.T1T2"
    assert plivo_base("GET", "https://h/x?a=1", [("a", "2"), ("c", "3")]) == "https://h/x?a=1&c=3"


@pytest.mark.parametrize("name", UPGRADES)
def test_an_upgrade_passes_in_each_form_that_is_told_of(name: str) -> None:
    upgrade = WebhookRequest("GET", STREAM, headers(BY_NAME[name]["signature"]))
    assert verify_plivo_upgrade(upgrade, [TOKEN])
    assert not verify_plivo_upgrade(upgrade, ["other"])
    assert not verify_plivo_upgrade(replace(upgrade, url=STREAM + "/"), [TOKEN])
    assert not verify_plivo_upgrade(replace(upgrade, url=STREAM + "?a=1"), [TOKEN])


def test_an_upgrade_with_a_query_is_signed_with_it() -> None:
    signature = plivo_signature(TOKEN, "https://bot.example.test/plivo/stream/websocket?a=1&b=2", NONCE)
    assert verify_plivo_upgrade(WebhookRequest("GET", STREAM + "?b=2&a=1", headers(signature)), [TOKEN])


def test_vobiz_signs_the_address_without_its_query_and_nothing_else() -> None:
    url = "https://bot.example.test/vobiz/voice"
    mac = hmac.new(b"token", f"{url}.{NONCE}".encode(), "sha256")
    signature = b64encode(mac.digest()).decode()
    good = WebhookRequest("POST", url + "?a=1", headers(signature, vendor="vobiz"), (("CallUUID", "1"),))
    assert verify_vobiz(good, ["token"])
    assert verify_vobiz(replace(good, headers=headers(signature, "ma-v3", vendor="vobiz")), ["token"])
    assert not verify_vobiz(good, ["other", ""])
    assert not verify_vobiz(replace(good, url=url + "/"), ["token"])
    assert not verify_vobiz(replace(good, headers=headers(signature)), ["token"])


@given(st.text(), st.text(), st.text(), st.text(), st.binary(max_size=50))
def test_random_requests_are_refused_not_crashed_on(
    method: str, url: str, signature: str, nonce: str, body: bytes
) -> None:
    for vendor in ("plivo", "vobiz"):
        shown = headers(signature, nonce=nonce, vendor=vendor)
        random = WebhookRequest(method, url, shown, (("a\ud800", "b"),), body)
        for verify in (verify_plivo, verify_plivo_upgrade, verify_vobiz):
            assert not verify(random, [TOKEN])


@pytest.mark.parametrize("url", ["https://[::1/x", "", "//", "wss://h\ud800/x"])
def test_an_address_that_is_none_signs_nothing(url: str) -> None:
    assert not verify_plivo(WebhookRequest("GET", url, headers("AAAA")), [TOKEN])
    assert not verify_plivo_upgrade(WebhookRequest("GET", url, headers("AAAA")), [TOKEN])
