import asyncio
from collections.abc import Sequence
from contextlib import aclosing

import pytest

from gateway.errors import LlmError
from gateway.llm.base import Completed, Deadlines, LlmEvent, TextDelta, ToolCall
from gateway.llm.faults import FieldRefused, fault
from gateway.llm.follow import SHORTEST_PAUSE, USAGE_WAIT_S, follow
from gateway.llm.reply import ReplyEvent, Stopped, ToolBegun
from tests.rig.clock import run_leaping

DEADLINES = Deadlines(first_token_s=5.0, reply_s=20.0, tool_call_s=15.0)
HI, END = TextDelta("Hi"), Stopped("end_turn")


class FakeSource:
    """Plays steps: an event, an error to raise, or seconds to wait. `opens` fails or delays open()."""

    def __init__(self, steps: Sequence[ReplyEvent | LlmError | float], opens: LlmError | float = 0.0) -> None:
        self._steps = list(steps)
        self._opens = opens
        self.closed = False

    async def open(self) -> None:
        if isinstance(self._opens, LlmError):
            raise self._opens
        await asyncio.sleep(self._opens)

    async def next(self) -> ReplyEvent:
        while True:
            step = self._steps.pop(0) if self._steps else 3600.0
            if isinstance(step, LlmError):
                raise step
            if not isinstance(step, float):
                return step
            await asyncio.sleep(step)

    def close(self) -> None:
        self.closed = True


def played(*sources: FakeSource) -> tuple[list[LlmEvent], LlmError | None, float]:
    """Events, the error that ended them, and how long it took; every source that was used must be closed."""

    async def play() -> tuple[list[LlmEvent], LlmError | None, float]:
        waiting = list(sources)
        events: list[LlmEvent] = []
        try:
            async with aclosing(follow(lambda: waiting.pop(0), DEADLINES)) as reply:
                async for event in reply:
                    events.append(event)
        except LlmError as error:
            return events, error, asyncio.get_running_loop().time()
        finally:
            assert all(s.closed for s in sources[: len(sources) - len(waiting)])
        return events, None, asyncio.get_running_loop().time()

    return run_leaping(play())


def test_a_reply_is_passed_on_and_closed() -> None:
    events, error, _ = played(FakeSource([HI, END, Completed("end_turn", 1, 2)]))
    assert events == [HI, Completed("end_turn", 1, 2)]
    assert error is None


def test_counts_that_do_not_come_are_not_waited_for() -> None:
    events, _, took_s = played(FakeSource([HI, END]))
    assert events == [HI, Completed("end_turn")]
    assert took_s == pytest.approx(USAGE_WAIT_S)


def test_an_error_after_the_end_does_not_spoil_the_reply() -> None:
    events, error, _ = played(FakeSource([HI, END, fault("connection_lost")]))
    assert events == [HI, Completed("end_turn")]
    assert error is None


def test_f59_a_failure_before_any_text_is_retried_once_with_a_pause() -> None:
    events, error, took_s = played(FakeSource([fault("throttled")]), FakeSource([HI, END]))
    assert events[0] == HI
    assert error is None
    pause_s = took_s - USAGE_WAIT_S
    assert SHORTEST_PAUSE * DEADLINES.retry_pause_s <= pause_s <= DEADLINES.retry_pause_s


def test_f59_a_second_failure_is_final() -> None:
    events, error, _ = played(*(FakeSource([fault("throttled")]) for _ in range(3)))
    assert events == []
    assert error is not None
    assert error.code == "throttled"
    assert error.retryable


def test_f59_a_failure_after_text_is_never_retried() -> None:
    events, error, _ = played(FakeSource([HI, fault("throttled")]), FakeSource([HI, END]))
    assert events == [HI]
    assert error is not None
    assert (error.code, error.retryable) == ("throttled", False)


def test_f67_a_failure_to_open_is_retried_as_well() -> None:
    events, error, _ = played(FakeSource([], opens=fault("connect_failed")), FakeSource([HI, END]))
    assert events[0] == HI
    assert error is None


def test_a_request_that_would_fail_again_is_not_retried() -> None:
    _, error, took_s = played(FakeSource([], opens=fault("access_denied")), FakeSource([HI, END]))
    assert error is not None
    assert error.code == "access_denied"
    assert took_s == 0.0


def test_f70_a_refused_field_is_left_out_at_once_and_leaves_the_retry() -> None:
    refusals = (FakeSource([], opens=FieldRefused(n)) for n in ("topP", "temperature"))
    events, error, _ = played(*refusals, FakeSource([fault("throttled")]), FakeSource([HI, END]))
    assert events[0] == HI
    assert error is None


@pytest.mark.parametrize("source", [FakeSource([60.0, HI]), FakeSource([HI], opens=60.0)])
def test_a_model_that_says_nothing_is_given_up_at_the_first_token_deadline(source: FakeSource) -> None:
    _, error, took_s = played(source, FakeSource([HI, END]))
    assert error is not None
    assert (error.code, error.retryable) == ("first_token_timeout", True)
    assert took_s == pytest.approx(5.0)


def test_the_first_token_deadline_counts_the_retry_in() -> None:
    _, error, took_s = played(FakeSource([4.0, fault("throttled")]), FakeSource([4.0, HI]))
    assert error is not None
    assert error.code == "first_token_timeout"
    assert took_s == pytest.approx(5.0)


def test_f68_a_dribbling_model_is_given_up_at_the_reply_deadline() -> None:
    events, error, took_s = played(FakeSource([HI, 6.0, HI, 6.0, HI, 60.0]))
    assert len(events) == 3
    assert error is not None
    assert (error.code, error.retryable) == ("reply_timeout", False)
    assert took_s == pytest.approx(20.0)


def test_closing_the_generator_closes_the_source() -> None:
    source = FakeSource([HI, HI])

    async def main() -> None:
        async with aclosing(follow(lambda: source, DEADLINES)) as reply:
            assert await anext(reply) == HI
        assert source.closed

    run_leaping(main())


def test_cancelling_the_reader_closes_the_source() -> None:
    source = FakeSource([])

    async def main() -> None:
        task = asyncio.ensure_future(anext(follow(lambda: source, DEADLINES)))
        await asyncio.sleep(1.0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert source.closed

    run_leaping(main())


CALL = ToolCall("t1", "look_up", {})


def test_f72_a_tool_call_that_takes_long_to_write_is_waited_for() -> None:
    events, error, took_s = played(FakeSource([2.0, ToolBegun(), 14.0, CALL, END, Completed("tool_use")]))
    assert (events, error) == ([CALL, Completed("tool_use")], None)
    assert took_s == pytest.approx(16.0)


@pytest.mark.parametrize(("before", "code"), [([], "first_token_timeout"), ([HI], "reply_timeout")])
def test_f72_a_tool_call_that_never_becomes_whole_is_given_up(before: list[ReplyEvent], code: str) -> None:
    _, error, took_s = played(FakeSource([*before, 2.0, ToolBegun(), 60.0, CALL]))
    assert error is not None
    assert error.code == code
    assert took_s == pytest.approx(17.0)


def test_a_tool_call_that_breaks_off_is_asked_for_once_more() -> None:
    broken = FakeSource([ToolBegun(), fault("connection_lost")])
    events, error, _ = played(broken, FakeSource([ToolBegun(), CALL, END, Completed("tool_use")]))
    assert (events, error) == ([CALL, Completed("tool_use")], None)
