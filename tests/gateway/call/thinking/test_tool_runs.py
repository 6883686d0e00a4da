"""The tools of one reply: run together, answered in order, bounded, and never twice where that would do harm."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pytest

from gateway.call.exchange import Exchange
from gateway.call.record import CallRecord
from gateway.call.thinking.tool_runs import MAX_CALLS, MAX_ROUNDS, MAX_TOOL_S, ToolRuns
from gateway.errors import LlmError, ToolError
from gateway.llm.base import ToolCall, ToolResult
from tests.rig.clock import run_leaping
from tests.rig.tools import NotedTool


def call(name: str, number: str = "1", call_id: str = "") -> ToolCall:
    return ToolCall(call_id or f"{name}-{number}", name, {"number": number})


class Reply:
    """An open reply with tools."""

    def __init__(self, *tools: NotedTool) -> None:
        self.record = CallRecord("CA1", "twilio", "then")
        self.exchange = Exchange(self.record, asyncio.get_running_loop().time)
        self.exchange.caller_said("Please.")
        self.exchange.begin_reply()
        self.runs = ToolRuns({tool.name: tool for tool in tools}, self.exchange)
        self.looks = 0

    async def round(self, *calls: ToolCall) -> list[ToolResult]:
        """The results of the round, as the model will see them."""
        await self.runs.round(calls, self._look)
        return list(self.exchange.history.request()[-1].tool_results)

    def _look(self) -> None:
        self.looks += 1

    def outcomes(self) -> list[tuple[str, str]]:
        return [(tool.name, tool.outcome) for tool in self.record.tools]


def with_reply(script: Callable[[Reply], Awaitable[None]], *tools: NotedTool) -> Reply:
    async def main() -> Reply:
        reply = Reply(*tools)
        await script(reply)
        return reply

    return run_leaping(main())


def texts(results: Sequence[ToolResult]) -> list[tuple[str, bool]]:
    return [(result.text, result.failed) for result in results]


def test_f65_parallel_calls_run_at_once_and_are_answered_together_in_order() -> None:
    slow, quick = NotedTool("slow", takes_s=3.0, answers="slow"), NotedTool("quick", takes_s=1.0, answers="quick")

    async def script(reply: Reply) -> None:
        results = await reply.round(call("slow"), call("quick"))
        assert asyncio.get_running_loop().time() == pytest.approx(3.0)
        assert [result.call_id for result in results] == ["slow-1", "quick-1"]
        assert texts(results) == [("slow 1", False), ("quick 1", False)]

    reply = with_reply(script, slow, quick)
    assert [(tool.name, round(tool.duration_s, 3)) for tool in reply.record.tools] == [("quick", 1.0), ("slow", 3.0)]
    assert reply.looks == pytest.approx(15, abs=2)


def test_f61_a_tool_that_raises_without_a_word_is_answered_with_text() -> None:
    async def script(reply: Reply) -> None:
        (result,) = await reply.round(call("book"))
        assert (result.failed, result.text) == (True, "The tool failed: out_of_order.")

    assert with_reply(script, NotedTool("book", fails=ToolError("out_of_order"))).outcomes() == [
        ("book", "out_of_order")
    ]


def test_bad_arguments_reach_the_model_and_not_the_tool() -> None:
    tool = NotedTool("book")

    async def script(reply: Reply) -> None:
        (result,) = await reply.round(call("book", "abc"))
        assert result.failed
        assert "number: 'abc' does not match" in result.text

    assert with_reply(script, tool).outcomes() == [("book", "bad_arguments")]
    assert tool.ran == []


def test_a_tool_that_nobody_declared_is_answered_with_those_there_are_and_is_no_label() -> None:
    async def script(reply: Reply) -> None:
        (result,) = await reply.round(call("format_disk"))
        assert "there are: book" in result.text

    assert with_reply(script, NotedTool("book")).outcomes() == [("unknown", "unknown_tool")]


def test_a_tool_that_does_not_answer_in_time_is_given_up() -> None:
    async def script(reply: Reply) -> None:
        (result,) = await reply.round(call("book"))
        assert "may or may not have taken effect" in result.text
        assert asyncio.get_running_loop().time() == pytest.approx(4.0)

    assert with_reply(script, NotedTool("book", takes_s=60.0, timeout_s=4.0)).outcomes() == [("book", "timeout")]


def test_the_same_change_asked_for_twice_in_one_reply_is_made_once() -> None:
    book = NotedTool("book", takes_s=1.0, lasting=True)

    async def script(reply: Reply) -> None:
        results = await reply.round(call("book", "1", "a"), call("book", "1", "b"), call("book", "2", "c"))
        assert [result.text for result in results] == [
            "done 1",
            "Not done twice in one reply. The first time: done 1",
            "done 2",
        ]
        (again,) = await reply.round(call("book", "1", "d"))
        assert (again.failed, again.text.endswith("done 1")) == (False, True)

    assert sorted(outcome for _, outcome in with_reply(script, book).outcomes()) == ["ok", "ok", "repeated", "repeated"]
    assert [arguments["number"] for arguments in book.ran] == ["1", "2"]


def test_a_change_that_may_have_been_made_is_not_made_again_but_one_that_surely_was_not_is() -> None:
    unsure = NotedTool("unsure", takes_s=60.0, timeout_s=1.0, lasting=True)
    away = NotedTool("away", fails=ToolError("unreachable", "gone", retryable=True), lasting=True)

    async def script(reply: Reply) -> None:
        for _ in range(2):
            await reply.round(call("unsure"), call("away"))

    with_reply(script, unsure, away)
    assert (len(unsure.ran), len(away.ran)) == (1, 2)


def test_what_changes_nothing_may_be_looked_up_again() -> None:
    look = NotedTool("look")

    async def script(reply: Reply) -> None:
        await reply.round(call("look"))
        await reply.round(call("look"))

    with_reply(script, look)
    assert len(look.ran) == 2


def test_too_many_calls_at_once_are_refused_and_settled() -> None:
    look = NotedTool("look")

    async def script(reply: Reply) -> None:
        results = await reply.round(*(call("look", str(n)) for n in range(MAX_CALLS + 2)))
        assert [result.failed for result in results] == [False] * MAX_CALLS + [True] * 2

    with_reply(script, look)
    assert len(look.ran) == MAX_CALLS


def test_a_model_that_never_stops_calling_is_told_and_then_given_up() -> None:
    look = NotedTool("look")

    async def script(reply: Reply) -> None:
        for _ in range(MAX_ROUNDS):
            await reply.round(call("look"))
        (result,) = await reply.round(call("look"))
        assert "enough tools" in result.text
        with pytest.raises(LlmError, match="too_many_tool_rounds"):
            await reply.round(call("look"))

    with_reply(script, look)
    assert len(look.ran) == MAX_ROUNDS


def test_the_time_of_all_tools_together_is_bounded_and_parallel_time_counts_once() -> None:
    look = NotedTool("look", takes_s=25.0)

    async def script(reply: Reply) -> None:
        for _ in range(2):
            await reply.round(call("look", "1"), call("look", "2"))  # 50 s
        (result,) = await reply.round(call("look", "3"))
        assert result.failed
        assert asyncio.get_running_loop().time() == pytest.approx(MAX_TOOL_S)
        (result,) = await reply.round(call("look", "4"))
        assert "waited too long" in result.text

    with_reply(script, look)
    assert len(look.ran) == 5


def test_a_tool_that_ends_the_call_runs_when_the_others_have_been_done() -> None:
    leave, book = NotedTool("leave", parting=True), NotedTool("book", takes_s=2.0)

    async def script(reply: Reply) -> None:
        await reply.round(call("leave"), call("book"))
        assert leave.begun_s == [pytest.approx(2.0)]
        assert reply.runs.parted

    with_reply(script, leave, book)


def test_a_tool_that_ends_the_call_is_held_back_when_another_failed() -> None:
    leave, book = NotedTool("leave", parting=True), NotedTool("book", fails=ToolError("full", "that day is full"))

    async def script(reply: Reply) -> None:
        results = await reply.round(call("book"), call("leave"))
        assert "tell the caller" in results[1].text
        assert not reply.runs.parted
        (result,) = await reply.round(call("leave"))
        assert not result.failed

    with_reply(script, leave, book)
    assert len(leave.ran) == 1


def test_only_one_tool_ends_the_call() -> None:
    leave, move = NotedTool("leave", parting=True), NotedTool("move", parting=True)

    async def script(reply: Reply) -> None:
        await reply.round(call("move"), call("leave"))

    with_reply(script, leave, move)
    assert (len(move.ran), len(leave.ran)) == (1, 0)


def test_f64_cancelling_abandons_every_run_and_keeps_what_was_done() -> None:
    quick, slow = NotedTool("quick", takes_s=1.0, lasting=True), NotedTool("slow", takes_s=20.0, lasting=True)

    async def script(reply: Reply) -> None:
        running = asyncio.create_task(reply.round(call("slow"), call("quick")))
        await asyncio.sleep(5.0)
        running.cancel()
        reply.exchange.replied("", interrupted=True)  # as an interruption does, before the task has noticed
        await asyncio.wait({running})
        reply.exchange.caller_said("Stop.")
        results = reply.exchange.history.request()[-1].tool_results
        assert [(r.call_id, r.failed) for r in results] == [("slow-1", True), ("quick-1", False)]
        assert "may or may not have taken effect" in results[0].text

    reply = with_reply(script, quick, slow)
    assert slow.finished == 0
    assert reply.outcomes() == [("quick", "ok"), ("slow", "cancelled")]
