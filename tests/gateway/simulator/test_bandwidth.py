"""Bandwidth's side of the wire: the messages as documented, strictness as documented, and our codec at the end."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.events import CallEnded, CallerAudio, CallStarted, ClearOutput, Command, SendAudio, SendMark
from gateway.platforms.bandwidth import Bandwidth
from gateway.platforms.base import WebhookRequest
from gateway.simulator.bandwidth import BandwidthDialect, BandwidthRinging, read_answer
from gateway.simulator.dialect import BotAudio, BotClear, BotViolation
from gateway.simulator.failure import CallFailed
from gateway.simulator.ringing import Reply
from media.g711 import ulaw_to_pcm
from tests.rig.codec_vectors import load, message_of

BASE = "https://bot.example.test"
CALL, STREAM = "c-00000000-0000-4000-8000-000000000001", "s-00000000-0000-4000-8000-000000000002"
PCM16 = "audio/pcm;rate=16000;channels=1;bit-depth=16;endian=little;encoding=signed"


def dialect() -> BandwidthDialect:
    return BandwidthDialect(CALL, STREAM, {"token": "one-time-token"})


def test_a_session_is_the_recorded_one() -> None:
    side, recorded = dialect(), load("bandwidth", "session.json")
    start = json.loads(side.opening()[0])
    start["metadata"]["streamName"] = "s1"
    assert start == json.loads(str(message_of(recorded[0])))
    assert json.loads(side.audio(ulaw_to_pcm(b"\xff" * 4))[0]) == json.loads(str(message_of(recorded[1])))
    stop = json.loads(side.stop()[0])
    assert (stop["eventType"], stop["metadata"]["streamId"]) == ("stop", STREAM)
    assert side.digit("1") == side.mark("x") == side.cleared([]) == side.tick(1.0) == []


def out(content_type: Any, payload: Any) -> str:
    return json.dumps({"eventType": "playAudio", "media": {"contentType": content_type, "payload": payload}})


def test_what_the_bot_sends_is_understood() -> None:
    side = dialect()
    assert side.receive(out("audio/pcmu", "/w==")) == BotAudio(bytes(2))
    assert side.receive(out(PCM16.replace("16000", "8000"), "AQI=")) == BotAudio(b"\1\2")
    assert side.receive('{"eventType":"clear"}') == BotClear()


@pytest.mark.parametrize(
    "message",
    [
        b"\xff",
        "",
        "[]",
        "{}",
        '{"eventType":"playAudio"}',
        '{"eventType":"mark","media":{}}',
        '{"eventType":[],"media":{}}',
        out("audio/pcmu", ""),
        out("audio/pcmu", 5),
        out("audio/pcmu", "*"),
        out("audio/wav", "/w=="),
        out(5, "/w=="),
        out(PCM16, "/w=="),
        out(PCM16.replace("16000", "44100"), "AQI="),
    ],
)
def test_what_is_not_taken_is_a_violation(message: str | bytes) -> None:
    assert isinstance(dialect().receive(message), BotViolation)


@pytest.mark.parametrize("pcm_hz", [0, 8000, 16000, 24000])
def test_both_ends_understand_each_other(pcm_hz: int) -> None:
    side, codec = dialect(), Bandwidth(pcm_hz=pcm_hz).codec()
    (started,) = codec.receive(side.opening()[0])
    assert isinstance(started, CallStarted)
    assert (started.call_id, started.stream_id, started.custom) == (CALL, STREAM, {"token": "one-time-token"})
    second = started.format_out.encoding.silence * started.format_out.rate_hz
    replies = [side.receive(message) for message in codec.encode(SendAudio(second))]
    # What comes in another rate is played at 8 kHz, a filter's length later.
    played = b"".join(reply.pcm for reply in replies if isinstance(reply, BotAudio))
    assert len(played) == pytest.approx(16_000, abs=1_000)
    assert codec.receive(side.audio(ulaw_to_pcm(b"\x01" * 160))[0]) == [CallerAudio(b"\x01" * 160)]
    assert codec.receive(side.stop()[0]) == [CallEnded("stop")]


@given(st.lists(st.one_of(st.binary(max_size=400).map(SendAudio), st.just(ClearOutput()), st.text().map(SendMark))))
def test_bandwidth_accepts_all_that_is_sent(commands: list[Command]) -> None:
    side, codec = dialect(), Bandwidth().codec()
    codec.receive(side.opening()[0])
    replies = [side.receive(message) for command in commands for message in codec.encode(command)]
    assert not [reply for reply in replies if isinstance(reply, BotViolation)]


def test_the_webhook_is_understood_and_its_answer_followed() -> None:
    ringing, platform = BandwidthRinging("seed", "bot:pw"), Bandwidth("bot", "pw")
    webhook = ringing.ask(BASE)
    headers = {name.lower(): value for name, value in webhook.headers.items()}
    asked = WebhookRequest(webhook.method, webhook.url, headers, (), webhook.body)
    assert platform.verify(asked)
    assert platform.incoming(asked).call_id == ringing.call_id
    document = platform.answer("wss://bot.example.test/bandwidth/stream", "secret", {})
    door = ringing.door(BASE, Reply(document.content_type, document.body))
    assert door.url == "wss://bot.example.test/bandwidth/stream"
    assert platform.verify(WebhookRequest("GET", door.url, {n.lower(): v for n, v in door.headers.items()}))
    (started,) = platform.codec().receive(ringing.dialect().opening()[0])
    assert isinstance(started, CallStarted)
    assert (started.call_id, started.custom) == (ringing.call_id, {"token": "secret"})


LONG = f'<StreamParam name="n" value="{"x" * 2049}"/>'
START = '<StartStream destination="wss://b.test/s" mode="bidirectional">%s</StartStream>'


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("", "bad_answer"),
        ("<Response/>", "bad_answer"),
        (f"<Other>{START % ''}<Pause/></Other>", "bad_answer"),
        (f"<Response><Pause/>{START % ''}</Response>", "bad_answer"),
        (f"<Response>{START % ''}</Response>", "bad_answer"),
        ('<Response><StartStream destination="wss://b.test/s"/><Pause/></Response>', "bad_answer"),
        ('<Response><StartStream destination="https://b.test" mode="bidirectional"/><Pause/></Response>', "bad_answer"),
        (f"<Response>{START % LONG}<Pause/></Response>", "bad_answer"),
        ("<Response><Hangup/></Response>", "rejected"),
    ],
)
def test_an_answer_that_leads_nowhere_fails_the_call(answer: str, code: str) -> None:
    with pytest.raises(CallFailed, match=code):
        read_answer(answer)


def test_without_an_answer_the_call_fails() -> None:
    with pytest.raises(CallFailed, match="bad_answer"):
        BandwidthRinging("seed", "").door(BASE, None)
