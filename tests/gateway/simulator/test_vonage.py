"""Vonage's side of the wire: the messages as documented, strictness as Vonage's, and the gateway's codec at the end."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.events import (
    CallEnded,
    CallerAudio,
    CallStarted,
    ClearOutput,
    Command,
    Digit,
    MarkReached,
    OutputCleared,
    PeerError,
    SendAudio,
    SendMark,
)
from gateway.platforms.base import WebhookRequest
from gateway.platforms.vonage import Vonage
from gateway.simulator import vonage as wire
from gateway.simulator.dialect import BotAudio, BotClear, BotMark, BotViolation
from gateway.simulator.failure import CallFailed
from gateway.simulator.ringing import Door, Reply
from gateway.simulator.vonage import VonageDialect, VonageRinging
from tests.rig.codec_vectors import VECTORS, load, message_of

BASE = "https://bot.example.test"
CALL = "00000000-0000-4000-8000-000000000001"
SECRET = "synthetic"
NOW_S = 1767225600


def dialect(rate_hz: int = 16000) -> VonageDialect:
    return VonageDialect(rate_hz, {"call": CALL, "token": "one-time-token"})


def test_a_session_is_the_recorded_one() -> None:
    side, recorded = dialect(), load("vonage", "session.json")
    frame = bytes.fromhex(recorded[1]["hex"])
    spoken = [*side.opening(), *side.audio(frame), *side.digit("5"), *side.mark("utt-1"), *side.cleared([])]
    assert [m if isinstance(m, bytes) else json.loads(m) for m in spoken] == [
        m if isinstance(m, bytes) else json.loads(m) for m in map(message_of, recorded)
    ]
    assert side.stop() == []
    assert side.tick(1.0) == []


@pytest.mark.parametrize("rate_hz", [8000, 16000, 24000])
def test_a_frame_of_the_bot_is_exactly_20_ms(rate_hz: int) -> None:
    side = dialect(rate_hz)
    frame = b"\x01\x02" * (rate_hz // 50)
    assert side.rate_hz == rate_hz
    assert side.receive(frame) == BotAudio(frame)
    for wrong in (frame[:-2], frame + b"\0\0", b""):
        assert isinstance(side.receive(wrong), BotViolation)


@pytest.mark.parametrize(
    "message",
    ["", "[]", "null", "5", '{"action":"stop"}', '{"action":"notify"}', '{"action":"notify","payload":"m"}']
    + ['{"action":"notify","payload":{}}', '{"action":"notify","payload":{"name":5}}', '{"action":[]}', "{}"],
)
def test_any_other_text_is_a_violation(message: str) -> None:
    assert isinstance(dialect().receive(message), BotViolation)


def test_the_queue_holds_a_minute_and_waiting_notifies_are_dropped_on_a_clear() -> None:
    assert dialect().traits.queue_s == pytest.approx(61.44)
    assert not dialect().traits.clear_returns_marks


def test_our_own_token_is_the_vendors() -> None:
    vector = json.loads((VECTORS / "vonage" / "signatures.json").read_text("utf-8"))
    (value,) = wire.sign(vector["signature_secret"], vector["body"].encode(), NOW_S, vector["jti"]).values()
    # Only the application's id is another one, so the first of the three parts is equal and the claims nearly.
    assert value.removeprefix("Bearer ").split(".")[0] == vector["token"].split(".")[0]
    assert len(value.removeprefix("Bearer ")) == len(vector["token"])
    assert wire.sign("", b"", NOW_S, "jti") == {}


def gateway(**values: Any) -> Vonage:
    return Vonage(SECRET, now=lambda: NOW_S, **values)


def rung(made: Vonage, seed: str = "pair") -> tuple[VonageRinging, Door]:
    """Ring at the gateway's platform as the wire would."""
    ringing = VonageRinging(seed, SECRET, now=lambda: NOW_S)
    webhook = ringing.ask(BASE)
    headers = {name.lower(): value for name, value in webhook.headers.items()}
    request = WebhookRequest(webhook.method, webhook.url, headers, (), webhook.body)
    assert made.verify(request)
    call = made.incoming(request)
    assert (call.call_id, call.caller, call.called) == (ringing.call_id, "15550100001", "15550100002")
    answer = made.answer("wss://bot.example.test/vonage/stream", "once", {"call": call.call_id})
    return ringing, ringing.door(BASE, Reply(answer.content_type, answer.body))


@pytest.mark.parametrize("rate_hz", [8000, 16000, 24000])
@pytest.mark.parametrize("authorization", ["custom", "none"])
def test_webhook_answer_socket_and_greeting_fit_together(rate_hz: int, authorization: str) -> None:
    made = gateway(rate_hz=rate_hz, authorization=authorization)
    ringing, door = rung(made)
    assert made.verify(WebhookRequest("GET", door.url, {n.lower(): v for n, v in door.headers.items()}))
    side = ringing.dialect()
    (started,) = [event for message in side.opening() for event in made.codec().receive(message)]
    assert isinstance(started, CallStarted)
    assert (started.call_id, started.custom["token"]) == (ringing.call_id, "once")
    assert side.rate_hz == started.format_in.rate_hz == started.format_out.rate_hz == rate_hz


def test_a_seed_names_its_call() -> None:
    assert VonageRinging("a", "").call_id == VonageRinging("a", "").call_id != VonageRinging("b", "").call_id
    assert VonageRinging("a", "").ask(BASE).headers == {}


@given(
    st.lists(
        st.one_of(
            st.binary(min_size=640, max_size=640).map(CallerAudio),
            st.sampled_from("0123456789*#").map(Digit),
            st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=50).map(MarkReached),
            st.just(OutputCleared()),
        )
    )
)
def test_all_the_platform_says_is_understood(said: list[CallerAudio | Digit | MarkReached | OutputCleared]) -> None:
    codec, side = gateway().codec(), dialect()
    heard = [event for message in side.opening() for event in codec.receive(message)][1:]
    for event in said:
        match event:
            case CallerAudio(payload):
                messages = side.audio(payload)
            case Digit(digit):
                messages = side.digit(digit)
            case MarkReached(name):
                messages = side.mark(name)
            case _:
                messages = side.cleared([])
        heard += [event for message in messages for event in codec.receive(message)]
    assert heard == said
    assert not [event for event in heard if isinstance(event, PeerError)]
    assert codec.receive_eof() == [CallEnded("closed")]


@given(
    st.lists(
        st.one_of(
            st.binary(min_size=640, max_size=640).map(SendAudio),
            st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=50).map(SendMark),
            st.just(ClearOutput()),
        )
    )
)
def test_all_the_bot_commands_is_understood(commands: list[Command]) -> None:
    codec, side = gateway().codec(), dialect()
    codec.receive(side.opening()[0])
    for command in commands:
        (message,) = codec.encode(command)
        match command:
            case SendAudio(payload):
                assert side.receive(message) == BotAudio(payload)
            case SendMark(name):
                assert side.receive(message) == BotMark(name)
            case _:
                assert side.receive(message) == BotClear()


GOOD: dict[str, Any] = {"type": "websocket", "uri": "wss://b/s", "content-type": "audio/l16;rate=16000"}


def ncco(**changes: Any) -> str:
    return json.dumps([{"action": "connect", "endpoint": [{**GOOD, **changes}]}])


@pytest.mark.parametrize(
    ("answer", "code"),
    [("[]", "rejected"), ("", "bad_answer"), ("busy", "bad_answer"), ("{}", "bad_answer"), ("null", "bad_answer")]
    + [('[{"action":"talk","text":"hi"}]', "bad_answer"), ('[{"action":"connect","endpoint":[]}]', "bad_answer")]
    + [(json.dumps([{"action": "stream", "endpoint": [GOOD]}]), "bad_answer"), ("[5]", "bad_answer")]
    + [(ncco(type="phone"), "bad_answer"), (ncco(uri="https://b"), "bad_answer"), (ncco(uri=5), "bad_answer")]
    + [(ncco(headers=[]), "bad_answer"), (ncco(authorization="x"), "bad_answer")]
    + [(ncco(headers={"a": "x" * 510}), "bad_answer")]
    + [(ncco(**{"content-type": kind}), "bad_answer") for kind in ("audio/l16", "audio/l16;rate=11025", None)],
)
def test_an_answer_that_connects_nothing_fails_the_call(answer: str, code: str) -> None:
    with pytest.raises(CallFailed) as failed:
        VonageRinging("seed", "").door(BASE, Reply("application/json", answer))
    assert failed.value.code == code


def test_a_gateway_that_was_not_asked_cannot_be_followed() -> None:
    with pytest.raises(CallFailed):
        VonageRinging("seed", "").door(BASE, None)
