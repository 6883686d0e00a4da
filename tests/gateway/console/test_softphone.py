import json

import pytest

from gateway.console.softphone import NAME, Softphone
from gateway.errors import Refused
from gateway.events import CallStarted
from gateway.platforms.base import WebhookRequest

START = '{"event":"start","start":{"callSid":"softphone-1","streamSid":"s","customParameters":{"token":"secret"}}}'


def test_it_speaks_twilios_stream() -> None:
    started = Softphone().codec().receive(START)[0]
    assert isinstance(started, CallStarted)
    assert started.custom == {"token": "secret"}


def test_the_upgrade_passes_and_no_webhook_does() -> None:
    softphone = Softphone()
    assert softphone.verify(WebhookRequest("GET", f"ws://here/{NAME}/stream", {}))
    assert not softphone.verify(WebhookRequest("POST", f"http://here/{NAME}/voice", {}))
    assert not softphone.verify(WebhookRequest("GET", f"http://here/{NAME}/voice", {}))
    assert not softphone.verify(WebhookRequest("POST", f"http://here/{NAME}/stream", {}))


def test_the_answer_is_what_the_page_needs() -> None:
    document = Softphone().answer("ws://here/softphone/stream", "secret", {"a": "b"})
    assert document.content_type == "application/json"
    assert json.loads(document.body) == {"a": "b", "stream_url": "ws://here/softphone/stream", "token": "secret"}
    assert "secret" not in repr(document)


def test_a_call_without_id_is_refused() -> None:
    softphone = Softphone()
    assert softphone.incoming(WebhookRequest("POST", "", {}, (("CallSid", "softphone-1"),))).call_id == "softphone-1"
    with pytest.raises(Refused) as refused:
        softphone.incoming(WebhookRequest("POST", "", {}))
    assert refused.value.http_status == 400


def test_a_turned_away_call_is_told_why() -> None:
    assert json.loads(Softphone().reject("busy").body) == {"error": "busy"}


def test_the_leg_ends_with_its_stream() -> None:
    assert Softphone.name == NAME
    assert Softphone.capabilities.frame_ms == 20


def test_no_status_callback_ends_a_call() -> None:
    assert Softphone().ended(WebhookRequest("POST", "", {}, (("CallSid", "softphone-1"),))) == ""
