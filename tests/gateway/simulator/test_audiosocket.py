"""Asterisk's side of AudioSocket: the frames as documented, strictness as Asterisk's, and our codec at the end."""

import asyncio
import uuid

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
    PeerError,
    SendAudio,
    SendMark,
)
from gateway.platforms.audiosocket import AudioSocket
from gateway.platforms.base import WebhookRequest
from gateway.simulator import audiosocket as wire
from gateway.simulator.audiosocket import AudioSocketDialect, AudioSocketRinging
from gateway.simulator.call import CallTrace, SimulatedCall
from gateway.simulator.dialect import BotAudio, BotHangUp, BotViolation
from gateway.simulator.failure import CallFailed
from gateway.simulator.link import Link, MemoryLink
from gateway.simulator.ringing import Reply
from gateway.simulator.script import Manners, Script
from tests.rig.clock import run_leaping
from tests.rig.codec_vectors import load, message_of

UUID = "40325ec2-5efd-4bd3-805f-53576e581d13"
BASE = "https://bot.example.test"
RATES_HZ = [8000, 12000, 16000, 24000, 32000, 44100, 48000, 96000, 192000]


def test_a_session_is_the_recorded_one() -> None:
    side = AudioSocketDialect(UUID)
    spoken = [*side.opening(), *side.audio(b"\1\2" * 160), *side.audio(b"\1\2" * 138), *side.digit("1")]
    assert spoken == [message_of(step) for step in load("audiosocket", "session.json")[:4]]
    assert side.mark("x") == side.stop() == side.cleared(["x"]) == side.tick(1.0) == []


@pytest.mark.parametrize(
    ("frame", "complaint"),
    [
        ("text", "less than a frame"),
        (b"", "less than a frame"),
        (b"\x10\x01", "less than a frame"),
        (b"\x10\x01\x40ab", "says it has 320"),
        (b"\x10\x00\x01ab", "says it has 1"),
        (b"\x42\x00\x00", "Asterisk drops the call"),
        (b"\x12\x00\x02ab", "Asterisk drops the call"),
        (b"\x01\x00\x10" + bytes(16), "Asterisk drops the call"),
    ],
)
def test_what_asterisk_drops_the_call_for_is_a_violation(frame: str | bytes, complaint: str) -> None:
    violation = AudioSocketDialect(UUID).receive(frame)
    assert isinstance(violation, BotViolation)
    assert complaint in violation.detail


def test_audio_and_hang_up_are_understood_and_half_a_sample_is_dropped() -> None:
    side = AudioSocketDialect(UUID)
    assert side.receive(b"\x10\x00\x02ab") == BotAudio(b"ab")
    assert side.receive(b"\x10\x00\x03abc") == BotAudio(b"ab")
    assert side.receive(b"\x00\x00\x00") == BotHangUp()


def test_asterisk_has_no_queue_and_little_patience() -> None:
    traits = AudioSocketDialect(UUID).traits
    assert (traits.needs_audio_every_s, traits.queue_s, traits.clear_returns_marks) == (2.0, 0.2, False)


@pytest.mark.parametrize("rate_hz", RATES_HZ)
def test_both_ends_understand_each_other_at_every_rate(rate_hz: int) -> None:
    side, codec = AudioSocketDialect(UUID, rate_hz), AudioSocket(rate_hz=0).codec()
    frame = b"\1\2" * (rate_hz // 50)
    said = [*side.opening(), *side.audio(frame), *side.digit("#"), side.failed(1)]
    started, audio, digit, error = [event for message in said for event in codec.receive(message)]
    assert isinstance(started, CallStarted)
    assert (started.format_in.rate_hz, started.custom) == (side.rate_hz, {"token": uuid.UUID(UUID).hex})
    assert (audio, digit) == (CallerAudio(frame), Digit("#"))
    assert isinstance(error, PeerError)
    (out,) = codec.encode(SendAudio(frame))
    assert side.receive(out) == BotAudio(frame)
    (out,) = codec.encode(HangUp())
    assert side.receive(out) == BotHangUp()
    assert codec.receive_eof() == [CallEnded("closed")]


COMMAND = st.one_of(
    st.binary(max_size=400).map(SendAudio), st.just(ClearOutput()), st.text().map(SendMark), st.just(HangUp())
)


@given(st.lists(COMMAND))
def test_asterisk_accepts_all_that_is_sent(commands: list[Command]) -> None:
    side, codec = AudioSocketDialect(UUID), AudioSocket().codec()
    codec.receive(side.opening()[0])
    replies = [side.receive(message) for command in commands for message in codec.encode(command)]
    assert not [reply for reply in replies if isinstance(reply, BotViolation)]
    played = b"".join(reply.pcm for reply in replies if isinstance(reply, BotAudio))
    assert len(played) == sum(len(c.payload) // 2 * 2 for c in commands if isinstance(c, SendAudio))


def answered(token: str) -> Reply:
    document = AudioSocket().answer("wss://ignored", token, {})
    return Reply(document.content_type, document.body)


def test_the_dial_plans_question_is_understood_and_its_answer_followed() -> None:
    ringing, token = AudioSocketRinging("seed", "bot:pw", port=9999), uuid.UUID(UUID).hex
    webhook = ringing.ask(BASE)
    headers = {name.lower(): value for name, value in webhook.headers.items()}
    assert (webhook.method, webhook.url) == ("POST", f"{BASE}/audiosocket/voice")
    assert AudioSocket("bot", "pw").verify(WebhookRequest("POST", webhook.url, headers))
    assert ringing.door(BASE, answered(token)).url == "tcp://bot.example.test:9999"
    (started,) = AudioSocket().codec().receive(ringing.dialect().opening()[0])
    assert isinstance(started, CallStarted)
    assert started.custom["token"] == token
    assert ringing.rate_hz == ringing.dialect().rate_hz == 8000


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (None, "bad_answer"),
        (Reply("text/plain", ""), "bad_answer"),
        (Reply("text/plain", "two words"), "bad_answer"),
        (Reply("text/plain", f"{UUID}\n"), "bad_answer"),
        (Reply("text/plain", "secret"), "bad_answer"),
        (Reply("text/plain", "busy"), "rejected"),
    ],
)
def test_an_answer_that_is_no_uuid_fails_the_call(reply: Reply | None, code: str) -> None:
    with pytest.raises(CallFailed, match=code):
        AudioSocketRinging("seed", "").door(BASE, reply)


def test_equal_seeds_give_equal_channels() -> None:
    assert wire.unique_id("a") == wire.unique_id("a") != wire.unique_id("b")
    seconds, _, counter = AudioSocketRinging("a", "").call_id.partition(".")
    assert seconds.isdigit()
    assert counter.isdigit()


def hold(frames_every_s: float, seconds: float) -> CallTrace:
    """A call to a bot that sends a frame that often for so long, and is then silent."""

    async def listen(link: Link) -> None:
        while await link.receive() is not None:
            pass

    async def speak(link: Link) -> None:
        for _ in range(round(seconds / frames_every_s)):
            await link.send(b"\x10\x01\x40" + b"\1\2" * 160)
            await asyncio.sleep(frames_every_s)

    async def both() -> CallTrace:
        here, there = MemoryLink.pair()
        bot = asyncio.gather(speak(there), listen(there))
        patient = Script([], 8000, Manners(quiet_s=30.0, greeting_s=30.0))
        trace = await SimulatedCall(here, AudioSocketDialect(UUID), patient, max_call_s=20.0).run()
        await bot
        return trace

    return run_leaping(both())


def test_a_bot_that_is_silent_for_two_seconds_loses_the_call() -> None:
    trace = hold(0.02, 4.0)
    assert trace.ended_by == "fault"
    assert trace.duration_s == pytest.approx(6.0, abs=0.1)
    assert "no audio for too long" in trace.violations[0]


def test_a_frame_a_second_keeps_the_call() -> None:
    trace = hold(1.0, 20.0)
    assert (trace.ended_by, trace.violations) == ("limit", ())


def test_audio_faster_than_real_time_overruns_the_jitter_buffer() -> None:
    trace = hold(0.01, 4.0)
    assert "audio is dropped" in trace.violations[0]
