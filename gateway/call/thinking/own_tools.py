"""The tools that every bot may have: to hang up, to move the caller to somebody, to press keys."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from gateway.call.departure import Departure, Leg
from gateway.call.speaker import Speaker
from gateway.call.turn import Happening
from gateway.llm.base import Tool
from gateway.tools.arguments import ArgumentCheck
from gateway.tools.base import CallTool, Toolset

# So much of what was said last is the goodbye, and no longer interrupted; before that a caller may still object.
GOODBYE_S = 5.0
# After the last word before a transfer a caller may still object, and a sound takes this long to be noticed as one.
OBJECTION_S = 0.5
# How often it is looked whether the goodbye has begun, or a caller who may be objecting has finished.
LOOK_EVERY_S = 0.1
# Platforms' APIs are tried for 16 s at most (platforms/control.py).
PLATFORM_S = 20.0
# And a phone rings for 40 s at most before that (handover.py).
RINGING_S = 45.0
# What who answers is told before they meet the caller.
_ANNOUNCEMENT = {
    "type": "string",
    "maxLength": 300,
    "description": "one or two sentences for the person who answers: who calls, and why",
}

_HANG_UP = Tool(
    "hang_up",
    "Ends the call. Say goodbye in the same reply, before you use it; nothing can be said afterwards.",
    {"type": "object", "properties": {}, "additionalProperties": False},
)
_DIGITS = Tool(
    "send_digits",
    "Presses keys of the phone, for a menu at the other end.",
    {
        "type": "object",
        "properties": {"digits": {"type": "string", "pattern": "^[0-9*#A-D]{1,32}$"}},
        "required": ["digits"],
        "additionalProperties": False,
    },
)


def tools_of_call(
    tools: Toolset, leg: Leg, departure: Departure, speaker: Speaker, happen: Callable[[Happening], None]
) -> dict[str, CallTool]:
    """The tools of one call, by name; those that its platform cannot do are not offered."""
    offered: list[CallTool] = []
    if "hang_up" in tools.built_in:
        offered.append(EndCall(speaker, happen))
    if "transfer" in tools.built_in & leg.abilities:
        warm = tools.warm and "warm_transfer" in leg.abilities
        offered.append(MoveCaller(tools.transfer_to, departure, speaker, warm=warm))
    if "send_digits" in tools.built_in & leg.abilities:
        offered.append(PressKeys(leg, speaker))
    return {tool.spec.name: tool for tool in (*offered, *tools.others)}


class EndCall:
    """hang_up: what was said in this reply is the goodbye; where nothing was, the bot's own is said."""

    spec = _HANG_UP
    timeout_s = PLATFORM_S
    lasting = True
    parting = True

    def __init__(self, speaker: Speaker, happen: Callable[[Happening], None]) -> None:
        self._speaker = speaker
        self._happen = happen
        self._check = ArgumentCheck(self.spec.schema)

    def faults(self, arguments: Mapping[str, Any]) -> str:
        return self._check.faults(arguments)

    async def its_moment(self) -> None:
        """When the goodbye has begun, and the caller makes no sound."""
        await self._speaker.spoken()
        begun = False
        while not begun:
            await asyncio.sleep(LOOK_EVERY_S)
            begun = not self._speaker.paused and self._speaker.left_s <= GOODBYE_S

    async def run(self, arguments: Mapping[str, Any]) -> str:
        self._happen(Happening.PARTING if self._speaker.written() else Happening.FAREWELL)
        return "The call ends."


class MoveCaller:
    """transfer: the sentence is finished, then the caller is moved. The model knows names, never numbers."""

    lasting = True
    parting = True

    def __init__(self, numbers: Mapping[str, str], departure: Departure, speaker: Speaker, *, warm: bool) -> None:
        """`warm` calls the target first; what it is told is the model's to say."""
        told = {"announcement": _ANNOUNCEMENT} if warm else {}
        self.timeout_s = RINGING_S if warm else PLATFORM_S
        self._numbers = numbers
        self._departure = departure
        self._speaker = speaker
        self.spec = Tool(
            "transfer",
            "Moves the caller to somebody else; the call with you ends. Say to whom before you use it.",
            {
                "type": "object",
                "properties": {"target": {"type": "string", "enum": sorted(numbers)}, **told},
                "required": ["target", *told],
                "additionalProperties": False,
            },
        )
        self._check = ArgumentCheck(self.spec.schema)

    def faults(self, arguments: Mapping[str, Any]) -> str:
        return self._check.faults(arguments)

    async def its_moment(self) -> None:
        """When the sentence was heard and nobody objects: a move that the platform was asked for is not taken back."""
        await self._speaker.played()
        await asyncio.sleep(OBJECTION_S)
        objecting = self._speaker.paused
        while objecting:
            await asyncio.sleep(LOOK_EVERY_S)
            objecting = self._speaker.paused

    async def run(self, arguments: Mapping[str, Any]) -> str:
        await self._departure.transfer(self._numbers[arguments["target"]], arguments.get("announcement"))
        return "The caller is being moved."


class PressKeys:
    """send_digits: behind what was said, so that voice and tones do not mix."""

    spec = _DIGITS
    timeout_s = PLATFORM_S
    lasting = True
    parting = False

    def __init__(self, leg: Leg, speaker: Speaker) -> None:
        self._leg = leg
        self._speaker = speaker
        self._check = ArgumentCheck(self.spec.schema)

    def faults(self, arguments: Mapping[str, Any]) -> str:
        return self._check.faults(arguments)

    async def its_moment(self) -> None:
        await self._speaker.played()

    async def run(self, arguments: Mapping[str, Any]) -> str:
        await self._leg.send_digits(arguments["digits"])
        return "The keys were pressed."
