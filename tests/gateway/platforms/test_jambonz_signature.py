"""jambonz' signed webhooks against the vendor's vector, and what must not pass."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.platforms.base import WebhookRequest
from gateway.platforms.jambonz_signature import jambonz_signature, verify_jambonz
from tests.rig.codec_vectors import VECTORS

VECTOR: dict[str, Any] = json.loads((VECTORS / "jambonz" / "signatures.json").read_text("utf-8"))
SECRET: str = VECTOR["secret"]
AT_S: int = VECTOR["at_s"]
GOOD: str = VECTOR["header"]
REQUEST = WebhookRequest(
    "POST", "https://bot.example.test/jambonz/voice", {"jambonz-signature": GOOD}, (), VECTOR["body"].encode()
)


def passes(header: str = GOOD, secret: str = SECRET, now_s: float = AT_S) -> bool:
    return verify_jambonz(replace(REQUEST, headers={"jambonz-signature": header}), secret, now_s, 300)


def test_the_vendors_signature_passes_and_is_ours() -> None:
    assert passes()
    assert f"t={AT_S},v1={jambonz_signature(SECRET, str(AT_S), REQUEST.body)}" == GOOD


def test_another_secret_or_body_does_not_pass() -> None:
    assert not passes(secret=SECRET + "x")
    assert not passes(secret="")
    assert not verify_jambonz(replace(REQUEST, body=REQUEST.body + b" "), SECRET, AT_S, 300)


@pytest.mark.parametrize(("age_s", "good"), [(300, True), (-300, True), (301, False), (-301, False)])
def test_a_replayed_request_passes_for_five_minutes(age_s: int, good: bool) -> None:
    assert passes(now_s=AT_S + age_s) is good


def test_one_of_several_signatures_is_enough_in_any_order() -> None:
    time, signature = GOOD.split(",")
    assert passes(f"{time},v1=00,{signature}")
    assert passes(f" {signature} , {time} ")
    assert not passes(f"{time},v2={signature[3:]}")


@pytest.mark.parametrize(
    "header",
    ["", "t", "t=", ",", GOOD[:-1], GOOD + "0", GOOD.replace("t=1", "t=2"), GOOD.split(",")[0], GOOD.split(",")[1]]
    + [GOOD.replace("t=", "t=-"), GOOD.replace("t=", "t=٣"), GOOD.replace("t=", "t=" + "1" * 5000), GOOD + "é"]
    + [GOOD.upper()],
)
def test_what_is_malformed_does_not_pass(header: str) -> None:
    assert not passes(header)


@given(st.text())
def test_random_headers_never_raise(header: str) -> None:
    assert not passes(header)
    assert not passes(f"t={AT_S},v1={header}")


def test_without_the_header_nothing_passes() -> None:
    assert not verify_jambonz(replace(REQUEST, headers={}), SECRET, AT_S, 300)


def test_what_a_get_says_is_not_signed_so_it_does_not_pass() -> None:
    """With the body of a request that was signed, it would say of any call what it likes."""
    forged = replace(REQUEST, method="GET", url=f"{REQUEST.url}?callSid=another&callStatus=completed")
    assert not verify_jambonz(forged, SECRET, AT_S, 300)
