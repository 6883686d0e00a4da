"""Telnyx's signature against a vector made with the vendor's own SDK."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.platforms.base import WebhookRequest
from gateway.platforms.telnyx_signature import MAX_SKEW_S, public_key, verify_telnyx
from tests.rig.codec_vectors import VECTORS

VECTOR: dict[str, Any] = json.loads((VECTORS / "telnyx" / "signatures.json").read_text("utf-8"))
KEY = public_key(VECTOR["public_key"])
SIGNED_S = float(VECTOR["timestamp"])
GOOD = WebhookRequest(
    "POST",
    "https://bot.example.test/telnyx/voice",
    {"telnyx-signature-ed25519": VECTOR["signature"], "telnyx-timestamp": VECTOR["timestamp"]},
    (),
    VECTOR["body"].encode(),
)


def with_header(name: str, value: str) -> WebhookRequest:
    return replace(GOOD, headers={**GOOD.headers, name: value})


@pytest.mark.parametrize("late_s", [0, MAX_SKEW_S - 1, MAX_SKEW_S, -MAX_SKEW_S])
def test_a_signed_webhook_passes_while_it_is_fresh(late_s: int) -> None:
    assert verify_telnyx(GOOD, KEY, SIGNED_S + late_s)


@pytest.mark.parametrize("late_s", [MAX_SKEW_S + 1, -MAX_SKEW_S - 1, 86_400])
def test_a_webhook_that_is_too_old_or_from_the_future_does_not_pass(late_s: int) -> None:
    assert not verify_telnyx(GOOD, KEY, SIGNED_S + late_s)


def test_an_altered_body_does_not_pass() -> None:
    assert not verify_telnyx(replace(GOOD, body=GOOD.body + b" "), KEY, SIGNED_S)
    assert not verify_telnyx(replace(GOOD, body=b""), KEY, SIGNED_S)


def test_a_timestamp_that_was_refreshed_does_not_pass() -> None:
    later = with_header("telnyx-timestamp", str(int(SIGNED_S) + 10))
    assert not verify_telnyx(later, KEY, SIGNED_S + 10)


@pytest.mark.parametrize("timestamp", ["", "x", "-1", "1767225600.0", "1" * 5000, "\u0661\u0662", " 1767225600"])
def test_a_timestamp_that_is_none_does_not_pass(timestamp: str) -> None:
    assert not verify_telnyx(with_header("telnyx-timestamp", timestamp), KEY, SIGNED_S)


@pytest.mark.parametrize("signature", ["", "x", "AAAA", "é", VECTOR["signature"][:-4], "A" * 88])
def test_a_wrong_signature_does_not_pass(signature: str) -> None:
    assert not verify_telnyx(with_header("telnyx-signature-ed25519", signature), KEY, SIGNED_S)


def test_another_key_and_no_key_pass_nothing() -> None:
    assert not verify_telnyx(GOOD, public_key("B" + VECTOR["public_key"][1:]), SIGNED_S)
    assert not verify_telnyx(GOOD, public_key(""), SIGNED_S)
    assert not verify_telnyx(replace(GOOD, headers={}), KEY, SIGNED_S)


@pytest.mark.parametrize("encoded", ["x", "AAAA", "é", VECTOR["public_key"] + "AAAA"])
def test_a_key_that_is_none_is_the_operators_mistake(encoded: str) -> None:
    with pytest.raises(ValueError, match="base64 of 32 bytes"):
        public_key(encoded)


@given(st.dictionaries(st.sampled_from(["telnyx-signature-ed25519", "telnyx-timestamp"]), st.text()), st.binary())
def test_random_requests_are_refused_not_crashed_on(headers: dict[str, str], body: bytes) -> None:
    assert not verify_telnyx(WebhookRequest("POST", "https://x", headers, (), body), KEY, SIGNED_S)


def test_what_a_get_says_is_not_signed_so_it_does_not_pass() -> None:
    """With the body of a request that was signed, it would say of any call what it likes."""
    forged = replace(GOOD, method="GET", url=f"{GOOD.url}?callSid=another&callStatus=completed")
    assert not verify_telnyx(forged, KEY, SIGNED_S)
