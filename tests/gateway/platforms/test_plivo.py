"""Plivo as a platform: its webhooks, answer documents, sockets and choices."""

import json
from typing import Any
from xml.etree import ElementTree

import pytest

from gateway.errors import Refused
from gateway.events import CallStarted, SendAudio
from gateway.platforms.base import WebhookRequest
from gateway.platforms.plivo import Plivo
from gateway.platforms.plivo_signature import plivo_base, plivo_signature
from tests.rig.codec_vectors import load

VOICE = "https://bot.example.test/plivo/voice"
STREAM = "wss://bot.example.test/plivo/stream"
FORM = (
    ("CallUUID", "c-1"),
    ("From", "15550100001"),
    ("To", "15550100002"),
    ("Direction", "inbound"),
    ("ParentAuthID", "a-1"),
)


def signed(url: str, token: str = "token") -> dict[str, str]:
    form = () if url.startswith("wss") else FORM
    base = plivo_base("POST" if form else "GET", url, form)
    return {"x-plivo-signature-v3": plivo_signature(token, base, "1"), "x-plivo-signature-v3-nonce": "1"}


def test_the_webhook_tells_the_call_and_both_numbers() -> None:
    call = Plivo("token").incoming(WebhookRequest("POST", VOICE, {}, FORM))
    assert (call.call_id, call.account_id, call.direction) == ("c-1", "a-1", "inbound")
    assert (call.caller, call.called) == ("15550100001", "15550100002")
    assert "555" not in repr(call)


def test_a_webhook_by_get_is_read_from_its_query() -> None:
    call = Plivo("token").incoming(WebhookRequest("GET", VOICE + "?CallUUID=c-1&Direction=outbound", {}))
    assert (call.call_id, call.direction) == ("c-1", "outbound")


@pytest.mark.parametrize("form", [(), (("CallUUID", ""),), (("From", "15550100001"),)])
def test_a_webhook_without_call_id_is_refused(form: tuple[tuple[str, str], ...]) -> None:
    with pytest.raises(Refused) as refused:
        Plivo("token").incoming(WebhookRequest("POST", VOICE, {}, form))
    assert (refused.value.code, refused.value.http_status) == ("missing_call_id", 400)


def test_webhooks_and_upgrades_are_signed_with_the_accounts_or_its_main_accounts_token() -> None:
    for url, form in ((VOICE, FORM), (STREAM, ())):
        request = WebhookRequest("GET" if url is STREAM else "POST", url, signed(url), form)
        assert Plivo("token").verify(request)
        assert Plivo("sub", main_token="token").verify(request)
        assert not Plivo("other").verify(request)
        assert not Plivo("").verify(request)


def test_unsigned_upgrades_can_be_admitted_to_the_check_of_their_token() -> None:
    upgrade, voice = WebhookRequest("GET", STREAM, {}), WebhookRequest("POST", VOICE, {}, FORM)
    assert not Plivo("token").verify(upgrade)
    lenient = Plivo("token", socket_signed=False)
    assert lenient.verify(upgrade)
    assert not lenient.verify(voice)
    assert not Plivo("", socket_signed=False).verify(upgrade)


@pytest.mark.parametrize("content_type", ["audio/x-mulaw;rate=8000", "audio/x-l16;rate=8000", "audio/x-l16;rate=16000"])
@pytest.mark.parametrize("separator", [",", ";"])
def test_the_answer_orders_the_format_and_carries_the_token(content_type: str, separator: str) -> None:
    platform = Plivo("token", content_type=content_type, separator=separator)
    body = platform.answer(STREAM, "once", {"token": "forged", "bot": "x"}).body
    stream = ElementTree.fromstring(body.encode()).find("Stream")
    assert stream is not None
    assert stream.text == STREAM
    assert stream.get("contentType") == content_type
    assert stream.get("extraHeaders") == f"token=once{separator}bot=x"


@pytest.mark.parametrize(
    "values",
    [
        {"content_type": "audio/x-l16;rate=24000"},
        {"content_type": "audio/wav"},
        {"separator": "&"},
        {"l16_byte_order": "middle"},
    ],
)
def test_an_unknown_choice_is_the_operators_mistake(values: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="|".join(map(str, values.values()))):
        Plivo("token", **values)


def test_codecs_have_the_byte_order_and_share_nothing() -> None:
    start = load("plivo", "starts.json")[0]["message"]  # L16
    platform = Plivo("token", l16_byte_order="big")
    first, second = platform.codec(), platform.codec()
    first.receive(start)
    assert isinstance(second.receive(start)[0], CallStarted)
    assert json.loads(first.encode(SendAudio(b"\x01\x02"))[0])["media"]["payload"] == "AgE="
    assert first.capabilities is platform.capabilities
    assert platform.name == "plivo"


def test_a_full_house_is_a_busy_tone() -> None:
    assert '<Hangup reason="busy" />' in Plivo("token").reject("busy").body


@pytest.mark.parametrize(
    ("told", "over"),
    [
        ({"Event": "Hangup", "CallStatus": "completed"}, True),
        ({"CallStatus": "no-answer"}, True),
        ({"Event": "StopStream"}, True),
        ({"Event": "DroppedStream"}, True),
        ({"Event": "stopped"}, True),
        ({"Event": "StartStream"}, False),
        ({"Event": "StartApp", "CallStatus": "in-progress"}, False),
        ({}, False),
    ],
)
def test_the_end_is_read_from_callbacks_of_calls_and_streams(told: dict[str, str], over: bool) -> None:
    request = WebhookRequest("POST", VOICE, {}, (("CallUUID", "c-1"), *told.items()))
    assert Plivo("token").ended(request) == ("c-1" if over else "")
