"""Telnyx by Call Control: which events ask for a stream, and what is commanded then."""

import json
from typing import Any

import pytest

from gateway.platforms import telnyx_call_control
from gateway.platforms.base import WebhookRequest
from gateway.platforms.telnyx import Telnyx
from gateway.platforms.telnyx_call_control import TelnyxCallControl, telnyx

URL = "https://bot.example.test/telnyx/voice"
STREAM = "wss://bot.example.test/telnyx/stream/once"


def event(event_type: str, direction: str | None, event_id: Any = "e-1") -> WebhookRequest:
    payload = {"call_control_id": "v3:1", "direction": direction}
    body = {"data": {"event_type": event_type, "id": event_id, "payload": payload}}
    return WebhookRequest("POST", URL, {}, (), json.dumps(body).encode())


@pytest.mark.parametrize(
    ("event_type", "direction", "rings"),
    [
        ("call.initiated", "incoming", True),
        ("call.answered", "outgoing", True),
        ("call.initiated", "outgoing", False),
        ("call.answered", "incoming", False),
        ("call.hangup", "incoming", False),
        ("streaming.started", None, False),
    ],
)
def test_a_call_asks_for_its_stream_once_it_can_have_one(event_type: str, direction: str | None, rings: bool) -> None:
    assert TelnyxCallControl("").rings(event(event_type, direction)) is rings


def test_a_repeated_event_does_not_ring_again() -> None:
    platform = TelnyxCallControl("")
    assert platform.rings(event("call.initiated", "incoming"))
    assert not platform.rings(event("call.initiated", "incoming"))
    assert platform.rings(event("call.initiated", "incoming", "e-2"))


@pytest.mark.parametrize("event_id", [None, "", 5])
def test_an_event_without_id_always_rings(event_id: Any) -> None:
    platform = TelnyxCallControl("")
    assert platform.rings(event("call.initiated", "incoming", event_id))
    assert platform.rings(event("call.initiated", "incoming", event_id))


def test_the_oldest_event_is_forgotten_when_there_are_too_many() -> None:
    platform = TelnyxCallControl("")
    for number in range(telnyx_call_control.MAX_REMEMBERED_EVENTS + 1):
        platform.rings(event("call.initiated", "incoming", str(number)))
    assert platform.rings(event("call.initiated", "incoming", "0"))
    assert not platform.rings(event("call.initiated", "incoming", "2"))


@pytest.mark.parametrize("body", [b"", b"[]", b'{"data":5}', b'{"data":{"event_type":"call.initiated"}}'])
def test_what_is_no_event_does_not_ring(body: bytes) -> None:
    assert not TelnyxCallControl("").rings(WebhookRequest("POST", URL, {}, (), body))


def test_the_answer_is_the_order_of_the_stream() -> None:
    platform = TelnyxCallControl("", codec_name="PCMA", stream_secret="quiet")
    document = platform.answer(STREAM, "once", {"bot": "x"})
    assert document.content_type == "application/json"
    order = json.loads(document.body)
    assert (order["stream_url"], order["stream_codec"], order["stream_auth_token"]) == (STREAM, "PCMA", "quiet")
    assert order["custom_parameters"] == [{"name": "bot", "value": "x"}]


@pytest.mark.parametrize(("reason", "cause"), [("busy", "USER_BUSY"), ("draining", "CALL_REJECTED")])
def test_a_rejection_tells_its_cause(reason: str, cause: str) -> None:
    assert json.loads(TelnyxCallControl("").reject(reason).body) == {"cause": cause}


def test_the_kind_of_application_decides() -> None:
    assert type(telnyx("")) is Telnyx
    assert type(telnyx("", application="call_control", stream_secret="quiet")) is TelnyxCallControl
    with pytest.raises(ValueError, match="known are texml, call_control"):
        telnyx("", application="fax")
    with pytest.raises(ValueError, match="cannot show it"):
        telnyx("", stream_secret="quiet")
