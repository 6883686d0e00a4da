"""FreeSWITCH's side of the wire with its application, in both modules, and our codec at the other end."""

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
    HangUp,
    SendAudio,
    SendDigits,
    SendMark,
    Transfer,
)
from gateway.platforms.base import WebhookRequest
from gateway.platforms.freeswitch import FreeSwitch
from gateway.simulator.dialect import BotAudio, BotClear, BotDigits, BotHangUp, BotTransfer, BotViolation
from gateway.simulator.failure import CallFailed
from gateway.simulator.freeswitch import FreeSwitchDialect, FreeSwitchRinging, Module, read_answer
from gateway.simulator.ringing import Reply
from tests.rig.codec_vectors import load, message_of

BASE = "https://bot.example.test"
METADATA = {"call_uuid": "00000000-0000-4000-8000-0000000000e1", "token": "one-time-token"}


def dialect(module: Module = "fork") -> FreeSwitchDialect:
    return FreeSwitchDialect(METADATA, 8000, module)


def test_a_session_is_the_recorded_one() -> None:
    side, recorded = dialect(), [message_of(step) for step in load("freeswitch", "session.json")]
    assert json.loads(side.opening()[0]) == json.loads(recorded[0])
    assert side.audio(b"\1\2\3\4") == [recorded[1]]
    assert json.loads(side.digit("5")[0]) == json.loads(recorded[2])
    assert side.mark("x") == side.stop() == side.cleared([]) == side.tick(1.0) == []


def out(kind: str, **data: Any) -> str:
    return json.dumps({"type": kind, "data": data})


PLAY = {"audioContentType": "raw", "sampleRate": 8000, "audioContent": "AQI="}
STREAM = {"audioDataType": "raw", "sampleRate": 8000, "audioData": "AQI="}


def test_what_the_bot_sends_is_understood() -> None:
    side = dialect()
    assert side.receive(out("playAudio", **PLAY)) == BotAudio(b"\1\2")
    assert dialect("stream").receive(out("streamAudio", **STREAM)) == BotAudio(b"\1\2")
    assert side.receive(b"\1\2") == BotAudio(b"\1\2")
    assert side.receive('{"type":"killAudio"}') == BotClear()
    assert side.receive('{"type":"disconnect"}') == BotHangUp()
    assert side.receive(out("transfer", target="100")) == BotTransfer("100")
    assert side.receive(out("sendDigits", digits="12")) == BotDigits("12")


@pytest.mark.parametrize(
    "message",
    [
        b"\1",
        "",
        "[]",
        "{}",
        '{"type":[]}',
        '{"type":"playAudio"}',
        '{"type":"playAudio","data":5}',
        '{"type":"transfer","data":5}',
        '{"type":"sendDigits","data":5}',
        out("streamAudio", **STREAM),
        out("playAudio", **{**PLAY, "sampleRate": 16000}),
        out("playAudio", **{**PLAY, "audioContentType": "wave"}),
        out("playAudio", **{**PLAY, "audioContent": "*"}),
        out("playAudio", **{**PLAY, "audioContent": 5}),
        out("playAudio", **{**PLAY, "audioContent": ""}),
        out("playAudio", **{**PLAY, "audioContent": "AQID"}),
    ],
)
def test_what_nobody_would_act_on_is_a_violation(message: str | bytes) -> None:
    assert isinstance(dialect().receive(message), BotViolation)


@pytest.mark.parametrize("bare_audio", [False, True])
@pytest.mark.parametrize("module", ["fork", "stream"])
def test_both_ends_understand_each_other(module: Module, bare_audio: bool) -> None:
    side, codec = dialect(module), FreeSwitch(module=module, bare_audio=bare_audio).codec()
    (started,) = codec.receive(side.opening()[0])
    assert isinstance(started, CallStarted)
    assert (started.call_id, started.custom, started.format_in.rate_hz) == (
        METADATA["call_uuid"],
        METADATA,
        side.rate_hz,
    )
    commands = (SendAudio(b"\1\2"), ClearOutput(), SendDigits("1"), Transfer("100"), HangUp())
    replies = [side.receive(message) for command in commands for message in codec.encode(command)]
    assert replies == [BotAudio(b"\1\2"), BotClear(), BotDigits("1"), BotTransfer("100"), BotHangUp()]
    assert codec.receive(side.audio(b"\1\2")[0]) == [CallerAudio(b"\1\2")]
    assert codec.receive(side.digit("#")[0]) == [Digit("#")]
    assert codec.receive_eof() == [CallEnded("closed")]


@given(
    st.lists(
        st.one_of(
            st.integers(1, 500).map(lambda samples: SendAudio(b"\1\2" * samples)),
            st.just(ClearOutput()),
            st.text().map(SendMark),
            st.text().map(Transfer),
        )
    )
)
def test_the_application_accepts_all_that_is_sent(commands: list[Command]) -> None:
    side, codec = dialect(), FreeSwitch().codec()
    codec.receive(side.opening()[0])
    replies = [side.receive(message) for command in commands for message in codec.encode(command)]
    assert not [reply for reply in replies if isinstance(reply, BotViolation)]


@pytest.mark.parametrize(("module", "subprotocols"), [("fork", ("audio.drachtio.org",)), ("stream", ())])
def test_the_question_is_understood_and_its_answer_followed(module: Module, subprotocols: tuple[str, ...]) -> None:
    ringing, platform = FreeSwitchRinging("seed", "bot:pw", module), FreeSwitch("bot", "pw", rate_hz=16000)
    webhook = ringing.ask(BASE)
    headers = {name.lower(): value for name, value in webhook.headers.items()}
    asked = WebhookRequest(webhook.method, webhook.url, headers, (), webhook.body)
    assert platform.verify(asked)
    assert platform.incoming(asked).call_id == ringing.call_id
    document = platform.answer("wss://bot.example.test/freeswitch/stream", "secret", {})
    door = ringing.door(BASE, Reply(document.content_type, document.body))
    assert (door.url, door.subprotocols) == ("wss://bot.example.test/freeswitch/stream", subprotocols)
    assert set(subprotocols) <= set(platform.capabilities.subprotocols)
    (started,) = platform.codec().receive(ringing.dialect().opening()[0])
    assert isinstance(started, CallStarted)
    assert (started.call_id, started.custom["token"], started.format_in.rate_hz) == (ringing.call_id, "secret", 16000)
    assert ringing.dialect().rate_hz == 16000


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("", "bad_answer"),
        ("[]", "bad_answer"),
        ("{}", "bad_answer"),
        ('{"url":"https://x"}', "bad_answer"),
        ('{"reject":"busy"}', "rejected"),
    ],
)
def test_an_answer_that_leads_nowhere_fails_the_call(answer: str, code: str) -> None:
    with pytest.raises(CallFailed, match=code):
        read_answer(answer)


@pytest.mark.parametrize("order", [{}, {"rate": "44k", "metadata": {}}, {"rate": "8k", "metadata": "x"}])
def test_an_order_without_rate_or_metadata_fails_the_call(order: dict[str, Any]) -> None:
    reply = Reply("application/json", json.dumps({"url": "wss://b.test/s", **order}))
    with pytest.raises(CallFailed, match="bad_answer"):
        FreeSwitchRinging("seed", "").door(BASE, reply)
    with pytest.raises(CallFailed, match="bad_answer"):
        FreeSwitchRinging("seed", "").door(BASE, None)
