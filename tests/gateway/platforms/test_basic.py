"""Basic credentials: exactly ours, or none."""

import base64

import pytest

from gateway.platforms.base import WebhookRequest
from gateway.platforms.basic import carries_basic, with_basic


def request(authorization: str | None) -> WebhookRequest:
    headers = {} if authorization is None else {"authorization": authorization}
    return WebhookRequest("POST", "https://bot.example.test/x/voice", headers)


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize("given", [f"Basic {encoded('bot:pä:ss')}", f"basic  {encoded('bot:pä:ss')} "])
def test_our_credentials_pass(given: str) -> None:
    assert carries_basic(request(given), "bot", "pä:ss")


@pytest.mark.parametrize(
    "given",
    [
        None,
        "",
        "Basic",
        "Basic ",
        f"Basic {encoded('bot:')}",
        f"Basic {encoded('other:pä:ss')}",
        f"Basic {encoded('bot:pä:ss')}x",
        f"Bearer {encoded('bot:pä:ss')}",
        encoded("bot:pä:ss"),
        "Basic \ud800",
    ],
)
def test_anything_else_does_not(given: str | None) -> None:
    assert not carries_basic(request(given), "bot", "pä:ss")


@pytest.mark.parametrize(("user", "password"), [("", ""), ("bot", ""), ("", "pw")])
def test_blank_credentials_let_nobody_in(user: str, password: str) -> None:
    assert not carries_basic(request(f"Basic {encoded(f'{user}:{password}')}"), user, password)


def test_a_url_carries_them_escaped_in_place_of_older_ones() -> None:
    assert with_basic("wss://h.test:1/s?a=b", "u", "p@:/") == "wss://u:p%40%3A%2F@h.test:1/s?a=b"
    assert with_basic("wss://old:one@h.test/s", "u", "p") == "wss://u:p@h.test/s"
    assert with_basic("wss://h.test/s", "", "p") == "wss://h.test/s"
