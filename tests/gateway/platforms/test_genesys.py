"""The Genesys platform: sockets admitted by signature, once each, and no webhook."""

from typing import Any

import pytest

from gateway.errors import Refused
from gateway.events import CallStarted
from gateway.platforms.base import WebhookRequest
from gateway.platforms.genesys import MAX_NONCES, Genesys
from gateway.platforms.genesys_signature import base_string, sign
from tests.rig.codec_vectors import load

MINE = load("genesys", "signatures.json")[1]
UPGRADE = WebhookRequest("GET", MINE["url"], MINE["headers"])


class Clock:
    """Seconds, as a test sets them."""

    def __init__(self) -> None:
        self.now_s = float(MINE["created"])

    def __call__(self) -> float:
        return self.now_s


def platform(clock: Clock | None = None, **values: Any) -> Genesys:
    return Genesys(MINE["api_key"], MINE["secret"], now=clock or Clock(), **values)


def test_a_signed_upgrade_is_taken_once() -> None:
    clock = Clock()
    made = platform(clock)
    assert made.verify(UPGRADE)
    for _ in range(20):
        assert not made.verify(UPGRADE)
        clock.now_s += 1
    assert platform().verify(UPGRADE)


def test_an_unsigned_upgrade_is_refused() -> None:
    unsigned = WebhookRequest("GET", MINE["url"], {"x-api-key": MINE["api_key"]})
    assert not platform().verify(unsigned)
    assert not Genesys("", "", now=Clock()).verify(UPGRADE)


def test_without_a_client_secret_the_key_may_be_asked_for_alone() -> None:
    made = Genesys(MINE["api_key"], require_signature=False)
    assert made.verify(WebhookRequest("GET", MINE["url"], {"x-api-key": MINE["api_key"]}))
    assert not made.verify(WebhookRequest("GET", MINE["url"], {"x-api-key": "other"}))
    assert not Genesys("", require_signature=False).verify(WebhookRequest("GET", MINE["url"], {"x-api-key": ""}))


def test_the_nonces_remembered_are_bounded_and_forgotten_when_they_are_too_old() -> None:
    clock = Clock()
    made = platform(clock)

    def fresh(number: int) -> WebhookRequest:
        params = MINE["headers"]["signature-input"].removeprefix("sig1=").replace("LTAwMDE", f"{number:022}")
        names = params.partition(")")[0].strip("(").replace('"', "").split()
        signature = sign(b"synthetic-audiohook-client-secret", base_string(UPGRADE, names, params))
        headers = {**MINE["headers"], "signature-input": f"sig1={params}", "signature": f"sig1=:{signature}:"}
        return WebhookRequest("GET", MINE["url"], headers)

    made._nonces = {str(number): clock.now_s + 5 for number in range(MAX_NONCES - 1)}
    assert made.verify(fresh(1))
    assert not made.verify(fresh(2))
    clock.now_s += 6
    assert made.verify(fresh(2))
    assert not made.verify(fresh(1))


def test_there_is_no_webhook_to_answer() -> None:
    made = platform()
    for ask in (
        lambda: made.incoming(UPGRADE),
        lambda: made.answer("wss://bot.example.test/genesys/stream", "token", {}),
        lambda: made.reject("busy"),
    ):
        with pytest.raises(Refused) as refused:
            ask()
        assert (refused.value.code, refused.value.http_status) == ("no_webhook", 404)
    assert made.ended(UPGRADE) == ""


def test_another_byte_order_is_an_error() -> None:
    with pytest.raises(ValueError, match="middle"):
        platform(l16_order="middle")


def test_the_platform_makes_a_fresh_codec_for_each_session() -> None:
    made = platform()
    first, second = made.codec(), made.codec()
    opening = load("genesys", "session.json")[0]["message"]
    first.receive(opening)
    assert isinstance(second.receive(opening)[0], CallStarted)
    assert first.capabilities is made.capabilities
    assert made.name == "genesys"
    assert made.capabilities.socket_admits
