"""A tool that takes its time, fails on request, and notes when it ran."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gateway.errors import VoicebotError
from gateway.llm.base import Tool
from gateway.tools.arguments import ArgumentCheck

NUMBER = {
    "type": "object",
    "properties": {"number": {"type": "string", "pattern": "^[0-9]{1,6}$"}},
    "required": ["number"],
    "additionalProperties": False,
}


@dataclass
class NotedTool:
    """A CallTool. `ran` holds what it was asked once a run has begun, `finished` when it had its effect (loop time)."""

    name: str
    takes_s: float = 0.0
    answers: str = "done"
    fails: VoicebotError | None = None
    timeout_s: float = 30.0
    lasting: bool = False
    parting: bool = False
    ran: list[Mapping[str, Any]] = field(default_factory=list)
    begun_s: list[float] = field(default_factory=list)
    finished: int = 0

    @property
    def spec(self) -> Tool:
        return Tool(self.name, f"Does {self.name}.", NUMBER)

    def faults(self, arguments: Mapping[str, Any]) -> str:
        return ArgumentCheck(NUMBER).faults(arguments)

    async def its_moment(self) -> None:
        """Any."""

    async def run(self, arguments: Mapping[str, Any]) -> str:
        self.ran.append(arguments)
        self.begun_s.append(asyncio.get_running_loop().time())
        await asyncio.sleep(self.takes_s)
        if self.fails is not None:
            raise self.fails
        self.finished += 1
        return f"{self.answers} {arguments['number']}"
