"""How this side ends a call: hanging up after the goodbye, or moving the caller on; once, and for a true reason."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import pytest

from gateway.call.departure import ANSWER_WITHIN_S, TRANSFER_GRACE_S, Departure
from gateway.call.ending import CallOver, reason_of
from gateway.call.line import Line
from gateway.call.playout import Playout
from gateway.call.turn import Happening
from gateway.errors import PeerFault, Refused
from gateway.events import Command
from gateway.platforms.base import Capabilities
from gateway.platforms.twilio import Twilio
from media.formats import ULAW_8K
from tests.gateway.call.test_session import START, Wire
from tests.rig.clock import run_leaping
from tests.rig.leg import NotedLeg
from tests.rig.voice import RATE_HZ

TARGET = "+15550100001"


class Door:
    """A departure in a task group of its own, as a call has it."""

    def __init__(self, leg: NotedLeg) -> None:
        loop = asyncio.get_running_loop()
        self.leg = leg
        self.happened: list[Happening] = []
        self.group = asyncio.TaskGroup()
        line = Line(Wire(), Twilio("").codec(), 5.0)
        line.codec.receive(START)
        playout = Playout(self._sent, ULAW_8K, Capabilities(), RATE_HZ, 100, 60.0, loop.time)
        self.departure = Departure(line, leg, playout, self._spawn, self.happened.append)

    def _spawn(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        return self.group.create_task(work, name=name)

    async def _sent(self, command: Command) -> None:
        """The wire takes everything."""


def through(script: Callable[[Door], Awaitable[None]], **leg: Any) -> tuple[str, float, Door]:
    """Why the group ended ("" when it went on), when, and what was done."""

    async def main() -> tuple[str, float, Door]:
        door, reason = Door(NotedLeg(**leg)), ""
        try:
            async with door.group:
                await script(door)
        except* CallOver as over:
            reason = reason_of(over)
        return reason, asyncio.get_running_loop().time(), door

    return run_leaping(main())


async def move(door: Door) -> None:
    await door.departure.transfer(TARGET)


def test_a_goodbye_ends_the_leg_once() -> None:
    async def leave(door: Door) -> None:
        door.departure.leave_soon()

    reason, _, door = through(leave)
    assert (reason, door.leg.hung_up) == ("goodbye", 1)


def test_a_caller_is_moved_and_a_platform_that_keeps_the_stream_is_left() -> None:
    reason, at_s, door = through(move, takes_s=0.5)
    assert reason == "transferred"
    assert at_s == pytest.approx(0.5 + TRANSFER_GRACE_S)
    assert (door.leg.moved_to, door.happened) == ([TARGET], [Happening.PARTING])


def test_a_leg_that_was_moved_is_not_hung_up() -> None:
    async def both(door: Door) -> None:
        await door.departure.transfer(TARGET)
        door.departure.leave_soon()

    assert through(both)[2].leg.hung_up == 0


def test_a_transfer_that_fails_raises_and_may_be_tried_again() -> None:
    async def twice(door: Door) -> None:
        with pytest.raises(PeerFault):
            await door.departure.transfer(TARGET)
        assert door.happened == []
        door.leg.fails = None
        await door.departure.transfer(TARGET)

    assert through(twice, fails=PeerFault("api_failed"))[0] == "transferred"


def test_a_transfer_under_way_is_not_given_up_when_nobody_waits_for_it() -> None:
    async def give_up(door: Door) -> None:
        waiting = asyncio.create_task(door.departure.transfer(TARGET))
        await asyncio.sleep(0.1)
        waiting.cancel()

    reason, _, door = through(give_up, takes_s=1.0)
    assert (reason, door.leg.moved_to) == ("transferred", [TARGET])
    assert through(give_up, takes_s=1.0, fails=PeerFault("api_failed"))[0] == ""


def test_a_caller_who_objects_while_an_agent_is_called_stays_and_may_be_moved_later() -> None:
    async def objects(door: Door) -> None:
        waiting = asyncio.create_task(door.departure.transfer(TARGET, "A caller for you."))
        await asyncio.sleep(2.0)
        waiting.cancel()
        await asyncio.sleep(20.0)
        assert (door.leg.moved_to, door.happened) == ([], [])
        await door.departure.transfer(TARGET, "The same caller.")

    assert through(objects, takes_s=10.0)[0] == "transferred"


def test_two_who_ask_at_once_move_the_caller_once() -> None:
    async def twice(door: Door) -> None:
        await asyncio.gather(door.departure.transfer(TARGET), door.departure.transfer(TARGET))

    assert through(twice, takes_s=0.2)[2].leg.moved_to == [TARGET]


@pytest.mark.parametrize(
    ("target", "announce"), [("+15550100009", "Ada calls."), (TARGET, "Somebody else calls."), (TARGET, None)]
)
def test_another_move_does_not_get_the_outcome_of_the_one_under_way(target: str, announce: str | None) -> None:
    """It was told that the caller is being moved, to somebody else than it had asked for."""

    async def twice(door: Door) -> None:
        first = asyncio.create_task(door.departure.transfer(TARGET, "Ada calls."))
        await asyncio.sleep(2.0)
        with pytest.raises(Refused) as refused:
            await door.departure.transfer(target, announce)
        assert (refused.value.code, refused.value.http_status) == ("transfer_is_on", 409)
        await first

    reason, _, door = through(twice, takes_s=5.0)
    assert (reason, door.leg.moved_to, door.leg.announced) == ("transferred", [TARGET], ["Ada calls."])


@pytest.mark.parametrize(("takes_s", "says"), [(0.4, "transferred"), (ANSWER_WITHIN_S + 1.0, "stop")])
def test_a_stream_that_ends_first_waits_a_moment_for_the_truth(takes_s: float, says: str) -> None:
    reasons: list[str] = []

    async def ends(door: Door) -> None:
        moving = asyncio.create_task(door.departure.transfer(TARGET))
        await asyncio.sleep(0.1)
        reasons.append(await door.departure.reason("stop"))
        await moving

    through(ends, takes_s=takes_s)
    assert reasons == [says]


def test_without_any_doing_of_ours_the_platforms_word_counts() -> None:
    async def ends(door: Door) -> None:
        assert await door.departure.reason("stop") == "stop"

    assert through(ends)[0] == ""


def test_with_an_announcement_the_caller_is_handed_over() -> None:
    async def hand_over(door: Door) -> None:
        await door.departure.transfer(TARGET, "Ada calls.")

    reason, _, door = through(hand_over)
    assert (reason, door.leg.moved_to, door.leg.announced) == ("transferred", [TARGET], ["Ada calls."])


def test_without_one_the_caller_is_moved_at_once() -> None:
    _, _, door = through(move)
    assert door.leg.announced == []
