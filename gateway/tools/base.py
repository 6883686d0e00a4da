"""What a tool is: something that the model may do in a call. Whoever runs it bounds its time and says how it went."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from gateway.llm.base import Tool


class CallTool(Protocol):
    """One tool; it may run several times at once."""

    @property
    def spec(self) -> Tool:
        """What the model is told of it."""
        ...

    @property
    def timeout_s(self) -> float:
        """How long one run may take."""
        ...

    @property
    def lasting(self) -> bool:
        """Whether it changes something outside: the same call twice in one reply runs once."""
        ...

    @property
    def parting(self) -> bool:
        """Whether the call ends with it: it runs last, and only when nothing before it failed."""
        ...

    def faults(self, arguments: Mapping[str, Any]) -> str:
        """What is wrong with the arguments, for the model to mend; blank when they can be used."""
        ...

    async def its_moment(self) -> None:
        """Return when it may run, such as after what has been said; this is not counted as its time."""
        ...

    async def run(self, arguments: Mapping[str, Any]) -> str:
        """Do it, with arguments that have no faults, and return what the model is to know.

        Raises VoicebotError: `detail` is for the model, and `retryable` says that surely nothing has happened yet.
        Cancelling abandons it; what it has done by then stays done.
        """
        ...


@dataclass(frozen=True, slots=True)
class Toolset:
    """What a bot may do: built-in tools by name, whom it may move callers to (name to number), and other tools.

    `warm`: those are called first, where the platform can.
    """

    built_in: frozenset[str] = frozenset()
    transfer_to: Mapping[str, str] = field(default_factory=dict, repr=False)
    others: tuple[CallTool, ...] = ()
    warm: bool = False
