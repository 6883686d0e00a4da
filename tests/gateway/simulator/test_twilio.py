"""Twilio's side of the wire: the messages as documented, and strictness as Twilio's."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from gateway.simulator import twilio
from gateway.simulator.dialect import BotAudio, BotClear, BotMark, BotViolation
from gateway.simulator.failure import CallFailed
from gateway.simulator.twilio import TwilioDialect, TwilioIds
from media.g711 import ulaw_to_pcm

VECTORS = Path(__file__).parents[2] / "vectors" / "twilio"
IDS = TwilioIds("AC" + "0" * 31 + "1", "CA" + "0" * 31 + "1", "MZ" + "0" * 31 + "1")


def dialect() -> TwilioDialect:
    return TwilioDialect(IDS, {"token": "one-time-token"})


def test_a_session_is_the_recorded_one() -> None:
    side = dialect()
    spoken = [
        *side.opening(),
        *side.audio(ulaw_to_pcm(b"\xff" * 4)),
        *side.digit("1"),
        *side.mark("utt-1"),
        *side.stop(),
    ]
    recorded = json.loads((VECTORS / "session.json").read_text("utf-8"))
    assert [json.loads(message) for message in spoken] == [json.loads(step["message"]) for step in recorded]


def test_audio_counts_its_chunks_and_milliseconds() -> None:
    side = dialect()
    bodies = [json.loads(side.audio(bytes(320))[0])["media"] for _ in range(3)]
    assert [(body["chunk"], body["timestamp"]) for body in bodies] == [("1", "20"), ("2", "40"), ("3", "60")]
    assert len(base64.b64decode(bodies[0]["payload"])) == 160


def out(event: str, **fields: Any) -> str:
    return json.dumps({"event": event, "streamSid": IDS.stream, **fields})


def test_what_the_bot_sends_is_understood() -> None:
    side = dialect()
    assert side.receive(out("media", media={"payload": "/////w=="})) == BotAudio(bytes(8))
    assert side.receive(out("mark", mark={"name": "utt-1"})) == BotMark("utt-1")
    assert side.receive(out("clear")) == BotClear()


@pytest.mark.parametrize(
    "message",
    [
        b"\x00",
        "",
        "[]",
        "null",
        '{"event":"media"',
        out("stop"),
        out("hello"),
        out("media"),
        out("media", media={}),
        out("media", media={"payload": ""}),
        out("media", media={"payload": 5}),
        out("media", media={"payload": "*"}),
        out("media", media={"payload": "/"}),
        out("mark", mark=[]),
        out("mark", mark={"name": ""}),
        json.dumps({"event": "clear"}),
        json.dumps({"event": "clear", "streamSid": "MZ2"}),
        json.dumps({"event": {}, "streamSid": IDS.stream}),
        json.dumps({"event": [], "streamSid": IDS.stream}),
    ],
)
def test_what_twilio_would_report_is_a_violation(message: str | bytes) -> None:
    violation = dialect().receive(message)
    assert isinstance(violation, BotViolation)
    assert violation.detail.startswith("31924")


def test_our_own_signatures_are_the_vendors() -> None:
    recorded = json.loads((VECTORS / "signatures.json").read_text("utf-8"))
    vectors = {vector["name"]: vector for vector in recorded["vectors"]}
    for name in ("T1", "T2", "T6", "T7", "T8"):
        vector = vectors[name]
        signed = twilio.sign(recorded["auth_token"], vector["url"], dict(vector["form"]))
        assert signed == {"X-Twilio-Signature": vector["signature"]}
    assert twilio.sign("", "wss://bot.example.test/twilio/stream") == {}


def test_the_voice_form_is_an_inbound_ringing_call() -> None:
    form = twilio.voice_form(IDS, "+15550100001", "+15550100002")
    recorded = json.loads((VECTORS / "signatures.json").read_text("utf-8"))
    assert form == dict(recorded["vectors"][0]["form"])


def test_equal_seeds_give_equal_ids_of_twilios_form() -> None:
    ids = TwilioIds.numbered("one")
    assert ids == TwilioIds.numbered("one") != TwilioIds.numbered("two")
    assert [len(value) for value in (ids.account, ids.call, ids.stream)] == [34, 34, 34]
    assert (ids.account[:2], ids.call[:2], ids.stream[:2]) == ("AC", "CA", "MZ")


def test_an_answer_is_followed() -> None:
    order = twilio.read_answer(
        '<?xml version="1.0" encoding="UTF-8"?><Response><Connect><Stream url="wss://bot.example.test/s">'
        '<Parameter name="token" value="a&amp;b"/><Parameter name="bot" value="x"/></Stream></Connect></Response>'
    )
    assert order.url == "wss://bot.example.test/s"
    assert order.parameters == {"token": "a&b", "bot": "x"}
    assert "a&b" not in repr(order)


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("", "bad_answer"),
        ("busy", "bad_answer"),
        ("<Response/>", "bad_answer"),
        ('<Response><Connect><Stream url="https://x"/></Connect></Response>', "bad_answer"),
        ("<Response><Connect><Stream/></Connect></Response>", "bad_answer"),
        ('<Other><Connect><Stream url="wss://x"/></Connect></Other>', "bad_answer"),
        ('<Response><Connect><Stream url="wss://x?a=1"/></Connect></Response>', "bad_answer"),
        (
            '<Response><Connect><Stream url="wss://x"><Parameter name="n" value="' + "v" * 499 + '"/></Stream>'
            "</Connect></Response>",
            "bad_answer",
        ),
        ('<Response><Reject reason="busy"/></Response>', "rejected"),
        ("<Response><Reject/></Response>", "rejected"),
    ],
)
def test_an_answer_that_connects_nothing_fails_the_call(answer: str, code: str) -> None:
    with pytest.raises(CallFailed) as failed:
        twilio.read_answer(answer)
    assert failed.value.code == code
    assert failed.value.detail
