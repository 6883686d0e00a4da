"""Genesys' side of AudioHook: the recorded messages, its strictness, and the gateway's codec at the other end."""

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
    HangUp,
    KeepAlive,
    PeerError,
    SendAudio,
    Transfer,
)
from gateway.platforms.base import WebhookRequest
from gateway.platforms.genesys import Genesys
from gateway.platforms.genesys_stream import GenesysCodec
from gateway.simulator import genesys as wire
from gateway.simulator.dialect import BotAudio, BotClear, BotControl, BotHangUp, BotTransfer, BotViolation
from gateway.simulator.failure import CallFailed
from gateway.simulator.genesys import MAX_BLOCKS_A_SECOND, GenesysDialect, GenesysRinging
from media.formats import ULAW_8K
from media.g711 import pcm_to_ulaw, ulaw_to_pcm
from tests.rig.codec_vectors import load

ORGANIZATION, SESSION, _, CONVERSATION = (f"00000000-0000-4000-8000-0000000000a{n}" for n in (1, 2, 3, 4))
BASE = "https://bot.example.test"
SECRET = "synthetic-key-1:c3ludGhldGljLWF1ZGlvaG9vay1jbGllbnQtc2VjcmV0"
NOW_S = 1767225600
EXTERNAL = {"type": "audio", "format": "PCMU", "channels": ["external"], "rate": 8000}


def dialect(**inputs: str) -> GenesysDialect:
    return GenesysDialect(ORGANIZATION, CONVERSATION, SESSION, inputs)


def out(kind: str, seq: int, clientseq: int = 1, parameters: Any = None, **head: Any) -> str:
    body = {"version": "2", "type": kind, "id": SESSION, "seq": seq, "clientseq": clientseq, **head}
    return json.dumps({**body, "parameters": {} if parameters is None else parameters})


def opened(**inputs: str) -> GenesysDialect:
    side = dialect(**inputs)
    side.opening()
    assert side.receive(out("opened", 1, parameters={"startPaused": False, "media": [EXTERNAL]})) == BotControl()
    return side


def test_the_open_is_the_recorded_one() -> None:
    (message,) = dialect().opening()
    ours, recorded = json.loads(message), json.loads(load("genesys", "session.json")[0]["message"])
    for body in (ours, recorded):
        body["parameters"]["participant"]["id"] = ""
    assert ours == recorded


def test_the_callers_voice_is_sent_in_blocks_of_200_ms_and_moves_the_position() -> None:
    side = opened()
    frame = ulaw_to_pcm(b"\x55" * 160)
    sent = [message for _ in range(25) for message in side.audio(frame)]
    assert sent == [b"\x55" * 1600] * 2
    (digit,) = side.digit("5")
    body = json.loads(digit)
    assert (body["type"], body["position"], body["seq"], body["serverseq"]) == ("dtmf", "PT0.4S", 2, 1)
    (close,) = side.stop()
    assert json.loads(close)["parameters"] == {"reason": "end"}


@pytest.mark.parametrize(
    ("channels", "block"),
    [(["external", "internal"], b"\x55\xff" * 1600), (["external"], b"\x55" * 1600), (["internal"], b"\xff" * 1600)],
)
def test_the_channels_that_were_taken_are_sent_interleaved(channels: list[str], block: bytes) -> None:
    side = dialect()
    side.opening()
    side.receive(out("opened", 1, parameters={"media": [{**EXTERNAL, "channels": channels}]}))
    assert [message for _ in range(10) for message in side.audio(ulaw_to_pcm(b"\x55" * 160))] == [block]
    assert json.loads(side.digit("1")[0])["position"] == "PT0.2S"


def test_nothing_is_heard_before_opened() -> None:
    side = dialect()
    side.opening()
    assert [message for _ in range(20) for message in side.audio(bytes(320))] == []


def test_pings_come_after_a_second_and_then_every_five() -> None:
    side = opened()
    said = [(tick, json.loads(m)["type"]) for tick in range(1, 601) for m in side.tick(0.0)]
    assert said == [(50, "ping"), (300, "ping"), (550, "ping")]
    assert dialect().tick(0.0) == []


def test_genesys_tells_when_the_bots_audio_begins_and_ends() -> None:
    side = opened()
    said = [json.loads(m)["type"] for queued_s in (0.0, 0.2, 0.1, 0.0, 0.0) for m in side.tick(queued_s)]
    assert said == ["playback_started", "playback_completed"]


def test_what_the_bot_sends_is_understood() -> None:
    side = opened()
    assert side.receive(b"\x55" * 1600) == BotAudio(ulaw_to_pcm(b"\x55" * 1600))
    barge_in = {"entities": [{"type": "barge_in", "data": {}}]}
    assert side.receive(out("event", 2, parameters=barge_in)) == BotClear()
    assert side.receive(out("pong", 3)) == BotControl()
    bye = side.receive(out("disconnect", 4, parameters={"reason": "completed"}))
    assert isinstance(bye, BotHangUp)
    assert [json.loads(reply)["type"] for reply in bye.replies] == ["close"]
    assert side.receive(out("closed", 5, 2)) == BotControl()
    assert isinstance(side.receive(b"\x55" * 1600), BotViolation)
    assert isinstance(side.receive(out("pong", 6)), BotViolation)


def test_a_disconnect_with_an_action_moves_the_caller() -> None:
    side = opened()
    outputs = {"action": "transfer", "target": "+15550100009"}
    message = out("disconnect", 2, parameters={"reason": "completed", "outputVariables": outputs})
    assert side.receive(message) == BotTransfer("+15550100009")
    assert side.outputs == outputs


@pytest.mark.parametrize(
    "message",
    ["", "[]", "null", out("opened", 2, parameters={"media": [EXTERNAL]}), out("pong", 3), out("pong", 1)]
    + [out("pong", 2, 2), out("pong", 2, -1), out("pong", 2, version="1"), out("pong", 2, id="x"), out("hold", 2)]
    + [out("pong", 2, parameters=[]), out("event", 2), out("event", 2, parameters={"entities": [{"type": "x"}]})]
    + [out("disconnect", 2), out("disconnect", 2, parameters={"reason": "completed", "outputVariables": []})]
    + [b"", b"\x55" * 64_001],
)
def test_what_genesys_would_refuse_is_a_violation(message: str | bytes) -> None:
    assert isinstance(opened().receive(message), BotViolation)


@pytest.mark.parametrize("media", [[], [EXTERNAL, EXTERNAL], [{**EXTERNAL, "rate": 16000}], None, {}])
def test_opened_takes_exactly_one_of_the_offers(media: Any) -> None:
    side = dialect()
    side.opening()
    assert isinstance(side.receive(out("opened", 1, parameters={"media": media})), BotViolation)
    assert isinstance(side.receive(b"\x55" * 1600), BotViolation)
    assert isinstance(side.receive(out("pong", 2)), BotViolation)


def test_too_many_small_messages_are_refused_until_the_bot_slows_down() -> None:
    side = opened()
    answers = [side.receive(b"\x55" * 160) for _ in range(MAX_BLOCKS_A_SECOND + 1)]
    assert [type(answer) for answer in answers] == [BotAudio] * MAX_BLOCKS_A_SECOND + [BotViolation]
    for _ in range(50):
        side.tick(1.0)
    assert isinstance(side.receive(b"\x55" * 160), BotAudio)


def test_there_are_no_marks() -> None:
    assert opened().mark("m") == opened().cleared(["m"]) == []


def test_the_ringing_opens_a_signed_socket_and_asks_nobody() -> None:
    ringing = GenesysRinging("pair", SECRET, now=lambda: NOW_S)
    assert ringing.ask(BASE) is None
    door = ringing.door(BASE, None)
    assert door.url == "wss://bot.example.test/genesys/stream"
    key, _, secret = SECRET.partition(":")
    upgrade = WebhookRequest("GET", door.url, {name.lower(): value for name, value in door.headers.items()})
    assert Genesys(key, secret, now=lambda: NOW_S).verify(upgrade)
    assert not Genesys(key, "b3RoZXI=", now=lambda: NOW_S).verify(upgrade)
    (started,) = GenesysCodec().receive(ringing.dialect().opening()[0])
    assert isinstance(started, CallStarted)
    assert started.call_id == ringing.call_id == GenesysRinging("pair", "").call_id


def test_without_a_secret_nothing_is_signed() -> None:
    assert set(GenesysRinging("pair", "").door(BASE, None).headers) == {
        "Audiohook-Organization-Id",
        "Audiohook-Session-Id",
        "Audiohook-Correlation-Id",
    }
    with pytest.raises(CallFailed):
        GenesysRinging("pair", "key only")


def test_our_own_signature_is_the_vectors() -> None:
    vector = load("genesys", "signatures.json")[1]
    names = ("Audiohook-Organization-Id", "Audiohook-Session-Id", "Audiohook-Correlation-Id", "X-API-KEY")
    headers = {name: vector["headers"][name.lower()] for name in names}
    signed = wire.sign(vector["secret"], vector["url"], headers, "c3ludGhldGljLW5vbmNlLTAwMDE", vector["created"])
    assert signed["Signature"] == vector["headers"]["signature"]
    assert signed["Signature-Input"] == vector["headers"]["signature-input"]


def joined(**inputs: str) -> tuple[GenesysCodec, GenesysDialect, list[Event]]:
    codec, side = GenesysCodec(), dialect(**inputs)
    events = [event for message in side.opening() for event in codec.receive(message)]
    assert [side.receive(message) for message in codec.owed()] == [BotControl()]
    return codec, side, events


def test_the_start_is_understood() -> None:
    _, _, events = joined(token="one")
    assert events == [
        CallStarted(CONVERSATION, SESSION, ULAW_8K, ULAW_8K, {"token": "one"}, "+15550100001", "+15550100002")
    ]


@given(st.lists(st.sampled_from(["audio", "digit", "ping", "barge_in", "speak"])))
def test_both_sides_understand_each_other_to_the_end(said: list[str]) -> None:
    codec, side, _ = joined()
    heard: list[Event] = []
    expected: list[Event] = []
    spoken = pcm_to_ulaw(ulaw_to_pcm(b"\x55" * 1600))
    for act in said:
        messages: list[str | bytes] = []
        match act:
            case "audio":
                messages = [m for _ in range(10) for m in side.audio(ulaw_to_pcm(b"\x55" * 160))]
                expected.append(CallerAudio(spoken))
            case "digit":
                messages = side.digit("#")
                expected.append(Digit("#"))
            case "ping":
                messages = [m for _ in range(250) for m in side.tick(0.0)]
                expected += [KeepAlive()] * len(messages)
            case "barge_in":
                assert [side.receive(m) for m in codec.encode(ClearOutput())] == [BotClear()]
            case _:
                side.tick(0.0)
                assert not [m for m in codec.encode(SendAudio(b"")) if m]
        for message in messages:
            heard += codec.receive(message)
            assert [side.receive(m) for m in codec.owed()] == [BotControl()] * isinstance(heard[-1], KeepAlive)
    assert heard == expected
    assert [event for message in side.stop() for event in codec.receive(message)] == [CallEnded("stop")]
    assert [side.receive(message) for message in codec.owed()] == [BotControl()]
    assert not [event for event in heard if isinstance(event, PeerError)]


@pytest.mark.parametrize("goodbye", [HangUp("done"), Transfer("+15550100009")])
def test_a_goodbye_of_the_bot_is_followed_by_close_and_closed(goodbye: Command) -> None:
    codec, side, _ = joined()
    (message,) = codec.encode(goodbye)
    answer = side.receive(message)
    if isinstance(answer, BotHangUp):
        assert [event for reply in answer.replies for event in codec.receive(reply)] == [CallEnded("stop")]
        assert [side.receive(reply) for reply in codec.owed()] == [BotControl()]
    else:
        assert answer == BotTransfer("+15550100009")
