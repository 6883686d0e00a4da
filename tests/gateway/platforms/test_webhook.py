"""Webhooks by GET, as a form and as JSON tell the same."""

import pytest

from gateway.platforms.base import WebhookRequest
from gateway.platforms.webhook import sip_headers, webhook_fields, word

URL = "https://bot.example.test/p/voice"


@pytest.mark.parametrize(
    "request_",
    [
        WebhookRequest("GET", f"{URL}?a=1&b=%2B2", {}),
        WebhookRequest("get", f"{URL}?a=1&b=%2B2", {}, (("a", "forged"),), b'{"a": "forged"}'),
        WebhookRequest("POST", f"{URL}?a=forged", {}, (("a", "1"), ("b", "+2"))),
        WebhookRequest("POST", URL, {}, (), b'{"a": "1", "b": "+2"}'),
    ],
)
def test_fields_are_read_from_where_the_method_puts_them(request_: WebhookRequest) -> None:
    assert webhook_fields(request_) == {"a": "1", "b": "+2"}


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b"{", b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_object_tells_nothing(body: bytes) -> None:
    assert webhook_fields(WebhookRequest("POST", URL, {}, (), body)) == {}


@pytest.mark.parametrize(("value", "read"), [("x", "x"), (None, ""), (5, ""), ({}, "")])
def test_a_word_is_text_or_blank(value: object, read: str) -> None:
    assert word({"n": value}, "n") == read
    assert word({}, "n") == ""


@pytest.mark.parametrize(
    "fields",
    [
        {"SipHeader_X-Department": "billing"},
        {"SIP-H-X-Department": "billing"},
        {"sip_h_X-Department": "billing"},
        {"custom_headers": [{"name": "X-Department", "value": "billing"}, 7, {"name": "X-B"}]},
        {"sip": {"headers": {"X-Department": "billing", "X-B": ["no text"]}}},
    ],
)
def test_sip_headers_are_known_however_a_platform_tells_them(fields: dict[str, object]) -> None:
    assert sip_headers({"From": "+1", **fields}) == {"x-department": "billing"}


def test_a_header_of_plivo_keeps_its_prefix() -> None:
    assert sip_headers({"X-PH-Department": "billing", "X-Department": "no header"}) == {"x-ph-department": "billing"}


@pytest.mark.parametrize("fields", [{"custom_headers": 3}, {"sip": []}, {"sip": {"headers": 3}}, {"SipHeader_": "x"}])
def test_what_is_no_header_is_none(fields: dict[str, object]) -> None:
    assert sip_headers(fields) == {}
