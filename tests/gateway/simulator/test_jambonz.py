"""jambonz' side of the wire: the documented messages, its strictness, and the gateway's codec at the other end."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.events import (
    CallerAudio,
    CallStarted,
    ClearOutput,
    Command,
    Digit,
    Event,
    HangUp,
    MarkReached,
    SendAudio,
    SendMark,
)
from gateway.platforms.base import WebhookRequest
from gateway.platforms.jambonz import Jambonz
from gateway.platforms.jambonz_stream import JambonzCodec
from gateway.simulator import jambonz as wire
from gateway.simulator.dialect import BotAudio, BotClear, BotControl, BotHangUp, BotMark, BotViolation
from gateway.simulator.failure import CallFailed
from gateway.simulator.jambonz import JambonzDialect, JambonzRinging
from gateway.simulator.ringing import Door, Reply
from tests.rig.codec_vectors import VECTORS, load, message_of

BASE = "https://bot.example.test"
SECRET = "synthetic"
NOW_S = 1767225600
RECORDED = load("jambonz", "session.json")


def dialect(rate_hz: int = 16000) -> JambonzDialect:
    told = json.loads(RECORDED[0]["message"])
    call = {key: value for key, value in told.items() if key not in ("sampleRate", "mixType", "token")}
    return JambonzDialect(rate_hz, call, {"token": "one-time-token"})


def test_a_session_is_the_recorded_one() -> None:
    side = dialect()
    frame = bytes.fromhex(RECORDED[1]["hex"])
    spoken = [
        *side.opening(),
        *side.audio(frame),
        *side.digit("2"),
        *side.mark("utt-1"),
        *side.cleared(["utt-2"]),
    ]
    assert [m if isinstance(m, bytes) else json.loads(m) for m in spoken] == [
        m if isinstance(m, bytes) else json.loads(m) for m in map(message_of, RECORDED[:5])
    ]
    assert side.stop() == side.tick(1.0) == []
    assert not side.traits.clear_returns_marks


def test_what_the_bot_sends_is_understood() -> None:
    side = dialect()
    assert side.receive(b"\1\0" * 5) == BotAudio(b"\1\0" * 5)
    assert side.receive('{"type":"mark","data":{"name":"m"}}') == BotMark("m")
    assert side.receive('{"type":"killAudio"}') == BotClear()
    assert side.receive('{"type":"clearMarks"}') == BotControl()
    assert side.receive('{"type":"disconnect"}') == BotHangUp()


@pytest.mark.parametrize(
    "message",
    [b"", b"\0", "", "[]", "null", "{}", '{"type":"mark"}', '{"type":"mark","name":"m"}']
    + ['{"type":"mark","data":{"name":""}}', '{"type":"playAudio","data":{}}', '{"type":[]}'],
)
def test_any_other_message_is_a_violation(message: str | bytes) -> None:
    assert isinstance(dialect().receive(message), BotViolation)


def test_our_own_signature_is_the_vendors() -> None:
    vector = json.loads((VECTORS / "jambonz" / "signatures.json").read_text("utf-8"))
    signed = wire.sign(vector["secret"], vector["body"].encode(), vector["at_s"])
    assert signed == {"Jambonz-Signature": vector["header"]}
    assert wire.sign("", b"", 0) == {}


def rung(made: Jambonz) -> tuple[JambonzRinging, Door]:
    """Ring at the gateway's platform as the wire would."""
    ringing = JambonzRinging("pair", SECRET, now=lambda: NOW_S)
    webhook = ringing.ask(BASE)
    headers = {name.lower(): value for name, value in webhook.headers.items()}
    request = WebhookRequest(webhook.method, webhook.url, headers, (), webhook.body)
    assert made.verify(request)
    call = made.incoming(request)
    assert (call.call_id, call.caller, call.called) == (ringing.call_id, "15550100001", "15550100002")
    answer = made.answer("wss://bot.example.test/jambonz/stream", "once", {"bot": "x"})
    return ringing, ringing.door(BASE, Reply(answer.content_type, answer.body))


@pytest.mark.parametrize("rate_hz", [8000, 16000, 24000, 48000, 64000])
def test_webhook_answer_socket_and_description_fit_together(rate_hz: int) -> None:
    made = Jambonz(SECRET, rate_hz=rate_hz, now=lambda: NOW_S)
    ringing, door = rung(made)
    assert made.verify(WebhookRequest("GET", door.url, {n.lower(): v for n, v in door.headers.items()}))
    assert set(door.subprotocols) <= set(made.capabilities.subprotocols)
    side = ringing.dialect()
    (started,) = [event for message in side.opening() for event in made.codec().receive(message)]
    assert isinstance(started, CallStarted)
    assert (started.call_id, started.custom) == (ringing.call_id, {"bot": "x", "token": "once"})
    assert side.rate_hz == started.format_in.rate_hz == started.format_out.rate_hz == rate_hz


def test_a_seed_names_its_call() -> None:
    assert JambonzRinging("a", "").call_id == JambonzRinging("a", "").call_id != JambonzRinging("b", "").call_id
    assert JambonzRinging("a", "").ask(BASE).headers == {}


@given(
    st.lists(
        st.one_of(
            st.binary(min_size=640, max_size=640).map(CallerAudio),
            st.sampled_from("0123456789*#").map(Digit),
            st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=50).map(MarkReached),
        )
    )
)
def test_all_the_platform_says_is_understood(said: list[CallerAudio | Digit | MarkReached]) -> None:
    codec, side = JambonzCodec(), dialect()
    heard: list[Event] = [event for message in side.opening() for event in codec.receive(message)][1:]
    for event in said:
        match event:
            case CallerAudio(payload):
                messages = side.audio(payload)
            case Digit(digit):
                messages = side.digit(digit)
            case MarkReached(name):
                messages = [*side.mark(name), *side.cleared([name])]  # the dropped one means nothing
        heard += [event for message in messages for event in codec.receive(message)]
    assert heard == said


@given(
    st.lists(
        st.one_of(
            st.binary(min_size=2, max_size=640).filter(lambda audio: len(audio) % 2 == 0).map(SendAudio),
            st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=50).map(SendMark),
            st.just(ClearOutput()),
            st.just(HangUp("done")),
        )
    )
)
def test_all_the_bot_commands_is_understood(commands: list[Command]) -> None:
    codec, side = JambonzCodec(), dialect()
    codec.receive(side.opening()[0])
    for command in commands:
        (message,) = codec.encode(command)
        match command:
            case SendAudio(payload):
                assert side.receive(message) == BotAudio(payload)
            case SendMark(name):
                assert side.receive(message) == BotMark(name)
            case ClearOutput():
                assert side.receive(message) == BotClear()
            case _:
                assert side.receive(message) == BotHangUp()


GOOD: dict[str, Any] = {
    "verb": "listen",
    "url": "wss://b/s",
    "sampleRate": 8000,
    "mixType": "mono",
    "bidirectionalAudio": {"enabled": True, "streaming": True, "sampleRate": 8000},
}


def test_a_stream_without_credentials_is_followed_under_its_other_name() -> None:
    ringing = JambonzRinging("seed", "")
    answer = json.dumps([{"verb": "answer"}, {**GOOD, "verb": "stream"}])
    assert ringing.door(BASE, Reply("application/json", answer)).headers == {}
    assert ringing.dialect().rate_hz == 8000


def one(**changes: Any) -> str:
    return json.dumps([{**GOOD, **changes}])


ONE_WAY = {"enabled": True, "streaming": False, "sampleRate": 8000}
TWO_RATES = {"enabled": True, "streaming": True, "sampleRate": 16000}


@pytest.mark.parametrize(
    ("answer", "code"),
    [("", "bad_answer"), ("busy", "bad_answer"), ("{}", "bad_answer"), ("[]", "bad_answer"), ("[5]", "bad_answer")]
    + [('[{"verb":"sip:decline","status":486}]', "rejected"), ('[{"verb":"hangup"}]', "bad_answer")]
    + [(one(url="https://b"), "bad_answer"), (one(url=5), "bad_answer"), (one(sampleRate=11025), "bad_answer")]
    + [(one(bidirectionalAudio=ONE_WAY), "bad_answer"), (one(bidirectionalAudio=TWO_RATES), "bad_answer")]
    + [(one(mixType="stereo"), "bad_answer"), (one(metadata=[]), "bad_answer"), (one(wsAuth="x"), "bad_answer")]
    + [(one(wsAuth={"username": "u"}), "bad_answer")],
)
def test_an_answer_that_streams_nothing_fails_the_call(answer: str, code: str) -> None:
    with pytest.raises(CallFailed) as failed:
        JambonzRinging("seed", "").door(BASE, Reply("application/json", answer))
    assert failed.value.code == code


def test_a_gateway_that_was_not_asked_cannot_be_followed() -> None:
    with pytest.raises(CallFailed):
        JambonzRinging("seed", "").door(BASE, None)
