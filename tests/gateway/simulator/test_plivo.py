"""Plivo's side of the wire: the messages as documented, its strictness, and the gateway's codec at the end."""

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
    OutputCleared,
    SendAudio,
    SendDigits,
    SendMark,
)
from gateway.platforms.plivo import Plivo
from gateway.simulator import plivo as wire
from gateway.simulator.dialect import BotViolation
from gateway.simulator.failure import CallFailed
from gateway.simulator.plivo import PlivoDialect, PlivoIds, PlivoRinging, StreamOrder
from gateway.simulator.ringing import Reply
from gateway.simulator.wire_audio import WireAudio
from media.g711 import ulaw_to_pcm
from tests.rig.codec_vectors import VECTORS, load
from tests.rig.pairing import BASE, meant, received, rung, said

IDS = PlivoIds("500000", *(f"00000000-0000-4000-8000-0000000000c{n}" for n in (1, 2)))
L16 = WireAudio("l16", 16000)


def dialect(audio: WireAudio = L16) -> PlivoDialect:
    return PlivoDialect(IDS, StreamOrder("wss://x", audio, "call=1,token=onetimetoken"))


def test_a_session_is_the_recorded_one() -> None:
    side = dialect(WireAudio("ulaw", 8000))
    spoken = [
        *side.opening(),
        *side.audio(ulaw_to_pcm(b"\xff" * 4)),
        *side.digit("1"),
        *side.mark("utt-1"),
        *side.cleared([]),
    ]
    told = [json.loads(message) for message in spoken]
    recorded = [json.loads(step["message"]) for step in load("plivo", "session.json")]
    del told[2]["dtmf"]["timestamp"], recorded[2]["dtmf"]["timestamp"]
    assert told == recorded
    assert side.stop() == []


def test_the_queue_holds_a_minute_and_waiting_checkpoints_are_dropped_on_a_clear() -> None:
    assert dialect().traits.queue_s == 60
    assert not dialect().traits.clear_returns_marks


def out(event: str, **fields: Any) -> str:
    return json.dumps({"event": event, "streamId": IDS.stream, **fields})


def play(**fields: Any) -> str:
    return out("playAudio", media={"contentType": "audio/x-l16", "sampleRate": 16000, "payload": "AAAA", **fields})


@pytest.mark.parametrize(
    "message",
    [
        b"\0",
        "",
        "[]",
        "{}",
        out("stop"),
        out("playAudio"),
        play(payload="YWJj"),
        play(payload=None),
        play(sampleRate="16000"),
        play(sampleRate=8000),
        play(contentType="audio/x-mulaw"),
        out("checkpoint"),
        out("checkpoint", name=""),
        out("sendDTMF"),
        out("sendDTMF", dtmf=42),
        '{"event":"clearAudio"}',
        '{"event":"checkpoint","name":"m"}',
        '{"event":"clearAudio","streamId":"other"}',
    ],
)
def test_what_is_not_documented_is_a_violation(message: str | bytes) -> None:
    assert isinstance(dialect().receive(message), BotViolation)


def test_our_own_signatures_are_the_vendors() -> None:
    recorded = json.loads((VECTORS / "plivo" / "signatures.json").read_text("utf-8"))
    for vector in recorded["vectors"]:
        if vector["name"] in ("P1", "P6", "P7", "P8"):
            signed = wire.sign(recorded["auth_token"], vector["url"], dict(vector["form"]), recorded["nonce"])
            assert signed == {
                "X-Plivo-Signature-V3": vector["signature"],
                "X-Plivo-Signature-V3-Nonce": recorded["nonce"],
            }
    assert wire.sign("", "https://x", {}) == {}


@pytest.mark.parametrize("separator", [",", ";"])
@pytest.mark.parametrize(
    ("content_type", "rate_hz"),
    [("audio/x-mulaw;rate=8000", 8000), ("audio/x-l16;rate=8000", 8000), ("audio/x-l16;rate=16000", 16000)],
)
def test_webhook_answer_socket_and_start_fit_together(separator: str, content_type: str, rate_hz: int) -> None:
    made = Plivo("secret", content_type=content_type, separator=separator)
    call = PlivoRinging("pair", "secret")
    rung(made, call, {"bot": "sales desk"})
    side = call.dialect()
    (started,) = received(made.codec(), side.opening())
    assert isinstance(started, CallStarted)
    assert (started.call_id, started.custom) == (call.call_id, {"token": "once", "bot": "sales desk"})
    assert side.rate_hz == started.format_in.rate_hz == started.format_out.rate_hz == rate_hz


def test_a_seed_names_its_call_and_no_dialect_comes_before_the_answer() -> None:
    assert PlivoRinging("a", "").call_id == PlivoRinging("a", "").call_id != PlivoRinging("b", "").call_id
    assert PlivoRinging("a", "").ask(BASE).headers == {}
    with pytest.raises(CallFailed):
        PlivoRinging("a", "").dialect()


PCM = st.binary(min_size=1, max_size=320).map(lambda half: half + half)
NAME = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=50)


@given(
    st.lists(
        st.one_of(
            PCM.map(CallerAudio),
            st.sampled_from("0123456789*#").map(Digit),
            NAME.map(MarkReached),
            st.just(OutputCleared()),
        )
    )
)
def test_all_the_platform_says_is_understood(events: list[Event]) -> None:
    codec, side = Plivo("secret").codec(), dialect()
    received(codec, side.opening())
    assert said(codec, side, events) == events
    assert codec.receive_eof() == [CallEnded("closed")]


@given(
    st.lists(
        st.one_of(
            PCM.map(SendAudio),
            NAME.map(SendMark),
            st.just(ClearOutput()),
            st.text("0123456789*#", min_size=1, max_size=8).map(SendDigits),
        )
    )
)
def test_all_the_bot_commands_is_understood(commands: list[Command]) -> None:
    codec, side = Plivo("secret").codec(), dialect()
    received(codec, side.opening())
    for command in commands:
        assert [side.receive(message) for message in codec.encode(command)] == meant(command)


GOOD = {
    "bidirectional": "true",
    "keepCallAlive": "true",
    "audioTrack": "inbound",
    "contentType": "audio/x-mulaw;rate=8000",
    "extraHeaders": "token=1",
}


def written(text: str = "wss://x", **changed: str) -> str:
    attributes = " ".join(f'{name}="{value}"' for name, value in {**GOOD, **changed}.items())
    return f"<Response><Stream {attributes}>{text}</Stream></Response>"


def test_a_complete_answer_is_followed() -> None:
    order = wire.read_answer(written())
    assert (order.url, order.wire, order.extra_headers) == ("wss://x", WireAudio("ulaw", 8000), "token=1")
    assert "token" not in repr(order)


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("", "bad_answer"),
        ("<Response/>", "bad_answer"),
        ("<Response><Stream/></Response>", "bad_answer"),
        (written("https://x"), "bad_answer"),
        (written().replace("Response>", "Other>"), "bad_answer"),
        (written(bidirectional="false"), "bad_answer"),
        (written(keepCallAlive="false"), "bad_answer"),
        (written(audioTrack="both"), "bad_answer"),
        (written(contentType=""), "bad_answer"),
        (written(contentType="audio/x-l16;rate=24000"), "bad_answer"),
        (written(extraHeaders="bot=sales-desk"), "bad_answer"),
        (written(extraHeaders="a=" + "1" * 511), "bad_answer"),
        ('<Response><Hangup reason="busy"/></Response>', "rejected"),
    ],
)
def test_an_answer_that_connects_nothing_fails_the_call(answer: str, code: str) -> None:
    with pytest.raises(CallFailed) as failed:
        PlivoRinging("a", "").door(BASE, Reply("text/xml", answer))
    assert failed.value.code == code
