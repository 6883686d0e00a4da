"""What Asterisk's dial plan asks, and how it is answered."""

import pytest

from gateway.errors import Refused
from gateway.platforms.asterisk import DialPlan, answer_word
from gateway.platforms.base import WebhookRequest

VOICE = "https://bot.example.test/audiosocket/voice"
PLAN = DialPlan("bot", "pw")


def test_the_question_tells_the_call_and_both_numbers() -> None:
    form = (("CallId", "1767225600.3"), ("From", "+15550100001"), ("To", "100"))
    call = PLAN.incoming(WebhookRequest("POST", VOICE, {}, form))
    assert (call.call_id, call.caller, call.called, call.direction) == (
        "1767225600.3",
        "+15550100001",
        "100",
        "inbound",
    )
    assert "555" not in repr(call)
    get = WebhookRequest("GET", f"{VOICE}?CallId=1.1&Direction=outbound", {})
    assert (PLAN.incoming(get).call_id, PLAN.incoming(get).direction) == ("1.1", "outbound")


def test_a_question_without_call_is_refused_with_the_remedy() -> None:
    with pytest.raises(Refused, match=r"CallId=\$\{UNIQUEID\}") as refused:
        PLAN.incoming(WebhookRequest("POST", VOICE, {}, (("From", "1"),)))
    assert (refused.value.code, refused.value.http_status) == ("missing_call_id", 400)


def test_an_answer_is_one_word_without_a_lines_end() -> None:
    assert answer_word("x").body == "x"
    assert (PLAN.reject("busy").content_type, PLAN.reject("busy").body) == ("text/plain", "busy")


def test_the_question_needs_the_credentials() -> None:
    assert PLAN.verify(WebhookRequest("POST", VOICE, {"authorization": "Basic Ym90OnB3"}))
    assert not PLAN.verify(WebhookRequest("POST", VOICE, {}))


def test_the_end_is_said_on_the_stream_only() -> None:
    assert PLAN.ended(WebhookRequest("POST", VOICE, {}, (("CallId", "1"),))) == ""
