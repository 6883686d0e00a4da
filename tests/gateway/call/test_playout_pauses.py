"""Pauses of the playout: whenever they come, the caller hears every sample once, in order, and the account is right."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.call.playout import Playout
from gateway.events import ClearOutput, Command, SendAudio, SendMark
from gateway.platforms.base import Capabilities
from media.formats import ULAW_8K
from tests.rig.clock import run_leaping
from tests.rig.voice import RATE_HZ, tone

FRAME_S = 0.02


class Platform:
    """Queues frames and plays them in real time, as phone platforms do; `heard` has what has sounded."""

    def __init__(self, clears: bool = True) -> None:
        self._clears = clears
        self._free_s = 0.0
        self._queue: list[tuple[float, bytes]] = []
        self.marks: list[str] = []
        self.clears = 0

    async def send(self, command: Command) -> None:
        now_s = asyncio.get_running_loop().time()
        if isinstance(command, SendAudio):
            start_s = max(now_s, self._free_s)
            self._free_s = start_s + FRAME_S
            self._queue.append((start_s, command.payload))
        elif isinstance(command, SendMark):
            self.marks.append(command.name)
        elif isinstance(command, ClearOutput):
            self.clears += 1
            # A frame that has begun counts when most of it has sounded.
            self._queue = [(at_s, frame) for at_s, frame in self._queue if at_s + FRAME_S / 2 < now_s + 1e-6]
            self._free_s = now_s

    @property
    def heard(self) -> list[bytes]:
        return [frame for _, frame in self._queue]


def distinct(frames: int) -> bytes:
    """PCM whose frames all differ once they are on the wire."""
    return b"".join(((n * 37 % 200 + 20) * 100).to_bytes(2, "little") * 480 for n in range(frames))


async def played(pauses: list[tuple[float, float]], clears: bool = True) -> tuple[Platform, list[tuple[int, float]]]:
    platform = Platform(clears)
    loop = asyncio.get_running_loop()
    playout = Playout(platform.send, ULAW_8K, Capabilities(clear=clears), RATE_HZ, 100, 60.0, loop.time)
    pump = asyncio.create_task(playout.run())
    for number in (1, 2, 3):
        playout.feed(number, distinct(20))
        playout.finish(number)
    for after_s, length_s in pauses:
        await asyncio.sleep(after_s)
        playout.pause()
        before = playout.settle()
        await asyncio.sleep(length_s)
        assert set(playout.settle()) <= set(before) or not clears  # what it was sent, it plays
        playout.resume()
    await playout.played_out(3)
    account = playout.settle()
    pump.cancel()
    await asyncio.wait({pump})
    return platform, account


STEADY = run_leaping(played([]))[0].heard


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=6), st.booleans())
def test_no_frame_is_lost_or_repeated_whenever_the_pauses_come(pauses: list[tuple[int, int]], clears: bool) -> None:
    platform, _ = run_leaping(played([(a * 0.00973, b * 0.0131) for a, b in pauses], clears))
    assert platform.heard == STEADY


def test_the_platform_is_cleared_once_at_a_pause_and_silence_follows() -> None:
    platform, account = run_leaping(played([(0.5, 1.0)]))
    assert platform.clears == 1
    number, seconds = account[-1]
    assert number == 3
    assert seconds == pytest.approx(0.42, abs=0.03)


def test_f04_a_mark_sent_before_a_pause_is_not_taken_for_the_one_sent_after_it() -> None:
    async def main() -> None:
        platform = Platform()
        playout = Playout(platform.send, ULAW_8K, Capabilities(), RATE_HZ, 100, 60.0, asyncio.get_running_loop().time)
        pump = asyncio.create_task(playout.run())
        playout.feed(1, tone(0.2))
        playout.finish(1)
        await asyncio.sleep(0.15)  # all of it is sent, half of it played
        assert platform.marks == ["1"]
        playout.pause()
        playout.resume()
        await asyncio.sleep(0.05)
        assert playout.marks.reached("1") is None
        await playout.played_out(1)
        assert playout.marks.reached(platform.marks[-1]) == 1
        pump.cancel()
        await asyncio.wait({pump})

    run_leaping(main())


def test_who_waits_for_the_end_waits_through_a_pause() -> None:
    async def main() -> float:
        loop = asyncio.get_running_loop()
        playout = Playout(Platform().send, ULAW_8K, Capabilities(), RATE_HZ, 100, 60.0, loop.time)
        pump = asyncio.create_task(playout.run())
        playout.feed(1, tone(0.5))
        playout.finish(1)
        loop.call_later(0.45, playout.pause)  # all of it is sent
        loop.call_later(2.45, playout.resume)
        await playout.played_out(1)
        pump.cancel()
        await asyncio.wait({pump})
        return loop.time()

    assert run_leaping(main()) == pytest.approx(2.5, abs=0.05)


def test_the_next_frame_after_a_pause_is_announced_and_is_no_underrun() -> None:
    async def main() -> None:
        audible: list[float] = []
        loop = asyncio.get_running_loop()
        playout = Playout(Platform().send, ULAW_8K, Capabilities(), RATE_HZ, 100, 60.0, loop.time)
        playout.on_audible = lambda _: audible.append(loop.time())
        pump = asyncio.create_task(playout.run())
        playout.feed(1, tone(1.0))
        playout.finish(1)
        await asyncio.sleep(0.3)
        playout.pause()
        playout.pause()  # once is enough
        assert not playout.audible
        assert playout.left_s == pytest.approx(0.7, abs=0.03)
        await asyncio.sleep(1.0)
        playout.resume()
        await playout.played_out(1)
        assert audible == [pytest.approx(0.0), pytest.approx(1.3)]
        assert playout.underruns == 0
        pump.cancel()
        await asyncio.wait({pump})

    run_leaping(main())


def test_a_clear_ends_a_pause_and_forgets_what_waited() -> None:
    async def main() -> None:
        platform = Platform()
        loop = asyncio.get_running_loop()
        playout = Playout(platform.send, ULAW_8K, Capabilities(), RATE_HZ, 100, 60.0, loop.time)
        pump = asyncio.create_task(playout.run())
        playout.feed(1, distinct(50))
        playout.finish(1)
        await asyncio.sleep(0.3)
        playout.pause()
        await asyncio.sleep(0.3)
        playout.clear()
        heard = list(platform.heard)
        playout.feed(2, distinct(5))
        playout.finish(2)
        await playout.played_out(2)
        assert len(platform.heard) - len(heard) == pytest.approx(5, abs=1)
        pump.cancel()
        await asyncio.wait({pump})

    run_leaping(main())
