"""What routing needs of every platform that asks a webhook: the dialled number, and SIP headers where there are any."""

import json
from urllib.parse import urlencode

import pytest

from gateway.platforms.base import WebhookRequest
from gateway.platforms.registry import PLATFORMS
from tests.conformance.rig import platform_named

URL = "https://bot.example.test/p/voice"
TWILIO = {"CallSid": "c", "From": "+15550100001", "To": "+15550100002", "SipHeader_X-Tier": "vip"}
PLAIN = {"from": "+15550100001", "to": "+15550100002"}
CALL_CONTROL = {**PLAIN, "call_control_id": "c", "custom_headers": [{"name": "X-Tier", "value": "vip"}]}

# By platform: the webhook as it is sent, and the name under which its header is told ("" where there are none).
WEBHOOKS: list[tuple[str, dict[str, object], str]] = [
    ("twilio", {**TWILIO}, "x-tier"),
    ("signalwire", {**TWILIO}, "x-tier"),
    ("telnyx", {**TWILIO}, "x-tier"),
    ("telnyx", {"data": {"payload": CALL_CONTROL}}, "x-tier"),
    ("plivo", {"CallUUID": "c", "From": "+15550100001", "To": "+15550100002", "X-PH-Tier": "vip"}, "x-ph-tier"),
    ("vobiz", {"CallUUID": "c", "From": "+15550100001", "To": "+15550100002", "X-PH-Tier": "vip"}, "x-ph-tier"),
    ("vonage", {**PLAIN, "uuid": "c", "SipHeader_X-Tier": "vip"}, "x-tier"),
    ("jambonz", {**PLAIN, "callSid": "c", "sip": {"headers": {"X-Tier": "vip"}}}, "x-tier"),
    ("bandwidth", {**PLAIN, "callId": "c"}, ""),
    ("exotel", {"CallSid": "c", "CallFrom": "+15550100001", "CallTo": "+15550100002"}, ""),
    ("freeswitch", {**PLAIN, "call_uuid": "c", "sip_h_X-Tier": "vip"}, "x-tier"),
    ("chan_websocket", {"CallId": "c", "From": "+15550100001", "To": "+15550100002", "sip_h_X-Tier": "vip"}, "x-tier"),
    ("audiosocket", {"CallId": "c", "From": "+15550100001", "To": "+15550100002", "sip_h_X-Tier": "vip"}, "x-tier"),
]


@pytest.mark.parametrize(("name", "fields", "header"), WEBHOOKS)
def test_the_webhook_tells_both_numbers_and_the_headers(name: str, fields: dict[str, object], header: str) -> None:
    nested = any(not isinstance(value, str) for value in fields.values())
    as_json = WebhookRequest("POST", URL, {}, (), json.dumps(fields).encode())
    as_query = WebhookRequest("GET", f"{URL}?{urlencode(fields)}", {})
    call = platform_named(name).incoming(as_json if nested else as_query)
    assert (call.caller, call.called) == ("+15550100001", "+15550100002")
    assert call.headers == ({header: "vip"} if header else {})


def test_every_platform_is_in_the_table_but_the_one_that_asks_no_webhook() -> None:
    assert {name for name, _, _ in WEBHOOKS} == set(PLATFORMS) - {"genesys"}
