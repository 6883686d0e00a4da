"""Webhooks by GET, as a form and as JSON tell the same."""

import pytest

from gateway.platforms.base import WebhookRequest
from gateway.platforms.webhook import webhook_fields, word

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
