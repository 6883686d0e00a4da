"""A leg that does what it is told, takes its time, fails on request, and notes everything."""

import asyncio
from dataclasses import dataclass, field

from gateway.errors import VoicebotError


@dataclass
class NotedLeg:
    """`takes_s` passes before each deed; while `fails` is set, it is raised instead."""

    takes_s: float = 0.0
    fails: VoicebotError | None = None
    abilities: frozenset[str] = frozenset(("transfer", "send_digits"))
    hung_up: int = 0
    moved_to: list[str] = field(default_factory=list)
    announced: list[str] = field(default_factory=list)  # of warm transfers
    pressed: list[str] = field(default_factory=list)

    async def hang_up(self) -> None:
        self.hung_up += 1

    async def transfer(self, target: str, *, warm: bool = False, announce: str = "") -> None:
        await self._deed()
        self.moved_to.append(target)
        if warm:
            self.announced.append(announce)

    async def send_digits(self, digits: str) -> None:
        await self._deed()
        self.pressed.append(digits)

    async def _deed(self) -> None:
        await asyncio.sleep(self.takes_s)
        if self.fails is not None:
            raise self.fails
