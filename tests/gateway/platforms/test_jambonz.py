"""The jambonz platform: its documents, webhooks and what admits a socket."""

import json
from base64 import b64encode
from typing import Any

import pytest

from gateway.errors import Refused
from gateway.events import CallStarted
from gateway.platforms.base import WebhookRequest
from gateway.platforms.jambonz import Jambonz, dial
from gateway.platforms.jambonz_signature import jambonz_signature
from tests.rig.codec_vectors import load

SESSION = load("jambonz", "session.json")
START = SESSION[0]["message"]
SECRET = "jambonz-synthetic-secret"
NOW_S = 1767225600
WEBHOOK = "https://bot.example.test/jambonz/voice"
STREAM = "wss://bot.example.test/jambonz/stream"


def platform(secret: str = SECRET, **values: Any) -> Jambonz:
    return Jambonz(secret, now=lambda: NOW_S, **values)


BODY = json.dumps(
    {"callSid": "c1", "accountSid": "a1", "from": "15550100001", "to": "15550100002", "direction": "inbound"}
).encode()


@pytest.mark.parametrize(
    "request_",
    [
        WebhookRequest("POST", WEBHOOK, {}, (), BODY),
        WebhookRequest("GET", f"{WEBHOOK}?callSid=c1&accountSid=a1&from=15550100001&to=15550100002", {}),
    ],
)
def test_the_webhook_tells_the_call_and_both_numbers(request_: WebhookRequest) -> None:
    call = platform().incoming(request_)
    assert (call.call_id, call.account_id, call.direction) == ("c1", "a1", "inbound")
    assert (call.caller, call.called) == ("15550100001", "15550100002")
    assert "555" not in repr(call)


def test_a_call_of_ours_is_outbound() -> None:
    body = BODY.replace(b"inbound", b"outbound")
    assert platform().incoming(WebhookRequest("POST", WEBHOOK, {}, (), body)).direction == "outbound"


@pytest.mark.parametrize("body", [b"", b"{}", b'{"callSid":""}', b'{"callSid":5}', b"[]"])
def test_a_webhook_without_a_call_is_refused(body: bytes) -> None:
    with pytest.raises(Refused) as refused:
        platform().incoming(WebhookRequest("POST", WEBHOOK, {}, (), body))
    assert (refused.value.code, refused.value.http_status) == ("missing_call_id", 400)


def verbs(made: Jambonz, **parameters: str) -> list[dict[str, Any]]:
    document = made.answer(STREAM, "secret", parameters)
    assert document.content_type == "application/json"
    assert "secret" not in repr(document)
    told: list[dict[str, Any]] = json.loads(document.body)
    return told


def test_the_answer_streams_both_ways_and_hangs_up_after_it() -> None:
    answer, listen, hang_up = verbs(platform(rate_hz=8000), bot="x", token="forged")
    assert (answer, hang_up) == ({"verb": "answer"}, {"verb": "hangup"})
    assert (listen["verb"], listen["url"], listen["sampleRate"], listen["mixType"]) == ("listen", STREAM, 8000, "mono")
    assert listen["bidirectionalAudio"] == {"enabled": True, "streaming": True, "sampleRate": 8000}
    assert listen["passDtmf"] is True
    assert listen["metadata"] == {"bot": "x", "token": "secret"}


def test_a_parameter_that_would_overwrite_the_calls_description_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        platform().answer(STREAM, "secret", {"callSid": "forged"})
    assert (refused.value.code, refused.value.http_status) == ("bad_parameter", 400)


def test_the_socket_is_opened_with_the_credentials_of_the_answer_and_no_others() -> None:
    made = platform()
    auth = verbs(made)[1]["wsAuth"]

    def upgrade(user: str, password: str, url: str = STREAM) -> WebhookRequest:
        value = b64encode(f"{user}:{password}".encode()).decode()
        return WebhookRequest("GET", url, {"authorization": f"Basic {value}"})

    assert made.verify(upgrade(auth["username"], auth["password"]))
    assert not made.verify(upgrade(auth["username"], auth["password"] + "0"))
    assert not made.verify(upgrade("other", auth["password"]))
    assert not made.verify(upgrade(auth["username"], auth["password"], STREAM + "/"))
    assert not made.verify(WebhookRequest("GET", STREAM, {}))
    assert not platform("other").verify(upgrade(auth["username"], auth["password"]))
    without = verbs(platform(""))[1]["wsAuth"]
    assert not platform("").verify(upgrade(without["username"], without["password"]))


def test_a_webhook_must_be_signed() -> None:
    made = platform()
    headers = {"jambonz-signature": f"t={NOW_S},v1={jambonz_signature(SECRET, str(NOW_S), BODY)}"}
    assert made.verify(WebhookRequest("POST", WEBHOOK, headers, (), BODY))
    assert not made.verify(WebhookRequest("POST", WEBHOOK, headers, (), BODY + b" "))
    assert not made.verify(WebhookRequest("POST", WEBHOOK, {}, (), BODY))


@pytest.mark.parametrize(("reason", "status"), [("busy", 486), ("closed", 603)])
def test_a_call_is_declined_with_the_sip_status_of_the_reason(reason: str, status: int) -> None:
    ((verb,)) = json.loads(platform().reject(reason).body)
    assert (verb["verb"], verb["status"]) == ("sip:decline", status)


@pytest.mark.parametrize(
    ("target", "leg"),
    [
        ("+15550100009", {"type": "phone", "number": "+15550100009"}),
        ("sip:agent@example.test", {"type": "sip", "sipUri": "sip:agent@example.test"}),
    ],
)
def test_a_caller_is_moved_by_dial(target: str, leg: dict[str, str]) -> None:
    assert json.loads(dial(target).body) == [{"verb": "dial", "target": [leg]}]
    with pytest.raises(Refused):
        dial("the office")


def test_a_rate_jambonz_does_not_have_is_an_error() -> None:
    with pytest.raises(ValueError, match="rate_hz"):
        platform(rate_hz=44100)


def test_the_platform_makes_a_fresh_codec_for_each_stream() -> None:
    made = platform()
    first, second = made.codec(), made.codec()
    first.receive(START)
    assert isinstance(second.receive(START)[0], CallStarted)
    assert first.capabilities is made.capabilities
    assert made.name == "jambonz"
    assert "audio.jambonz.org" in made.capabilities.subprotocols


@pytest.mark.parametrize(
    ("status", "over"), [("completed", True), ("no-answer", True), ("in-progress", False), (None, False)]
)
def test_a_status_that_says_a_call_is_over_names_it(status: str | None, over: bool) -> None:
    body = json.dumps({"callSid": "c1", "callStatus": status}).encode()
    request = WebhookRequest("POST", "https://bot.example.test/jambonz/status", {}, (), body)
    assert platform().ended(request) == ("c1" if over else "")


def test_a_room_opens_with_the_agent_and_closes_with_either() -> None:
    agents = json.loads(Jambonz("secret").room("r1", agent=True, announcement="Ada calls.").body)
    callers = json.loads(Jambonz("secret").room("r1", agent=False).body)
    assert [verb["verb"] for verb in agents] == ["say", "conference", "hangup"]
    assert [verb["verb"] for verb in callers] == ["conference", "hangup"]
    assert [room["startConferenceOnEnter"] for room in (agents[1], callers[0])] == [True, False]
    assert agents[1]["name"] == callers[0]["name"] == "r1"
    assert agents[1]["endConferenceOnExit"] is callers[0]["endConferenceOnExit"] is True
