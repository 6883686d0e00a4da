"""Playout under the leaping clock: exact frames, on schedule, cleared at once, and always knowing what was played."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from gateway.call.playout import HOLD_S, Playout
from gateway.events import ClearOutput, Command, SendAudio, SendMark
from gateway.platforms.base import Capabilities
from media.formats import ULAW_8K, AudioFormat, Encoding
from tests.rig.clock import run_leaping
from tests.rig.voice import RATE_HZ, tone

FRAME_S = 0.02


class Wire:
    """Takes commands and notes when."""

    def __init__(self) -> None:
        self.sent: list[tuple[float, Command]] = []

    async def send(self, command: Command) -> None:
        self.sent.append((asyncio.get_running_loop().time(), command))

    def times(self, kind: type[Command]) -> list[float]:
        return [at for at, command in self.sent if isinstance(command, kind)]


def playing(
    script: Callable[[Playout, Wire], Awaitable[None]],
    *,
    marks: bool = True,
    lead_ms: int = 100,
    max_queue_s: float = 60,
    capabilities: Capabilities | None = None,
    wire_format: AudioFormat = ULAW_8K,
) -> Wire:
    """Run `script` beside the pump and return what went over the wire."""

    async def main() -> Wire:
        wire = Wire()
        playout = Playout(
            wire.send,
            wire_format,
            capabilities or Capabilities(marks=marks),
            RATE_HZ,
            lead_ms,
            max_queue_s,
            asyncio.get_running_loop().time,
        )
        pump = asyncio.create_task(playout.run())
        await script(playout, wire)
        pump.cancel()
        await asyncio.wait({pump})
        return wire

    return run_leaping(main())


def test_frames_leave_on_an_absolute_schedule_one_lead_ahead() -> None:
    async def script(playout: Playout, wire: Wire) -> None:
        await asyncio.sleep(1.0)
        playout.feed(1, tone(1.0))
        playout.finish(1)
        await playout.played_out(1)
        assert asyncio.get_running_loop().time() == pytest.approx(2.0, abs=1e-3)

    wire = playing(script)
    times = wire.times(SendAudio)
    assert len(times) == 50
    assert all(
        isinstance(c, SendMark) or len(c.payload) == 160 for _, c in wire.sent if isinstance(c, SendAudio | SendMark)
    )
    for number, at in enumerate(times):
        assert at == pytest.approx(max(1.0, 1.0 + (number + 1) * FRAME_S - 0.1), abs=1e-3)


def test_each_utterance_ends_in_one_mark_behind_its_last_frame() -> None:
    async def script(playout: Playout, wire: Wire) -> None:
        for number in (1, 2):
            playout.feed(number, tone(0.1))
            playout.finish(number)
        await playout.played_out(2)

    wire = playing(script)
    names = [c.name if isinstance(c, SendMark) else "." for _, c in wire.sent]
    assert names == ["."] * 5 + ["1"] + ["."] * 5 + ["2"]


def test_a_platform_without_marks_gets_none() -> None:
    async def script(playout: Playout, wire: Wire) -> None:
        playout.feed(1, tone(0.1))
        playout.finish(1)
        await playout.played_out(1)

    assert playing(script, marks=False).times(SendMark) == []


def test_a_clear_goes_out_at_once_and_no_frame_of_the_old_utterance_follows() -> None:
    async def script(playout: Playout, wire: Wire) -> None:
        playout.feed(1, tone(5.0))
        await asyncio.sleep(1.003)
        playout.clear()
        await asyncio.sleep(0.001)
        assert isinstance(wire.sent[-1][1], ClearOutput)
        await asyncio.sleep(1.0)
        assert isinstance(wire.sent[-1][1], ClearOutput)
        playout.feed(2, tone(0.1))
        playout.finish(2)
        await playout.played_out(2)

    wire = playing(script)
    (cleared,) = wire.times(ClearOutput)
    assert cleared == pytest.approx(1.003, abs=1e-3)
    assert [at for at in wire.times(SendAudio) if cleared <= at < 2.0] == []


def test_positions_follow_the_clock_and_never_exceed_what_was_sent() -> None:
    async def script(playout: Playout, wire: Wire) -> None:
        playout.feed(1, tone(1.0))
        playout.finish(1)
        playout.feed(2, tone(1.0))
        await asyncio.sleep(1.5)
        positions = dict(playout.settle())
        assert positions[1] == pytest.approx(1.0, abs=0.021)
        assert positions[2] == pytest.approx(0.5, abs=0.021)
        await asyncio.sleep(5.0)
        # The second was never finished: what soxr holds back has not been sent, so it has not been played.
        assert dict(playout.settle())[2] <= 1.0

    playing(script)


def test_after_a_silence_the_schedule_begins_anew_and_positions_stay_right() -> None:
    async def script(playout: Playout, wire: Wire) -> None:
        playout.feed(1, tone(0.2))
        playout.finish(1)
        await asyncio.sleep(3.0)
        playout.feed(2, tone(1.0))
        playout.finish(2)
        await asyncio.sleep(0.5)
        assert dict(playout.settle())[2] == pytest.approx(0.5, abs=0.021)

    wire = playing(script)
    first_of_second = [at for at in wire.times(SendAudio) if at > 1.0]
    assert sum(at < 3.001 for at in first_of_second) == 5  # the lead, not a burst of three seconds


def test_a_mark_counts_once_and_not_after_a_clear() -> None:
    async def script(playout: Playout, wire: Wire) -> None:
        playout.feed(1, tone(0.1))
        playout.finish(1)
        await playout.played_out(1)
        assert playout.marks.reached("1") == 1
        assert playout.marks.reached("1") is None
        assert playout.marks.reached("nonsense") is None
        playout.feed(2, tone(0.1))
        playout.finish(2)
        await playout.played_out(2)
        playout.clear()
        assert playout.marks.reached("2") is None

    playing(script)


def test_confirmed_waits_for_marks_but_not_for_ever() -> None:
    async def script(playout: Playout, wire: Wire) -> None:
        loop = asyncio.get_running_loop()
        playout.feed(1, tone(0.1))
        playout.finish(1)
        await playout.played_out(1)
        began = loop.time()
        await playout.marks.confirmed(0.7)
        assert loop.time() - began == pytest.approx(0.7)
        playout.marks.reached("1")
        await playout.marks.confirmed(0.7)
        assert loop.time() - began == pytest.approx(0.7)

    playing(script)


def test_feeding_pauses_above_the_bound_and_resumes_below() -> None:
    async def script(playout: Playout, wire: Wire) -> None:
        playout.feed(1, tone(3.0))
        room = asyncio.create_task(playout.room())
        await asyncio.sleep(0.5)
        assert not room.done()
        await asyncio.sleep(1.0)
        assert room.done()

    playing(script, max_queue_s=2.0)


def test_a_clear_makes_room_and_ends_waiting() -> None:
    async def script(playout: Playout, wire: Wire) -> None:
        playout.feed(1, tone(9.0))
        waiting = [asyncio.create_task(playout.room()), asyncio.create_task(playout.played_out(1))]
        await asyncio.sleep(0.1)
        playout.clear()
        await asyncio.wait(waiting, timeout=0.01)
        assert all(task.done() for task in waiting)

    playing(script, max_queue_s=2.0)


def test_a_hole_inside_an_utterance_is_counted_and_a_pause_between_two_is_not() -> None:
    async def script(playout: Playout, wire: Wire) -> None:
        playout.feed(1, tone(0.3))
        await asyncio.sleep(1.0)
        playout.feed(1, tone(0.3))
        playout.finish(1)
        await asyncio.sleep(2.0)
        assert playout.underruns == 1
        playout.feed(2, tone(0.3))
        playout.finish(2)
        await asyncio.sleep(2.0)
        assert playout.underruns == 1

    playing(script)


def test_the_first_frame_of_each_utterance_is_announced() -> None:
    seen: list[tuple[int, float]] = []

    async def script(playout: Playout, wire: Wire) -> None:
        playout.on_audible = lambda number: seen.append((number, asyncio.get_running_loop().time()))
        assert not playout.audible
        for number in (1, 2):
            playout.feed(number, tone(0.5))
            playout.finish(number)
        await asyncio.sleep(0.1)
        assert playout.audible
        await playout.played_out(2)
        assert not playout.audible

    playing(script)
    assert [number for number, _ in seen] == [1, 2]
    assert [at for _, at in seen] == pytest.approx([0.0, 0.42], abs=0.021)


def test_an_utterance_without_sound_is_over_at_once_and_gets_no_mark() -> None:
    async def script(playout: Playout, wire: Wire) -> None:
        assert playout.finish(1) == 0.0
        await playout.played_out(1)

    assert playing(script).sent == []


def test_an_error_of_the_wire_ends_the_pump() -> None:
    async def main() -> None:
        async def broken(command: Command) -> None:
            raise ConnectionError

        playout = Playout(broken, ULAW_8K, Capabilities(), RATE_HZ, 100, 60.0, asyncio.get_running_loop().time)
        playout.feed(1, tone(0.5))
        with pytest.raises(ConnectionError):
            await playout.run()

    run_leaping(main())


def commands(wire: Wire, kind: type[Command]) -> list[Command]:
    return [command for _, command in wire.sent if isinstance(command, kind)]


def test_f17_frames_are_as_long_as_the_platform_wants_and_the_lead_grows_with_them() -> None:
    async def script(playout: Playout, wire: Wire) -> None:
        playout.feed(1, tone(1.0))
        playout.finish(1)
        await playout.played_out(1)

    capabilities = Capabilities(min_frame_bytes=3200)
    wire = playing(script, capabilities=capabilities, wire_format=AudioFormat(Encoding.L16, 8000))
    assert [len(command.payload) for command in commands(wire, SendAudio) if isinstance(command, SendAudio)] == [
        3200
    ] * 5
    assert wire.times(SendAudio) == pytest.approx([0.0, 0.12, 0.32, 0.52, 0.72], abs=1e-3)


def test_a_platform_without_a_queue_is_sent_no_further_ahead_than_it_takes() -> None:
    async def script(playout: Playout, wire: Wire) -> None:
        playout.feed(1, tone(1.0))
        await asyncio.sleep(0.1)

    wire = playing(script, capabilities=Capabilities(longest_lead_ms=40))
    assert wire.times(SendAudio)[:4] == pytest.approx([0.0, 0.0, 0.02, 0.04], abs=1e-3)


def test_a_platform_that_hangs_up_on_a_quiet_peer_is_sent_silence() -> None:
    async def script(playout: Playout, wire: Wire) -> None:
        await asyncio.sleep(3.5)
        playout.feed(1, tone(0.1))
        playout.finish(1)
        await playout.played_out(1)
        assert dict(playout.settle())[1] == pytest.approx(0.1)

    wire = playing(script, capabilities=Capabilities(silence_every_s=1.0))
    assert wire.times(SendAudio)[:3] == pytest.approx([1.0, 2.0, 3.0])
    assert commands(wire, SendAudio)[0] == SendAudio(b"\xff" * 160)


def test_without_a_clear_what_was_sent_counts_as_played_and_nothing_is_asked_of_the_platform() -> None:
    async def script(playout: Playout, wire: Wire) -> None:
        playout.feed(1, tone(5.0))
        await asyncio.sleep(1.0)
        assert dict(playout.settle())[1] == pytest.approx(1.0, abs=0.021)
        assert dict(playout.settle(cut=True))[1] == pytest.approx(1.1, abs=0.021)
        playout.clear()
        await asyncio.sleep(0.1)

    assert commands(playing(script, capabilities=Capabilities(clear=False)), ClearOutput) == []


def test_f22_a_full_queue_stops_the_sending_until_there_is_room() -> None:
    async def script(playout: Playout, wire: Wire) -> None:
        playout.feed(1, tone(5.0))
        await asyncio.sleep(1.0)
        playout.hold(True)
        await asyncio.sleep(1.0)
        playout.hold(False)
        await asyncio.sleep(0.5)

    times = playing(script).times(SendAudio)
    assert [at for at in times if 1.001 < at < 1.999] == []
    assert sum(2.0 <= at <= 2.001 for at in times) >= 5


def test_f22_a_platform_that_never_has_room_again_does_not_mute_the_bot_for_good() -> None:
    async def script(playout: Playout, wire: Wire) -> None:
        playout.feed(1, tone(5.0))
        await asyncio.sleep(1.0)
        playout.hold(True)
        await asyncio.sleep(HOLD_S + 1.0)

    assert playing(script).times(SendAudio)[-1] > 1.0 + HOLD_S
