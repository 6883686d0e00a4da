"""Exotel's side of the wire: the messages as documented, strictness as Exotel's, and our codec at the other end."""

import base64
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
    PeerError,
    SendAudio,
    SendMark,
)
from gateway.platforms.base import WebhookRequest
from gateway.platforms.exotel import Exotel
from gateway.simulator.dialect import BotAudio, BotClear, BotMark, BotViolation
from gateway.simulator.exotel import ExotelDialect, ExotelRinging, read_answer
from gateway.simulator.failure import CallFailed
from gateway.simulator.ringing import Reply
from tests.rig.codec_vectors import load, message_of

BASE = "https://bot.example.test"
CHUNK = b"\1\2" * 1600


def dialect(rate_hz: int = 8000) -> ExotelDialect:
    return ExotelDialect("seed", rate_hz, {"token": "one-time-token"})


def keys_of(value: Any) -> Any:
    return {key: keys_of(inner) for key, inner in value.items()} if isinstance(value, dict) else type(value)


def test_a_session_has_the_shape_of_the_recorded_one() -> None:
    side = dialect()
    spoken = [*side.opening(), *side.audio(bytes(1600)), *side.digit("5"), *side.mark("utt-1"), *side.stop()]
    recorded = [str(message_of(step)) for step in load("exotel", "session.json")]
    assert [keys_of(json.loads(message)) for message in spoken] == [keys_of(json.loads(m)) for m in recorded]


def test_the_callers_audio_comes_in_messages_of_100_ms() -> None:
    side = dialect(16000)
    said = [side.audio(bytes(640)) for _ in range(11)]
    assert [len(messages) for messages in said] == [0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]
    media = json.loads(said[9][0])["media"]
    assert (media["chunk"], media["timestamp"], len(base64.b64decode(media["payload"]))) == ("2", "200", 3200)


def out(event: str, **fields: Any) -> str:
    return json.dumps({"event": event, "stream_sid": dialect().stream_id, **fields})


def payload(size_bytes: int) -> dict[str, str]:
    return {"payload": base64.b64encode(bytes(size_bytes)).decode()}


def test_what_the_bot_sends_is_understood() -> None:
    side = dialect()
    assert side.receive(out("media", media=payload(3200))) == BotAudio(bytes(3200))
    assert side.receive(out("media", media=payload(99_840))) == BotAudio(bytes(99_840))
    assert side.receive(out("mark", mark={"name": "utt-1"})) == BotMark("utt-1")
    assert side.receive(out("clear")) == BotClear()


@pytest.mark.parametrize(
    "message",
    [
        b"\0\0",
        "",
        "[]",
        out("stop"),
        json.dumps({"event": "clear"}),
        json.dumps({"event": "clear", "streamSid": dialect().stream_id}),
        json.dumps({"event": [], "stream_sid": dialect().stream_id}),
        out("media"),
        out("media", media={"payload": 5}),
        out("media", media={"payload": "*"}),
        out("media", media=payload(160)),  # F-17
        out("media", media=payload(3199)),
        out("media", media=payload(4096)),
        out("media", media=payload(100_160)),
        out("mark", mark={"name": ""}),
    ],
)
def test_what_exotel_would_not_play_is_a_violation(message: str | bytes) -> None:
    assert isinstance(dialect().receive(message), BotViolation)


@pytest.mark.parametrize("rate_hz", [8000, 16000, 24000])
def test_both_ends_understand_each_other_at_every_rate(rate_hz: int) -> None:
    side, codec = dialect(rate_hz), Exotel().codec()
    (started,) = [event for message in side.opening() for event in codec.receive(message)]
    assert isinstance(started, CallStarted)
    assert (started.call_id, started.custom) == (side.call_id, {"token": "one-time-token"})
    assert (started.caller, started.called) == ("+15550100001", "+15550100002")
    assert started.format_in.rate_hz == side.rate_hz == rate_hz
    frame = bytes(started.format_out.frame_bytes(codec.capabilities.frame_ms_of(started.format_out)))
    replies = [side.receive(m) for c in (SendAudio(frame), SendMark("7"), ClearOutput()) for m in codec.encode(c)]
    assert replies == [BotAudio(frame), BotMark("7"), BotClear()]
    heard = [event for _ in range(5) for m in side.audio(bytes(rate_hz // 25)) for event in codec.receive(m)]
    assert heard == [CallerAudio(bytes(rate_hz // 5))]
    assert codec.receive(side.digit("#")[0]) == [Digit("#")]
    assert codec.receive(side.mark("7")[0]) == [MarkReached("7")]
    assert codec.receive(side.stop()[0]) == [CallEnded("stop")]


def test_no_parameters_are_an_empty_text() -> None:
    side, codec = ExotelDialect("seed", 8000, {}), Exotel().codec()
    assert '"custom_parameters": ""' in str(side.opening()[1])
    events = [event for message in side.opening() for event in codec.receive(message)]
    assert not [event for event in events if isinstance(event, PeerError)]


@given(
    st.lists(
        st.one_of(
            st.integers(1, 30).map(lambda chunks: SendAudio(CHUNK * chunks)),
            st.just(ClearOutput()),
            st.text(min_size=1).map(SendMark),
        )
    )
)
def test_exotel_accepts_all_that_is_sent(commands: list[Command]) -> None:
    side, codec = dialect(), Exotel().codec()
    for message in side.opening():
        codec.receive(message)
    replies = [side.receive(message) for command in commands for message in codec.encode(command)]
    assert not [reply for reply in replies if isinstance(reply, BotViolation)]


def test_the_question_is_understood_and_its_answer_followed() -> None:
    ringing, platform = ExotelRinging("seed", "bot:p@w"), Exotel("bot", "p@w", rate_hz=16000)
    webhook = ringing.ask(BASE)
    headers = {name.lower(): value for name, value in webhook.headers.items()}
    asked = WebhookRequest(webhook.method, webhook.url, headers)
    assert platform.verify(asked)
    assert platform.incoming(asked).call_id == ringing.call_id
    document = platform.answer("wss://bot.example.test/exotel/stream", "secret", {})
    door = ringing.door(BASE, Reply(document.content_type, document.body))
    assert door.url == "wss://bot.example.test/exotel/stream?sample-rate=16000&token=secret"
    assert platform.verify(WebhookRequest("GET", door.url, {n.lower(): v for n, v in door.headers.items()}))
    assert ringing.dialect().rate_hz == 16000
    codec = platform.codec()
    (started,) = [event for message in ringing.dialect().opening() for event in codec.receive(message)]
    assert isinstance(started, CallStarted)
    assert (started.call_id, started.custom["token"]) == (ringing.call_id, "secret")


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("", "bad_answer"),
        ("[]", "bad_answer"),
        ('{"url":5}', "bad_answer"),
        ('{"url":"https://x"}', "bad_answer"),
        ('{"error":"busy"}', "rejected"),
    ],
)
def test_an_answer_that_leads_nowhere_fails_the_call(answer: str, code: str) -> None:
    with pytest.raises(CallFailed, match=code):
        read_answer(answer)


@pytest.mark.parametrize("query", ["sample-rate=11025", "sample-rate=x", "a=1&b=2&c=3&d=4", "a=" + "x" * 256])
def test_a_query_exotel_would_not_carry_fails_the_call(query: str) -> None:
    with pytest.raises(CallFailed, match="bad_answer"):
        ExotelRinging("seed", "").door(BASE, Reply("application/json", json.dumps({"url": f"wss://b.test/s?{query}"})))
    with pytest.raises(CallFailed, match="bad_answer"):
        ExotelRinging("seed", "").door(BASE, None)
