"""The tools that every bot may have. What the caller hears of them is in tests/calls/test_tools.py."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

import pytest

from gateway.call.departure import Departure
from gateway.call.ending import CallOver
from gateway.call.line import Line
from gateway.call.playout import Playout
from gateway.call.prompts import Prompts
from gateway.call.speaker import Speaker
from gateway.call.thinking.own_tools import OBJECTION_S, PLATFORM_S, RINGING_S, tools_of_call
from gateway.call.turn import Happening
from gateway.errors import Refused
from gateway.events import Command
from gateway.platforms.base import Capabilities
from gateway.platforms.twilio import Twilio
from gateway.tools.base import CallTool, Toolset
from media.formats import ULAW_8K
from tests.rig.clock import run_leaping
from tests.rig.leg import NotedLeg
from tests.rig.tools import NotedTool
from tests.rig.voice import CHAR_S, RATE_HZ, TestVoices

ALL = frozenset(("hang_up", "transfer", "send_digits"))
PEOPLE = {"reception": "+15550100001", "kitchen": "sip:kitchen@example.com"}


class Socket:
    async def receive(self) -> str | bytes | None:
        return None

    async def send(self, message: str | bytes) -> None:
        """Takes everything."""

    async def close(self, code: int = 1000) -> None:
        """Is never asked."""


class Desk:
    """The tools of one call whose voice and playout run."""

    def __init__(self, tools: Toolset, leg: NotedLeg | None = None) -> None:
        loop = asyncio.get_running_loop()
        self.leg = leg or NotedLeg()
        self.happened: list[Happening] = []
        self.moving: list[asyncio.Task[None]] = []
        self.voice = TestVoices().session("af_heart", "en", 1.0)
        self.playout = Playout(self._sent, ULAW_8K, Capabilities(), RATE_HZ, 100, 60.0, loop.time)
        self.speaker = Speaker(self.voice, self.playout, Prompts("af_heart", "en", 1.0))
        departure = Departure(
            Line(Socket(), Twilio("").codec(), 5.0),
            self.leg,
            self.playout,
            self._spawn,
            self.happened.append,
        )
        self.tools = tools_of_call(tools, self.leg, departure, self.speaker, self.happened.append)

    def _spawn(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        self.moving.append(asyncio.get_running_loop().create_task(work, name=name))
        return self.moving[-1]

    async def _sent(self, command: Command) -> None:
        """The wire takes everything."""

    async def when(self, tool: CallTool, said: str) -> float:
        """How long after saying so the tool's moment comes, in seconds."""
        pumps = [asyncio.create_task(self.speaker.pump()), asyncio.create_task(self.playout.run())]
        await self.voice.open()
        self.speaker.begin()
        self.speaker.say(said)
        began_s = asyncio.get_running_loop().time()
        await tool.its_moment()
        for pump in pumps:
            pump.cancel()
        await asyncio.wait(pumps)
        return asyncio.get_running_loop().time() - began_s


def at_desk(tools: Toolset, leg: NotedLeg | None = None) -> Desk:
    async def main() -> Desk:
        return Desk(tools, leg)

    return run_leaping(main())


def test_a_bot_is_offered_what_it_has_and_its_platform_can_do() -> None:
    look = NotedTool("look")
    assert list(at_desk(Toolset(ALL, PEOPLE, (look,))).tools) == ["hang_up", "transfer", "send_digits", "look"]
    assert list(at_desk(Toolset(frozenset(("hang_up",)))).tools) == ["hang_up"]
    assert list(at_desk(Toolset()).tools) == []
    deaf = NotedLeg(abilities=frozenset(("transfer",)))
    assert list(at_desk(Toolset(ALL, PEOPLE), deaf).tools) == ["hang_up", "transfer"]


def test_the_model_is_told_names_and_never_numbers() -> None:
    spec = at_desk(Toolset(ALL, PEOPLE)).tools["transfer"].spec
    assert spec.schema["properties"]["target"]["enum"] == ["kitchen", "reception"]
    assert "example.com" not in str(spec) + str(spec.schema)
    assert "5550100001" not in str(spec) + str(spec.schema)


@pytest.mark.parametrize("digits", ["", "12x", "1" * 33, "1 2", 12, None, "१२"])
def test_only_keys_can_be_pressed(digits: object) -> None:
    tool = at_desk(Toolset(ALL, PEOPLE)).tools["send_digits"]
    assert tool.faults({"digits": digits})
    assert tool.faults({"digits": "12*#A"}) == ""


@pytest.mark.parametrize(("name", "then_s"), [("transfer", OBJECTION_S), ("send_digits", 0.0)])
def test_the_sentence_is_finished_first(name: str, then_s: float) -> None:
    async def main() -> float:
        desk = Desk(Toolset(ALL, PEOPLE))
        return await desk.when(desk.tools[name], "a" * 100)

    assert run_leaping(main()) == pytest.approx(100 * CHAR_S + then_s, abs=0.3)


@pytest.mark.parametrize(("chars", "after_s"), [(20, 0.0), (200, 7.0)])
def test_hanging_up_begins_when_only_the_goodbye_is_left(chars: int, after_s: float) -> None:
    async def main() -> float:
        desk = Desk(Toolset(ALL, PEOPLE))
        return await desk.when(desk.tools["hang_up"], "a" * chars)

    assert run_leaping(main()) == pytest.approx(after_s, abs=0.3)


def test_hanging_up_without_a_word_asks_for_the_bots_goodbye() -> None:
    async def main() -> list[Happening]:
        desk = Desk(Toolset(ALL, PEOPLE))
        await desk.tools["hang_up"].run({})
        desk.speaker.say("Bye.")
        await desk.tools["hang_up"].run({})
        return desk.happened

    assert run_leaping(main()) == [Happening.FAREWELL, Happening.PARTING]


def test_keys_are_pressed_and_what_the_platform_refuses_is_raised() -> None:
    async def main() -> Desk:
        desk = Desk(Toolset(ALL, PEOPLE))
        await desk.tools["send_digits"].run({"digits": "42#"})
        desk.leg.fails = Refused("cannot_send_digits", "no")
        with pytest.raises(Refused):
            await desk.tools["send_digits"].run({"digits": "42#"})
        return desk

    assert run_leaping(main()).leg.pressed == ["42#"]


WARM = Toolset(ALL, PEOPLE, warm=True)


def test_who_is_called_first_is_told_what_the_model_says() -> None:
    async def main() -> NotedLeg:
        leg = NotedLeg(abilities=ALL | {"warm_transfer"})
        desk = Desk(WARM, leg)
        tool = desk.tools["transfer"]
        assert tool.timeout_s == RINGING_S
        assert tool.faults({"target": "reception"})
        assert tool.faults({"target": "reception", "announcement": "x" * 301})
        told = {"target": "reception", "announcement": "Ada asks about an invoice."}
        assert tool.faults(told) == ""
        await tool.run(told)
        with suppress(CallOver):  # the caller is moved, which ends the call
            await desk.moving[0]
        return leg

    leg = run_leaping(main())
    assert (leg.moved_to, leg.announced) == ([PEOPLE["reception"]], ["Ada asks about an invoice."])


def test_where_the_platform_cannot_call_first_the_caller_is_moved_at_once() -> None:
    tool = at_desk(WARM).tools["transfer"]
    assert tool.timeout_s == PLATFORM_S
    assert list(tool.spec.schema["properties"]) == ["target"]
