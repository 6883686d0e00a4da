"""Asterisk's side of chan_websocket: messages as recorded, its queue, its strictness, and our codec at the end."""

import asyncio
import json

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
    MarkReached,
    OutputCleared,
    PeerError,
    SendAudio,
    SendMark,
)
from gateway.platforms.base import Codec, WebhookRequest
from gateway.platforms.chan_websocket import ChanWebsocket
from gateway.simulator.call import CallTrace, SimulatedCall
from gateway.simulator.chan_websocket import ChanWebsocketDialect, ChanWebsocketRinging
from gateway.simulator.dialect import BotAudio, BotClear, BotControl, BotHangUp, BotMark, BotViolation
from gateway.simulator.failure import CallFailed
from gateway.simulator.link import Link, MemoryLink
from gateway.simulator.ringing import Reply
from gateway.simulator.script import Manners, Script
from media.g711 import alaw_to_pcm, ulaw_to_pcm
from tests.rig.clock import run_leaping
from tests.rig.codec_vectors import load, message_of

CHANNEL = "1767225600.4"
BASE = "https://bot.example.test"
VARIABLES = {"token": "one-time-token", "call": "1767225600.3"}
FRAME = b"\1\2" * 320


def dialect(media: str = "slin16", *, plain: bool = False) -> ChanWebsocketDialect:
    return ChanWebsocketDialect(CHANNEL, VARIABLES, media, plain)


def joined(side: ChanWebsocketDialect) -> tuple[Codec, list[Event]]:
    codec = ChanWebsocket().codec()
    return codec, [event for message in side.opening() for event in codec.receive(message)]


def test_a_session_is_the_recorded_one() -> None:
    side, recorded = dialect(), load("chan_websocket", "session.json")
    start = json.loads(side.opening()[0]) | {"connection_id": "bot", "channel": "WebSocket/bot/0x7f00"}
    assert start == json.loads(str(message_of(recorded[0])))
    assert side.audio(b"\1\2\3\4") == [message_of(recorded[1])]
    assert json.loads(side.digit("1")[0]) == json.loads(str(message_of(recorded[2])))
    assert json.loads(side.mark("m2")[0]) == json.loads(str(message_of(recorded[6])))
    assert side.stop() == side.cleared(["m2"]) == []


def test_a_plain_session_is_the_recorded_one() -> None:
    side, recorded = dialect("ulaw", plain=True), load("chan_websocket", "session_plain.json")
    words = str(side.opening()[0]).replace("voicebot", "bot")
    assert words == message_of(recorded[0])
    assert set(str(side.digit("1")[0]).split()) == set(str(message_of(recorded[2])).split())
    assert side.mark("m2") == [message_of(recorded[6])]
    side.receive("REPORT_QUEUE_DRAINED")
    assert side.tick(0.0) == [message_of(recorded[8])]
    reply = side.receive("GET_STATUS")
    assert isinstance(reply, BotControl)
    assert "queue_full:false" in str(reply.replies)


@pytest.mark.parametrize("plain", [False, True])
def test_the_queue_says_xoff_at_900_frames_and_xon_below_800(plain: bool) -> None:
    side = dialect(plain=plain)
    codec, _ = joined(side)
    levels = [(17.98, 0), (18.0, 1), (20.0, 0), (16.0, 0), (15.98, 1), (18.0, 1)]
    assert [len(side.tick(queued_s)) for queued_s, _ in levels] == [said for _, said in levels]
    (xoff,) = dialect(plain=plain).tick(19.0)
    (error,) = codec.receive(xoff)
    assert isinstance(error, PeerError)
    assert error.code == "queue_full"


def test_the_queue_holds_a_thousand_frames_and_a_flush_loses_its_marks() -> None:
    traits = dialect().traits
    assert (traits.queue_s, traits.clear_returns_marks) == (20.0, False)


@pytest.mark.parametrize("plain", [False, True])
def test_a_clear_is_answered_once_the_queue_is_empty(plain: bool) -> None:
    side = dialect(plain=plain)
    codec, _ = joined(side)
    replies = [side.receive(message) for message in codec.encode(ClearOutput())]
    assert replies == [BotClear(), BotControl(), BotControl()]
    assert side.tick(0.5) == []
    (drained,) = side.tick(0.0)
    assert codec.receive(drained) == [OutputCleared()]
    assert side.tick(0.0) == []


def test_a_flush_forgets_an_earlier_question() -> None:
    side = dialect()
    side.receive('{"command":"REPORT_QUEUE_DRAINED"}')
    side.receive('{"command":"FLUSH_MEDIA"}')
    assert side.tick(0.0) == []


@pytest.mark.parametrize(
    ("message", "complaint"),
    [
        (bytes(65502), "1009"),
        (bytes(637), "what is over whole frames"),
        ('{"command":"MARK_MEDIA","correlation_id":"' + "x" * 100 + '"}', "text of 144 bytes is ignored"),
        ('{"command":"mark_media"}', "unknown command is ignored: mark_media"),
        ('{"command":5}', "unknown command"),
        ("{}", "unknown command"),
        ("[]", "no JSON object"),
        ("HANGUP", "not JSON"),
    ],
)
def test_what_asterisk_ignores_or_ends_the_call_for_is_a_violation(message: str | bytes, complaint: str) -> None:
    violation = dialect().receive(message)
    assert isinstance(violation, BotViolation)
    assert complaint in violation.detail


def test_an_unknown_word_is_a_violation_too() -> None:
    assert isinstance(dialect(plain=True).receive('{"command":"HANGUP"}'), BotViolation)


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("media", ["ulaw", "alaw", "slin", "slin12", "slin16", "slin24", "slin32", "slin48"])
def test_both_ends_understand_each_other_in_every_format(media: str, plain: bool) -> None:
    side = dialect(media, plain=plain)
    codec, events = joined(side)
    (started,) = events
    assert isinstance(started, CallStarted)
    assert started.format_in.rate_hz == side.rate_hz
    assert (started.call_id, started.stream_id) == (CHANNEL if plain else VARIABLES["call"], CHANNEL)
    assert started.custom == ({} if plain else VARIABLES)
    frame = started.format_out.encoding.silence * (started.format_out.rate_hz // 50)
    (out,) = codec.encode(SendAudio(frame))
    expand = {"ulaw": ulaw_to_pcm, "alaw": alaw_to_pcm}.get(media)
    pcm = expand(frame) if expand else frame
    assert side.receive(out) == BotAudio(pcm)
    (heard,) = codec.receive(side.audio(pcm)[0])
    assert heard == CallerAudio(frame)
    assert codec.receive(side.digit("*")[0]) == [Digit("*")]
    (asked,) = codec.encode(SendMark("7"))
    assert side.receive(asked) == BotMark("7")
    assert codec.receive(side.mark("7")[0]) == [MarkReached("7")]
    (status,) = codec.encode(KeepAlive())
    reply = side.receive(status)
    assert isinstance(reply, BotControl)
    assert codec.receive(reply.replies[0]) == []
    (bye,) = codec.encode(HangUp())
    assert side.receive(bye) == BotHangUp()
    assert codec.receive_eof() == [CallEnded("closed")]


@given(
    st.lists(
        st.one_of(
            st.integers(1, 5).map(lambda frames: SendAudio(FRAME * frames)),
            st.just(ClearOutput()),
            st.integers(1, 10**9).map(lambda number: SendMark(str(number))),
            st.just(KeepAlive()),
        )
    ),
    st.booleans(),
)
def test_asterisk_accepts_all_that_is_sent(commands: list[Command], plain: bool) -> None:
    side = dialect(plain=plain)
    codec, _ = joined(side)
    replies = [side.receive(message) for command in commands for message in codec.encode(command)]
    assert not [reply for reply in replies if isinstance(reply, BotViolation)]


def test_the_dial_plans_question_is_understood_and_its_answer_followed() -> None:
    ringing, platform = ChanWebsocketRinging("seed", "bot:pw"), ChanWebsocket("bot", "pw")
    webhook = ringing.ask(BASE)
    assert webhook.url == f"{BASE}/chan_websocket/voice"
    document = platform.answer("wss://ignored", "secret", {"call": ringing.call_id})
    door = ringing.door(BASE, Reply(document.content_type, document.body))
    assert door.url == f"wss://bot.example.test/chan_websocket/stream?call={ringing.call_id}"
    assert door.subprotocols == ("media",) == platform.capabilities.subprotocols
    headers = {name.lower(): value for name, value in door.headers.items()}
    assert platform.verify(WebhookRequest("GET", door.url, headers))
    (started,) = platform.codec().receive(ringing.dialect().opening()[0])
    assert isinstance(started, CallStarted)
    assert (started.call_id, started.custom["token"]) == (ringing.call_id, "secret")
    assert ringing.rate_hz == ringing.dialect().rate_hz == 16000


def test_a_full_house_fails_the_call() -> None:
    with pytest.raises(CallFailed, match="rejected"):
        ChanWebsocketRinging("seed", "").door(BASE, Reply("text/plain", ChanWebsocket().reject("busy").body))


def hold(commands: list[str | bytes]) -> tuple[CallTrace, list[str]]:
    """A call to a bot that sends all of it at once and then listens; what Asterisk said comes back."""
    said: list[str] = []

    async def bot(link: Link) -> None:
        for command in commands:
            await link.send(command)
        while (message := await link.receive()) is not None:
            said.extend([json.loads(message)["event"]] if isinstance(message, str) else [])

    async def both() -> CallTrace:
        here, there = MemoryLink.pair()
        listening = asyncio.ensure_future(bot(there))
        silent = Script([], 16000, Manners(quiet_s=0.1, greeting_s=5.0))
        trace = await SimulatedCall(here, dialect(), silent).run()
        await listening
        return trace

    return run_leaping(both()), said


def test_of_thirty_seconds_at_once_twenty_are_kept_and_the_bot_is_told() -> None:
    trace, said = hold([FRAME] * 1500)
    assert len(trace.heard_pcm) / 32000 == pytest.approx(20.0, abs=1.0)
    assert said.count("MEDIA_XOFF") == said.count("MEDIA_XON") == 1
    assert "the platform's queue is full: audio is dropped" in trace.violations


def test_a_flush_loses_the_marks_that_wait_and_asks_nothing_of_them() -> None:
    mark, flush, ask = (f'{{"command":"{name}"}}' for name in ("MARK_MEDIA", "FLUSH_MEDIA", "REPORT_QUEUE_DRAINED"))
    trace, said = hold([*[FRAME] * 100, mark.replace("}", ',"correlation_id":"1"}'), flush, ask])
    assert said == ["MEDIA_START", "QUEUE_DRAINED"]
    assert not any(trace.heard_pcm[1000:])
    _, said = hold([*[FRAME] * 100, mark.replace("}", ',"correlation_id":"1"}')])
    assert said == ["MEDIA_START", "MEDIA_MARK_PROCESSED"]
