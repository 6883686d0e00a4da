"""SignalWire's side of the wire: the messages as documented, its strictness, and the gateway's codec at the end."""

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
    Event,
    MarkReached,
    SendAudio,
    SendDigits,
    SendMark,
)
from gateway.platforms.signalwire import SignalWire
from gateway.simulator import signalwire as wire
from gateway.simulator.dialect import BotDigits, BotViolation
from gateway.simulator.failure import CallFailed
from gateway.simulator.ringing import Reply
from gateway.simulator.signalwire import SignalWireDialect, SignalWireIds, SignalWireRinging, StreamOrder
from gateway.simulator.wire_audio import WireAudio
from tests.rig.codec_vectors import VECTORS, load
from tests.rig.pairing import BASE, meant, received, rung, said

KEY = "signalwire-synthetic-key"
IDS = SignalWireIds(*(f"00000000-0000-4000-8000-0000000000d{n}" for n in (2, 3, 1)))
ORDER = StreamOrder("wss://x", WireAudio("l16", 16000), "bearer", {"token": "one-time-token"})


def dialect(parameters: dict[str, str] | None = None) -> SignalWireDialect:
    order = ORDER if parameters is None else StreamOrder(ORDER.url, ORDER.wire, "", parameters)
    return SignalWireDialect(IDS, order)


def test_a_session_is_the_recorded_one() -> None:
    side = dialect()
    spoken = [*side.opening(), *side.audio(b"\xff" * 4), *side.digit("5"), *side.mark("utt-1"), *side.stop()]
    told = [json.loads(message) for message in spoken]
    recorded = [json.loads(step["message"]) for step in load("signalwire", "session.json")]
    for body in (*told, *recorded):
        body.pop("sequenceNumber", None)
    assert told == recorded


def test_parameters_are_told_only_where_there_are_any() -> None:
    assert "customParameters" not in json.loads(dialect({}).opening()[1])["start"]
    assert "bearer" not in repr(ORDER)


def out(event: str, **fields: Any) -> str:
    return json.dumps({"event": event, "streamSid": IDS.stream, **fields})


@pytest.mark.parametrize(
    "message",
    [
        b"\0",
        "",
        "[]",
        out("stop"),
        out("media"),
        out("media", media={}),
        out("media", media={"payload": "YWJj"}),
        out("mark", mark={"name": ""}),
        out("dtmf", dtmf={"digit": "12"}),
        out("dtmf", dtmf={"digit": "x"}),
        out("dtmf", dtmf={"digit": 5}),
        '{"event":"clear"}',
        '{"event":"clear","streamSid":"other"}',
    ],
)
def test_what_is_not_documented_is_a_violation(message: str | bytes) -> None:
    assert isinstance(dialect().receive(message), BotViolation)


def test_our_own_signatures_are_the_vendors() -> None:
    vector = json.loads((VECTORS / "signalwire" / "signatures.json").read_text("utf-8"))
    key, url = vector["signing_key"], vector["url"]
    assert wire.sign(key, url, dict(vector["form"])) == {"X-SignalWire-Signature": vector["form_signature"]}
    assert wire.sign_body(key, url, vector["body"].encode()) == {"X-SignalWire-Signature": vector["body_signature"]}
    assert wire.sign("", url, {}) == wire.sign_body("", url, b"") == {}


@pytest.mark.parametrize(
    ("codec_name", "rate_hz"), [("PCMU@8000h", 8000), ("L16@16000h", 16000), ("L16@24000h", 24000)]
)
def test_webhook_answer_socket_and_start_fit_together(codec_name: str, rate_hz: int) -> None:
    made, call = SignalWire(KEY, codec_name=codec_name), SignalWireRinging("pair", KEY)
    rung(made, call, {"bot": "a&b"})
    side = call.dialect()
    (started,) = received(made.codec(), side.opening())
    assert isinstance(started, CallStarted)
    assert (started.call_id, started.custom) == (call.call_id, {"token": "once", "bot": "a&b"})
    assert side.rate_hz == started.format_in.rate_hz == started.format_out.rate_hz == rate_hz


def test_a_seed_names_its_call_and_no_dialect_comes_before_the_answer() -> None:
    assert SignalWireRinging("a", "").call_id == SignalWireRinging("a", "").call_id
    assert SignalWireRinging("a", "").call_id != SignalWireRinging("b", "").call_id
    with pytest.raises(CallFailed):
        SignalWireRinging("a", "").dialect()


PCM = st.binary(min_size=1, max_size=320).map(lambda half: half + half)
NAME = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=50)


@given(st.lists(st.one_of(PCM.map(CallerAudio), st.sampled_from("0123456789*#ABCD").map(Digit), NAME.map(MarkReached))))
def test_all_the_platform_says_is_understood(events: list[Event]) -> None:
    codec, side = SignalWire(KEY).codec(), dialect()
    received(codec, side.opening())
    assert said(codec, side, [*events, CallEnded("stop")]) == [*events, CallEnded("stop")]


@given(st.lists(st.one_of(PCM.map(SendAudio), NAME.map(SendMark), st.just(ClearOutput()))))
def test_all_the_bot_commands_is_understood(commands: list[Command]) -> None:
    codec, side = SignalWire(KEY).codec(), dialect()
    received(codec, side.opening())
    for command in commands:
        assert [side.receive(message) for message in codec.encode(command)] == meant(command)
    digits = [side.receive(message) for message in codec.encode(SendDigits("1#"))]
    assert digits == [BotDigits("1"), BotDigits("#")]


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("", "bad_answer"),
        ("<Response/>", "bad_answer"),
        ('<Response><Connect><Stream url="ftp://x"/></Connect></Response>', "bad_answer"),
        ('<Response><Connect><Stream url="wss://x?a=1"/></Connect></Response>', "bad_answer"),
        ('<Response><Connect><Stream url="wss://x" codec="OPUS@48000h"/></Connect></Response>', "bad_answer"),
        ('<Response><Connect><Stream url="wss://x" realtime="yes"/></Connect></Response>', "bad_answer"),
        ('<Other><Connect><Stream url="wss://x"/></Connect></Other>', "bad_answer"),
        ("<Response><Reject/></Response>", "rejected"),
    ],
)
def test_an_answer_that_connects_nothing_fails_the_call(answer: str, code: str) -> None:
    with pytest.raises(CallFailed) as failed:
        SignalWireRinging("a", "").door(BASE, Reply("text/xml", answer))
    assert failed.value.code == code


def test_an_answer_without_a_bearer_token_shows_none() -> None:
    answer = '<Response><Connect><Stream url="wss://x"/></Connect></Response>'
    assert SignalWireRinging("a", "").door(BASE, Reply("text/xml", answer)).headers == {}
