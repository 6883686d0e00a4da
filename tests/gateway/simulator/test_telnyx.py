"""Telnyx's side of the wire: the messages as documented, its strictness, and the gateway's codec at the end."""

import json
from base64 import b64encode
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
    SendMark,
)
from gateway.platforms.telnyx import Telnyx
from gateway.simulator import telnyx as wire
from gateway.simulator.dialect import BotViolation
from gateway.simulator.failure import CallFailed
from gateway.simulator.ringing import Reply
from gateway.simulator.telnyx import SWAP_EVERY, StreamOrder, TelnyxDialect, TelnyxIds, TelnyxRinging
from media.g711 import ulaw_to_pcm
from tests.rig.codec_vectors import VECTORS, load
from tests.rig.pairing import BASE, meant, received, rung, said

VECTOR: dict[str, Any] = json.loads((VECTORS / "telnyx" / "signatures.json").read_text("utf-8"))
SEED = b64encode(bytes.fromhex(VECTOR["seed_hex"])).decode()
NOW_S = float(VECTOR["timestamp"])
IDS = TelnyxIds("v3:synthetic-0001", *(f"00000000-0000-4000-8000-0000000000b{n}" for n in (3, 1, 2)))
L16 = StreamOrder("wss://x", "L16", 16000)


def dialect(order: StreamOrder = L16, swap_every: int = 0) -> TelnyxDialect:
    return TelnyxDialect(IDS, order, swap_every)


def gateway(**values: Any) -> Telnyx:
    return Telnyx(VECTOR["public_key"], now=lambda: NOW_S, **values)


def ringing(seed: str = "pair", secret: str = SEED) -> TelnyxRinging:
    return TelnyxRinging(seed, secret, now=lambda: NOW_S)


def test_a_session_has_the_recorded_fields() -> None:
    side = dialect(StreamOrder("wss://x", "PCMU", 8000))
    spoken = [
        *side.opening(),
        *side.audio(ulaw_to_pcm(b"\xff" * 4)),
        *side.digit("1"),
        *side.mark("utt-1"),
        *side.stop(),
    ]
    told = [json.loads(message) for message in spoken]
    recorded = [json.loads(step["message"]) for step in load("telnyx", "session.json")]
    for mine, theirs in zip(told, recorded, strict=True):
        assert mine.keys() == theirs.keys()
        assert mine.get(mine["event"], {}).keys() == theirs.get(theirs["event"], {}).keys()
    assert (told[4], told[1]["stream_id"]) == ({**recorded[4], "sequence_number": "4"}, recorded[1]["stream_id"])


def test_every_tenth_packet_changes_places_with_the_next_and_none_is_lost() -> None:
    side = dialect(swap_every=SWAP_EVERY)
    spoken = [message for _ in range(20) for message in side.audio(bytes(640))] + side.stop()
    chunks = [int(body["media"]["chunk"]) for body in map(json.loads, spoken) if body["event"] == "media"]
    assert chunks == [*range(1, 10), 11, 10, *range(12, 21)]


@pytest.mark.parametrize(
    "message",
    [b"\0", "", "[]", "null", "{}", '{"event":"stop"}', '{"event":"media"}', '{"event":"media","media":{}}']
    + ['{"event":"mark"}', '{"event":"mark","mark":{"name":""}}', '{"event":"mark","mark":{"name":5}}', '{"event":[]}']
    + ['{"event":"media","media":{"payload":"*"}}', '{"event":"media","media":{"payload":"AAAA"}}'],
)
def test_what_telnyx_would_report_is_a_violation(message: str | bytes) -> None:
    assert isinstance(dialect().receive(message), BotViolation)


def test_a_message_holds_20_ms_to_30_s() -> None:
    def received_of(size: int) -> Any:
        payload = b64encode(bytes(size)).decode()
        return dialect().receive(json.dumps({"event": "media", "media": {"payload": payload}}))

    for size in (638, 32_000 * 30 + 2):
        assert isinstance(received_of(size), BotViolation)
    for size in (640, 32_000 * 30):
        assert not isinstance(received_of(size), BotViolation)


def test_our_own_signature_is_the_vendors() -> None:
    signed = wire.sign(SEED, VECTOR["timestamp"], VECTOR["body"].encode())
    assert signed == {
        "telnyx-signature-ed25519": VECTOR["signature"],
        "telnyx-timestamp": VECTOR["timestamp"],
    }
    assert wire.sign("", "1", b"") == {}


@pytest.mark.parametrize(("codec_name", "rate_hz"), [("PCMU", 8000), ("PCMA", 8000), ("L16", 8000), ("L16", 24000)])
def test_webhook_answer_socket_and_start_fit_together(codec_name: str, rate_hz: int) -> None:
    made, call = gateway(codec_name=codec_name, rate_hz=rate_hz), ringing()
    rung(made, call)
    side = call.dialect()
    (started,) = received(made.codec(), side.opening())
    assert isinstance(started, CallStarted)
    assert started.call_id == call.call_id
    assert started.format_in == started.format_out
    assert side.rate_hz == started.format_in.rate_hz == rate_hz


def test_a_seed_names_its_call_and_no_dialect_comes_before_the_answer() -> None:
    assert ringing("a").call_id == ringing("a").call_id != ringing("b").call_id
    assert ringing(secret="").ask(BASE).headers == {}
    with pytest.raises(CallFailed):
        ringing().dialect()


PCM = st.binary(min_size=320, max_size=320).map(lambda half: half + half)


@given(
    st.lists(
        st.one_of(
            PCM.map(CallerAudio),
            st.sampled_from("0123456789*#").map(Digit),
            st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=50).map(MarkReached),
        ),
        max_size=40,
    )
)
def test_all_the_platform_says_is_understood_and_audio_in_order(events: list[Event]) -> None:
    codec, side = gateway(codec_name="L16", rate_hz=16000).codec(), dialect(swap_every=3)
    received(codec, side.opening())
    heard = said(codec, side, [*events, CallEnded("stop")])
    assert heard.pop() == CallEnded("stop")
    audio = [event for event in heard if isinstance(event, CallerAudio)]
    assert audio == [event for event in events if isinstance(event, CallerAudio)]
    assert [e for e in heard if e not in audio] == [e for e in events if not isinstance(e, CallerAudio)]


@given(
    st.lists(
        st.one_of(
            PCM.map(SendAudio),
            st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=50).map(SendMark),
            st.just(ClearOutput()),
        )
    )
)
def test_all_the_bot_commands_is_understood(commands: list[Command]) -> None:
    codec, side = gateway(codec_name="L16", rate_hz=16000).codec(), dialect()
    received(codec, side.opening())
    for command in commands:
        assert [side.receive(message) for message in codec.encode(command)] == meant(command)


STREAM = '<Stream url="wss://x" bidirectionalMode="rtp"'


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("", "bad_answer"),
        ("<Response/>", "bad_answer"),
        ('<Response><Connect><Stream url="https://x" bidirectionalMode="rtp"/></Connect></Response>', "bad_answer"),
        ('<Response><Connect><Stream url="wss://x"/></Connect></Response>', "bad_answer"),
        (f'<Response><Connect>{STREAM} track="both_tracks"/></Connect></Response>', "bad_answer"),
        (f'<Response><Connect>{STREAM} bidirectionalCodec="G722"/></Connect></Response>', "bad_answer"),
        (f'<Response><Connect>{STREAM} bidirectionalSamplingRate="16000"/></Connect></Response>', "bad_answer"),
        (f'<Response><Connect>{STREAM} codec="PCMA"/></Connect></Response>', "bad_answer"),
        (f"<Other><Connect>{STREAM}/></Connect></Other>", "bad_answer"),
        ('<Response><Reject reason="busy"/></Response>', "rejected"),
    ],
)
def test_an_answer_that_connects_nothing_fails_the_call(answer: str, code: str) -> None:
    for reply in (Reply("text/xml", answer), None):
        with pytest.raises(CallFailed) as failed:
            ringing().door(BASE, reply)
        assert failed.value.code == (code if reply else "bad_answer")
