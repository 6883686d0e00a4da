"""Asterisk's chan_websocket as a platform: what the dial plan is told, who may open the stream, and where we do."""

import base64

import pytest

from gateway.errors import Refused
from gateway.events import CallStarted
from gateway.platforms.base import WebhookRequest
from gateway.platforms.chan_websocket import ChanWebsocket

STREAM = "wss://bot.example.test/chan_websocket/stream"
START = (
    '{"event":"MEDIA_START","channel_id":"1767225600.4","format":"slin16","optimal_frame_size":640,"ptime":20,'
    '"channel_variables":{"call":"1767225600.3","token":"one-time-token"}}'
)


def asked(**fields: str) -> WebhookRequest:
    return WebhookRequest("POST", "https://bot.example.test/chan_websocket/voice", {}, tuple(fields.items()))


def test_the_answer_is_the_token_alone() -> None:
    document = ChanWebsocket().answer(STREAM, "secret", {"call": "1.1"})
    assert (document.content_type, document.body) == ("text/plain", "secret")


def test_a_stream_knows_its_call_only_through_the_dial_plan() -> None:
    platform = ChanWebsocket()
    assert not platform.capabilities.call_id_in_stream
    assert platform.capabilities.ping_interval_s is None  # F-25
    assert platform.capabilities.hang_up_on_stream
    (event,) = platform.codec().receive(START)
    assert isinstance(event, CallStarted)
    assert (event.call_id, event.custom["token"]) == ("1767225600.3", "one-time-token")


def test_the_socket_is_checked_with_the_credentials() -> None:
    upgrade = WebhookRequest("GET", STREAM, {"authorization": "Basic " + base64.b64encode(b"bot:pw").decode()})
    assert ChanWebsocket("bot", "pw").verify(upgrade)
    assert not ChanWebsocket("bot", "other").verify(upgrade)


def test_a_stream_is_opened_at_the_asterisk_of_the_configuration() -> None:
    platform = ChanWebsocket(media_url="ws://10.0.0.4:8088/media/")
    assert platform.visit(asked(CallId="1.1", ConnectionId="9b2d-01")) == "ws://10.0.0.4:8088/media/9b2d-01"
    assert platform.visit(asked(CallId="1.1")) == ""


@pytest.mark.parametrize("connection_id", ["../ari/channels", "a/b", "a?b", "@evil.test", "x" * 65, "\n"])
def test_a_connection_id_leads_nowhere_else(connection_id: str) -> None:
    with pytest.raises(Refused, match="bad_connection_id"):
        ChanWebsocket(media_url="ws://10.0.0.4:8088/media").visit(asked(ConnectionId=connection_id))


def test_without_an_asterisk_to_go_to_the_setting_is_named() -> None:
    with pytest.raises(Refused, match=r"chan_websocket\.media_url"):
        ChanWebsocket().visit(asked(ConnectionId="9b2d-01"))
