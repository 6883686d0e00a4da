"""The Vonage platform: its documents, webhooks and what admits a socket."""

import hashlib
import json
from base64 import urlsafe_b64encode
from dataclasses import replace
from typing import Any

import pytest

from gateway.errors import Refused
from gateway.events import CallStarted
from gateway.platforms.base import WebhookRequest
from gateway.platforms.vonage import Vonage
from gateway.platforms.vonage_signature import hs256
from tests.rig.codec_vectors import load

SESSION = load("vonage", "session.json")
START = SESSION[0]["message"]
SECRET = "vonage-synthetic-signature-secret-0001"
NOW_S = 1767225600
STREAM = "wss://bot.example.test/vonage/stream"


def platform(**values: Any) -> Vonage:
    return Vonage(SECRET, now=lambda: NOW_S, **values)


BODY = json.dumps({"from": "15550100001", "to": "15550100002", "uuid": "leg-1", "conversation_uuid": "CON-1"}).encode()
QUERY = "https://bot.example.test/vonage/voice?from=15550100001&to=15550100002&uuid=leg-1"


@pytest.mark.parametrize(
    "request_",
    [WebhookRequest("POST", "https://bot.example.test/vonage/voice", {}, (), BODY), WebhookRequest("GET", QUERY, {})],
)
def test_the_webhook_tells_the_leg_and_both_numbers(request_: WebhookRequest) -> None:
    call = platform().incoming(request_)
    assert (call.call_id, call.caller, call.called, call.direction) == (
        "leg-1",
        "15550100001",
        "15550100002",
        "inbound",
    )
    assert "555" not in repr(call)


def test_a_call_of_ours_is_outbound() -> None:
    body = json.dumps({"uuid": "leg-1", "direction": "outbound"}).encode()
    assert platform().incoming(WebhookRequest("POST", QUERY, {}, (), body)).direction == "outbound"


@pytest.mark.parametrize("body", [b"", b"{}", b'{"uuid":""}', b'{"uuid":5}', b"[]"])
def test_a_webhook_without_a_leg_is_refused(body: bytes) -> None:
    with pytest.raises(Refused) as refused:
        platform().incoming(WebhookRequest("POST", "https://bot.example.test/vonage/voice", {}, (), body))
    assert (refused.value.code, refused.value.http_status) == ("missing_call_id", 400)


def endpoint(made: Vonage, **parameters: str) -> dict[str, Any]:
    document = made.answer(STREAM, "secret", parameters)
    assert document.content_type == "application/json"
    (action,) = json.loads(document.body)
    assert action["action"] == "connect"
    (found,) = action["endpoint"]
    assert isinstance(found, dict)
    return found


def test_the_answer_connects_the_call_to_the_stream_with_token_and_call_id() -> None:
    found = endpoint(platform(rate_hz=24000), call="leg-1", token="forged")
    assert (found["type"], found["uri"], found["content-type"]) == ("websocket", STREAM, "audio/l16;rate=24000")
    assert found["headers"] == {"call": "leg-1", "token": "secret"}


def test_what_the_answer_tells_the_stream_comes_back_in_its_greeting() -> None:
    made = platform()
    assert not made.capabilities.call_id_in_stream
    headers = endpoint(made, call="leg-1")["headers"]
    greeting = {"event": "websocket:connected", "content-type": "audio/l16;rate=16000", **headers}
    (event,) = made.codec().receive(json.dumps(greeting))
    assert isinstance(event, CallStarted)
    assert (event.call_id, event.custom["token"]) == ("leg-1", "secret")


@pytest.mark.parametrize("parameters", [{"x": "y" * 500}, {"event": "x"}, {"content-type": "x"}])
def test_parameters_vonage_would_not_carry_are_refused(parameters: dict[str, str]) -> None:
    with pytest.raises(Refused) as refused:
        platform().answer(STREAM, "secret", parameters)
    assert (refused.value.code, refused.value.http_status) == ("bad_parameter", 400)


def test_a_full_house_ends_the_call() -> None:
    assert json.loads(platform().reject("busy").body) == []


def upgrade(authorization: str, url: str = STREAM) -> WebhookRequest:
    return WebhookRequest("GET", url, {"authorization": authorization} if authorization else {})


def test_the_socket_is_opened_with_the_value_of_the_answer_and_no_other() -> None:
    made = platform()
    value = endpoint(made)["authorization"]["value"]
    assert made.verify(upgrade(value))
    assert not made.verify(upgrade(value + "0"))
    assert not made.verify(upgrade("é"))
    assert not made.verify(upgrade(""))
    assert not made.verify(upgrade(value, STREAM + "/"))
    assert not Vonage("other").verify(upgrade(value))
    assert not Vonage("").verify(upgrade(endpoint(Vonage(""))["authorization"]["value"]))


def token() -> str:
    """A bearer token over an empty body."""
    claims = {"iat": NOW_S, "payload_hash": hashlib.sha256(b"").hexdigest()}
    parts = [urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in ({"alg": "HS256"}, claims)]
    signed = ".".join(parts)
    return f"Bearer {signed}.{hs256(SECRET, signed)}"


def test_with_vonages_own_token_the_socket_asks_for_one() -> None:
    made = platform(authorization="vonage")
    assert endpoint(made)["authorization"] == {"type": "vonage"}
    assert made.verify(upgrade(token()))
    assert not made.verify(upgrade(""))
    assert not made.verify(upgrade(endpoint(platform())["authorization"]["value"]))


def test_without_authorization_the_one_time_token_is_left() -> None:
    made = platform(authorization="none")
    assert "authorization" not in endpoint(made)
    assert made.verify(upgrade(""))
    assert not Vonage("", authorization="none").verify(upgrade(""))


def test_a_webhook_must_be_signed() -> None:
    made = platform()
    request = WebhookRequest("POST", "https://bot.example.test/vonage/voice", {}, (), b"")
    assert made.verify(replace(request, headers={"authorization": token()}))
    assert not made.verify(replace(request, headers={"authorization": token()}, body=b"{}"))
    assert not made.verify(request)


@pytest.mark.parametrize(("name", "value"), [("rate_hz", 11025), ("rate_hz", 48000), ("authorization", "jwt")])
def test_a_setting_vonage_does_not_know_is_an_error(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=name):
        platform(**{name: value})


def test_the_platform_makes_a_fresh_codec_for_each_stream() -> None:
    made = platform()
    first, second = made.codec(), made.codec()
    first.receive(START)
    assert isinstance(second.receive(START)[0], CallStarted)
    assert first.capabilities is made.capabilities
    assert made.name == "vonage"


@pytest.mark.parametrize(
    ("status", "over"),
    [("completed", True), ("disconnected", True), ("unanswered", True), ("answered", False), (None, False)],
)
def test_an_event_that_says_a_leg_is_over_names_it(status: str | None, over: bool) -> None:
    body = json.dumps({"uuid": "leg-1", "status": status}).encode()
    request = WebhookRequest("POST", "https://bot.example.test/vonage/status", {}, (), body)
    assert platform().ended(request) == ("leg-1" if over else "")


def test_a_room_opens_with_the_agent_and_closes_with_either() -> None:
    agents = json.loads(Vonage("secret").room("r1", agent=True, announcement="Ada calls.").body)
    callers = json.loads(Vonage("secret").room("r1", agent=False).body)
    room = {"action": "conversation", "name": "r1", "endOnExit": True}
    assert agents == [{"action": "talk", "text": "Ada calls."}, {**room, "startOnEnter": True}]
    assert callers == [{**room, "startOnEnter": False}]
