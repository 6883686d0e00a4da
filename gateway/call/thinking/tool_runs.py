"""The tools of one reply: what the model calls is checked, run, bounded, and settled in history and record.

The calls of one round run at once and are answered together, in the model's order. A tool that ends the call waits for
the others, and is held back when one of them failed: the goodbye would have promised what did not happen. Cancelling
(the caller interrupts, the call ends) abandons every run; the history then says for itself that it was cancelled.
"""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import structlog

from gateway.call.exchange import Exchange
from gateway.errors import LlmError, VoicebotError
from gateway.llm.base import ToolCall, ToolResult
from gateway.tools.base import CallTool

log = structlog.get_logger(__name__)

# To look up, to do and to look again are three rounds; a model that wants more is lost, and the caller waits.
MAX_ROUNDS = 6
# At once. Nobody asks for so many things in one breath; each may be a connection to somebody's server.
MAX_CALLS = 8
# Of one reply, over all rounds: with fillers a caller waits this long once, if at all.
MAX_TOOL_S = 60.0
# How often the one who waits looks whether the caller hears something.
LOOK_EVERY_S = 0.2
# A name that the model made up is no label.
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class _Outcome:
    text: str = field(repr=False)
    code: str = "ok"
    failed: bool = False
    again: bool = False  # the same call may be made once more: surely nothing has happened


class ToolRuns:
    """One object a reply; `rounds` is how often the model has called, `parted` once a tool has ended the call."""

    def __init__(self, tools: Mapping[str, CallTool], exchange: Exchange) -> None:
        self._tools = tools
        self._exchange = exchange
        self._now = asyncio.get_running_loop().time
        self.rounds = 0
        self._failed = False  # in this round
        self._lasting: dict[str, asyncio.Future[_Outcome]] = {}
        self._running = 0
        self._running_since_s = 0.0
        self._left_s = MAX_TOOL_S
        self.parted = False

    async def round(self, calls: Sequence[ToolCall], meanwhile: Callable[[], None]) -> None:
        """Run what the model called and note every answer; `meanwhile` is called again and again until then.

        LlmError when the model goes on calling although it has been told to stop.
        """
        self.rounds += 1
        if self.rounds > MAX_ROUNDS + 1:
            raise LlmError("too_many_tool_rounds")
        self._failed = False
        self._exchange.history.call_tools(calls)
        for call in calls[MAX_CALLS:]:
            self._settle(call, _refused("too_many_calls", f"at most {MAX_CALLS} at once"), 0.0)
        parting = [call for call in calls[:MAX_CALLS] if self._is_parting(call)]
        await self._together([call for call in calls[:MAX_CALLS] if call not in parting], meanwhile)
        for call in parting:
            if not self.parted:
                await self._together([call], meanwhile)

    def _is_parting(self, call: ToolCall) -> bool:
        tool = self._tools.get(call.name)
        return tool is not None and tool.parting

    async def _together(self, calls: Sequence[ToolCall], meanwhile: Callable[[], None]) -> None:
        async with asyncio.TaskGroup() as group:
            runs = {group.create_task(self._take(call), name="tool") for call in calls}
            while runs:
                _, runs = await asyncio.wait(runs, timeout=LOOK_EVERY_S)
                if runs:
                    meanwhile()

    async def _take(self, call: ToolCall) -> None:
        began_s = self._now()
        outcome = self._refusal(call)
        try:
            if outcome is None:
                tool = self._tools[call.name]
                await tool.its_moment()
                began_s = self._now()
                outcome = await self._once(tool, call)
        finally:
            self._settle(call, outcome, self._now() - began_s)

    def _settle(self, call: ToolCall, outcome: _Outcome | None, duration_s: float) -> None:
        """Note how it went; None when it was cancelled, which the history says for itself."""
        name = call.name if call.name in self._tools else UNKNOWN
        code = outcome.code if outcome else "cancelled"
        self._exchange.tool_ran(name, code, duration_s)
        log.info("tool_ran", tool=name, outcome=code, duration_ms=round(duration_s * 1000))
        if outcome is not None:
            self._failed = self._failed or outcome.failed
            self._exchange.history.answer_tool(ToolResult(call.call_id, outcome.text, outcome.failed))

    def _refusal(self, call: ToolCall) -> _Outcome | None:
        """Why the call is not run at all; None when it is."""
        tool = self._tools.get(call.name)
        if tool is None:
            offered = ", ".join(self._tools) or "none"
            return _refused("unknown_tool", f"there is no tool of that name; there are: {offered}")
        if self.rounds > MAX_ROUNDS:
            return _refused("too_many_rounds", "enough tools for one reply; answer the caller with what you know")
        if self._left_s <= 0.0:
            return _refused("out_of_time", "the caller has waited too long; answer with what you know")
        if tool.parting and self._failed:
            return _refused("held_back", "something else failed; tell the caller before you end the call")
        faults = tool.faults(call.arguments)
        return _refused("bad_arguments", faults) if faults else None

    async def _once(self, tool: CallTool, call: ToolCall) -> _Outcome:
        """Run the call, unless it changes something and has been made before in this reply."""
        if not tool.lasting:
            return await self._run(tool, call)
        key = f"{call.name} {json.dumps(call.arguments, sort_keys=True)}"
        if (before := self._lasting.get(key)) is not None:
            first = await asyncio.shield(before)
            return replace(first, text=f"Not done twice in one reply. The first time: {first.text}", code="repeated")
        self._lasting[key] = asyncio.get_running_loop().create_future()
        outcome = await self._run(tool, call)
        self._lasting[key].set_result(outcome)
        if outcome.again:
            del self._lasting[key]
        return outcome

    async def _run(self, tool: CallTool, call: ToolCall) -> _Outcome:
        try:
            with self._on_the_clock():
                async with asyncio.timeout(min(tool.timeout_s, self._left_s)):
                    text = await tool.run(call.arguments)
        except TimeoutError:
            return _failed("timeout", "it did not answer in time; it may or may not have taken effect")
        except VoicebotError as error:
            return _failed(error.code, error.detail or error.code, again=error.retryable)
        self.parted = self.parted or tool.parting
        return _Outcome(text)

    @contextmanager
    def _on_the_clock(self) -> Iterator[None]:
        """Count the time in which at least one tool runs."""
        if not self._running:
            self._running_since_s = self._now()
        self._running += 1
        try:
            yield
        finally:
            self._running -= 1
            if not self._running:
                self._left_s -= self._now() - self._running_since_s


def _failed(code: str, detail: str, *, again: bool = False) -> _Outcome:
    return _Outcome(f"The tool failed: {detail}.", code, failed=True, again=again)


def _refused(code: str, why: str) -> _Outcome:
    return _Outcome(f"Not run: {why}.", code, failed=True, again=True)
