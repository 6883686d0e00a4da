"""Whole simulated calls in memory under the leaping clock, exact to the sample."""

import asyncio
import base64
import json
from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np
import pytest

from gateway.simulator.call import CallTrace, SimulatedCall
from gateway.simulator.caller import CallerTurn, recorded_turn
from gateway.simulator.dialect import BotControl, BotDigits, BotHangUp, BotMessage, BotTransfer, Traits
from gateway.simulator.failure import CallFailed
from gateway.simulator.faults import Faults
from gateway.simulator.link import Link, MemoryLink
from gateway.simulator.script import Manners, Script
from gateway.simulator.twilio import TwilioDialect, TwilioIds
from media.dtmf import keys_in
from media.g711 import pcm_to_ulaw, ulaw_to_pcm
from tests.gateway.simulator.echo import RATE_HZ, EchoBot, tone
from tests.rig.clock import run_leaping

IDS = TwilioIds.numbered("test")
MANNERS = Manners(quiet_s=0.5, greeting_s=1.0, reply_s=3.0)
Serve = Callable[[Link], Awaitable[None]]


def turn(seconds: float = 0.5) -> CallerTurn:
    return recorded_turn("tone", tone(seconds, 300.0), RATE_HZ)


def hold(
    serve: Serve, *turns: CallerTurn, faults: Faults | None = None, manners: Manners = MANNERS
) -> tuple[CallTrace, float]:
    """Hold a call against `serve`; return its trace and how long it took."""

    async def both() -> tuple[CallTrace, float]:
        here, there = MemoryLink.pair()
        bot = asyncio.ensure_future(serve(there))
        call = SimulatedCall(here, TwilioDialect(IDS, {}), Script(turns, RATE_HZ, manners), faults)
        try:
            trace = await call.run()
        finally:
            there.abort()
            bot.cancel()
            await asyncio.gather(bot, return_exceptions=True)
        return trace, asyncio.get_running_loop().time()

    return run_leaping(both())


def media(pcm: bytes) -> str:
    payload = base64.b64encode(pcm_to_ulaw(pcm)).decode()
    return json.dumps({"event": "media", "streamSid": IDS.stream, "media": {"payload": payload}})


def message(event: str, **fields: Any) -> str:
    return json.dumps({"event": event, "streamSid": IDS.stream, **fields})


def test_the_bots_answer_is_heard_at_its_exact_time() -> None:
    trace, _ = hold(EchoBot(tone_s=1.0, hangover_s=0.3).serve, turn(0.5))
    # Spoken from 1.0 to 1.5; the frame that completes 0.3 s of silence leaves at 1.8.
    heard = np.frombuffer(trace.heard_pcm, "<i2")
    expected = np.zeros(round(trace.duration_s * RATE_HZ), "<i2")
    expected[14400:22400] = np.frombuffer(ulaw_to_pcm(pcm_to_ulaw(tone(1.0))), "<i2")
    assert np.array_equal(heard, expected)
    assert (trace.ended_by, trace.gaps, trace.violations) == ("caller", (), ())
    assert trace.duration_s == pytest.approx(1.8 + 1.0 + 0.5)


def test_the_caller_is_sent_in_20_ms_frames_with_silence_between_the_turns() -> None:
    bot = EchoBot()
    trace, _ = hold(bot.serve, turn(0.5), turn(0.25))
    frames = [body["media"]["payload"] for body in bot.messages if body["event"] == "media"]
    assert {len(base64.b64decode(frame)) for frame in frames} == {160}
    sent = b"".join(base64.b64decode(frame) for frame in frames)
    assert sent == pcm_to_ulaw(trace.caller_pcm)
    assert sent[:8000] == b"\xff" * 8000
    assert len(frames) * 0.02 == pytest.approx(trace.duration_s)
    assert [body["event"] for body in bot.messages[:2]] == ["connected", "start"]
    assert bot.messages[-1]["event"] == "stop"
    assert [spoken.start_s for spoken in trace.spoken] == pytest.approx([1.0, 1.8 + 1.0 + 0.5])


def test_frames_leave_on_an_absolute_schedule() -> None:
    times: list[float] = []

    async def slow_reader(link: Link) -> None:
        while (received := await link.receive()) is not None:
            if json.loads(str(received))["event"] == "media":
                times.append(asyncio.get_running_loop().time())

    hold(slow_reader, turn(0.5))
    assert times == pytest.approx([0.02 * (number + 1) for number in range(len(times))])


def test_marks_come_back_when_their_audio_has_been_played() -> None:
    bot = EchoBot(tone_s=1.0, hangover_s=0.3, greets=True)
    hold(bot.serve, turn(0.5))
    assert bot.marks == ["reply-1", "reply-2"]
    events = [body["event"] for body in bot.messages]
    # 50 frames after the start, give or take the one under way.
    assert events.index("mark") == pytest.approx(2 + 50, abs=1)


async def _clearing(link: Link) -> None:
    """Speaks 5 s at once with two marks, clears after half a second, and marks again."""
    received: list[str] = []
    await link.send(media(tone(2.5)))
    await link.send(message("mark", mark={"name": "m1"}))
    await link.send(media(tone(2.5)))
    await link.send(message("mark", mark={"name": "m2"}))
    frames = 0
    while (wire := await link.receive()) is not None:
        body = json.loads(str(wire))
        if body["event"] == "mark":
            received.append(body["mark"]["name"])
        frames += body["event"] == "media"
        if frames == 25 and not received:
            await link.send(message("clear"))
            await asyncio.sleep(0)
            await link.send(message("mark", mark={"name": "m3"}))
            frames += 1
    assert received == ["m1", "m2", "m3"]


def test_a_clear_silences_the_line_and_returns_all_marks_at_once() -> None:
    trace, _ = hold(_clearing, turn(0.5))
    heard = np.frombuffer(trace.heard_pcm, "<i2")
    assert np.count_nonzero(heard[:4000]) > 3900
    assert not heard[4000:].any()


def test_keys_are_sent_as_dtmf() -> None:
    bot = EchoBot()
    hold(bot.serve, CallerTurn("dtmf:12#", digits="12#"))
    assert bot.digits == "12#"


def test_keys_that_a_platform_does_not_report_are_heard_as_tones() -> None:
    class Unreported(TwilioDialect):
        traits = Traits(reports_keys=False)

        def digit(self, digit: str) -> list[str | bytes]:
            return []

    async def both() -> CallTrace:
        here, there = MemoryLink.pair()
        bot = asyncio.ensure_future(EchoBot().serve(there))
        turns = [CallerTurn("dtmf:12#", digits="12#")]
        trace = await SimulatedCall(here, Unreported(IDS, {}), Script(turns, RATE_HZ, MANNERS)).run()
        await bot
        return trace

    trace = run_leaping(both())
    assert keys_in(trace.caller_pcm, trace.rate_hz) == "12#"


def test_the_bot_may_hang_up() -> None:
    async def goodbye(link: Link) -> None:
        await asyncio.sleep(0.5)
        await link.close()

    trace, took_s = hold(goodbye, turn(0.5))
    assert trace.ended_by == "gateway"
    assert took_s == pytest.approx(0.5, abs=0.03)


def test_what_breaks_twilios_rules_is_noted_a_bounded_number_of_times() -> None:
    async def rude(link: Link) -> None:
        for _ in range(100):
            await link.send("{")
        await link.send(message("clear"))

    trace, _ = hold(rude, turn(0.5))
    assert len(trace.violations) == 20
    assert set(trace.violations) == {"31924: malformed JSON"}


def test_late_marks_are_late_by_their_delay() -> None:
    bot = EchoBot(tone_s=0.5, greets=True)
    hold(bot.serve, turn(0.5), faults=Faults(ack_delay_s=0.3))
    events = [body["event"] for body in bot.messages]
    assert events.index("mark") == pytest.approx(2 + 40, abs=1)


def test_lost_marks_never_come() -> None:
    bot = EchoBot(greets=True)
    hold(bot.serve, turn(0.5), turn(0.5), faults=Faults(lose_every_ack=2))
    assert bot.marks == ["reply-1", "reply-3"]


def test_a_stalled_line_delivers_late_in_one_burst() -> None:
    times: list[float] = []

    async def reader(link: Link) -> None:
        await link.send(media(tone(0.02)))
        while (received := await link.receive()) is not None:
            if json.loads(str(received))["event"] == "media":
                times.append(asyncio.get_running_loop().time())

    hold(reader, turn(0.5), faults=Faults(stall_at_s=0.5, stall_s=1.0))
    waits = np.diff(times)
    assert max(waits) == pytest.approx(1.02)
    assert np.count_nonzero(waits < 0.001) == 50


def test_a_stalled_line_plays_nothing_meanwhile() -> None:
    async def speaker(link: Link) -> None:
        await asyncio.sleep(0.6)
        await link.send(media(tone(0.1)))
        while await link.receive() is not None:
            pass

    trace, _ = hold(speaker, turn(0.5), faults=Faults(stall_at_s=0.5, stall_s=1.0))
    assert trace.playback.audible(0.0) == pytest.approx((1.5, 1.6), abs=0.001)


def test_a_half_open_line_neither_reads_nor_writes_nor_closes_until_it_is_given_up() -> None:
    last: list[float] = []

    async def reader(link: Link) -> None:
        while await link.receive() is not None:
            last.append(asyncio.get_running_loop().time())
            await link.send(media(tone(0.02)))

    trace, took_s = hold(reader, turn(0.5), faults=Faults(half_open_at_s=0.4, half_open_s=20.0))
    assert last[-1] < 0.45
    assert trace.ended_by == "fault"
    assert took_s == pytest.approx(20.4, abs=0.03)
    audible = trace.playback.audible(0.0)
    assert audible is not None
    assert audible[1] < 0.5


def test_a_half_open_line_hears_nothing_more() -> None:
    async def chatter(link: Link) -> None:
        while True:
            await link.send(media(tone(0.02)))
            await asyncio.sleep(0.02)

    trace, _ = hold(chatter, turn(0.5), faults=Faults(half_open_at_s=0.4, half_open_s=5.0))
    audible = trace.playback.audible(0.0)
    assert audible is not None
    assert audible[1] == pytest.approx(0.4, abs=0.03)


def test_a_dropped_call_ends_without_stop() -> None:
    bot = EchoBot()
    trace, _ = hold(bot.serve, turn(0.5), faults=Faults(drop_at_s=0.3))
    assert trace.ended_by == "fault"
    assert trace.duration_s == pytest.approx(0.3, abs=0.03)
    assert bot.messages[-1]["event"] == "media"


def test_a_caller_may_leave_without_stop() -> None:
    bot = EchoBot()
    trace, _ = hold(bot.serve, turn(0.5), faults=Faults(without_stop=True))
    assert trace.ended_by == "caller"
    assert bot.messages[-1]["event"] == "media"


def test_a_bot_that_reads_nothing_fails_the_call() -> None:
    async def deaf(link: Link) -> None:
        await asyncio.sleep(3600)

    with pytest.raises(CallFailed, match="stalled"):
        hold(deaf, *[turn(0.5)] * 20)


def test_a_bot_that_floods_marks_and_reads_nothing_fails_the_call_too() -> None:
    async def flood(link: Link) -> None:
        for _ in range(5000):
            await link.send(message("mark", mark={"name": "m"}))
        await asyncio.sleep(3600)

    with pytest.raises(CallFailed, match="stalled"):
        hold(flood, turn(0.5))


def test_a_line_that_is_half_open_after_a_stall_is_given_up_too() -> None:
    faults = Faults(stall_at_s=0.2, stall_s=0.4, half_open_at_s=0.3, half_open_s=5.0)
    trace, took_s = hold(EchoBot(greets=True).serve, turn(0.5), faults=faults)
    assert trace.ended_by == "fault"
    assert took_s == pytest.approx(5.6, abs=0.03)


def test_a_call_ends_at_the_limit_whatever_the_script_says() -> None:
    bot = EchoBot()

    async def hold_long() -> CallTrace:
        here, there = MemoryLink.pair()
        script = Script([turn(0.1)], RATE_HZ, Manners(greeting_s=1e9))
        call = SimulatedCall(here, TwilioDialect(IDS, {}), script, max_call_s=30.0)
        trace, _ = await asyncio.gather(call.run(), bot.serve(there))
        assert asyncio.get_running_loop().time() == pytest.approx(30.0)
        return trace

    assert run_leaping(hold_long()).ended_by == "limit"
    assert bot.messages[-1]["event"] == "stop"


class Scripted(TwilioDialect):
    """Twilio's messages, and a few more that other platforms know."""

    traits = Traits(clear_returns_marks=False, queue_s=1.0, needs_audio_every_s=2.0)

    def __init__(self) -> None:
        super().__init__(IDS, {})
        self.ticks: list[float] = []

    def receive(self, message: str | bytes) -> BotMessage:
        more: dict[str | bytes, BotMessage] = {
            "status": BotControl(("fine",)),
            "hang up": BotHangUp(("bye",)),
            "move": BotTransfer("+15550100009"),
            "keys": BotDigits("42"),
        }
        return more.get(message) or super().receive(message)

    def cleared(self, dropped: list[str]) -> list[str | bytes]:
        return [f"dropped {','.join(dropped)}"]

    def tick(self, queued_s: float) -> list[str | bytes]:
        self.ticks.append(queued_s)
        return []


def hold_scripted(*said: str) -> tuple[CallTrace, list[str], Scripted]:
    """The gateway says these at once, and then a frame a second; what it is told beside audio is returned."""
    heard: list[str] = []
    dialect = Scripted()

    async def gateway(link: Link) -> None:
        for message in said:
            await link.send(message)
        while (answer := await link.receive()) is not None:
            if not str(answer).startswith("{"):
                heard.append(str(answer))

    async def both() -> CallTrace:
        here, there = MemoryLink.pair()
        serving = asyncio.ensure_future(gateway(there))
        trace = await SimulatedCall(here, dialect, Script([turn(0.2)], RATE_HZ, MANNERS)).run()
        await serving
        return trace

    return run_leaping(both()), heard, dialect


def test_what_else_a_platform_understands_is_done() -> None:
    trace, heard, _ = hold_scripted("status", "keys", "hang up")
    assert heard == ["fine", "bye"]
    assert (trace.ended_by, trace.digits, trace.violations) == ("gateway", "42", ())


def test_a_transfer_ends_the_stream() -> None:
    trace, _, _ = hold_scripted("move")
    assert (trace.ended_by, trace.transferred_to) == ("gateway", "+15550100009")


def test_a_platform_that_drops_marks_says_so_in_its_own_way() -> None:
    _, heard, _ = hold_scripted(media(tone(0.5)), message("mark", mark={"name": "m1"}), message("clear"))
    assert heard == ["dropped m1"]


def test_a_full_queue_is_a_violation_and_a_quiet_bot_is_given_up() -> None:
    trace, _, dialect = hold_scripted(media(tone(0.9)), media(tone(0.9)))
    assert trace.violations[0] == "the platform's queue is full: audio is dropped"
    assert "no audio for too long" in trace.violations[1]
    assert trace.ended_by == "fault"
    assert dialect.ticks[0] == pytest.approx(0.88, abs=0.03)
    assert dialect.ticks[-1] == 0.0


def test_doubled_marks_come_twice() -> None:
    bot = EchoBot(greets=True)
    hold(bot.serve, turn(0.5), faults=Faults(repeat_acks=True))
    assert bot.marks[:2] == ["reply-1", "reply-1"]


def test_f44_a_callers_line_may_carry_the_bots_voice_back_late_and_quiet() -> None:
    async def speak(link: Link) -> None:
        await link.send(media(tone(0.5, 300.0)))
        while await link.receive() is not None:
            pass

    trace, _ = hold(speak, faults=Faults(echo_db=-20.0, echo_delay_s=0.15))
    heard = np.frombuffer(trace.heard_pcm, "<i2").astype(float)
    said = np.frombuffer(trace.caller_pcm, "<i2").astype(float)
    late = round(0.15 * RATE_HZ)
    length = min(len(heard), len(said) - late)
    assert np.abs(heard[:length]).max() > 1000
    assert said[late : late + length] == pytest.approx(heard[:length] / 10, abs=1.0)
    assert not said[:late].any()
