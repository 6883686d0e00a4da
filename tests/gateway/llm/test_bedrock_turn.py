import asyncio
import threading
from collections.abc import Callable

import pytest

from gateway.errors import LlmError
from gateway.llm.base import Completed, TextDelta
from gateway.llm.bedrock_turn import MAX_EVENTS_AHEAD, Abandoned, ConverseTurn
from gateway.llm.faults import fault
from tests.gateway.llm.asking import eventually


class FakeBody:
    """A response that is silent until it is shut down."""

    def __init__(self, shut_error: Exception | None = None) -> None:
        self.woken = threading.Event()
        self._shut_error = shut_error

    def shutdown(self) -> None:
        self.woken.set()
        if self._shut_error is not None:
            raise self._shut_error


class FakeStream:
    def __init__(self, body: object) -> None:
        self._raw_stream = body
        self.closed_by = ""

    def close(self) -> None:
        self.closed_by = threading.current_thread().name


def turn(work: Callable[[ConverseTurn], None], left: list[ConverseTurn] | None = None) -> ConverseTurn:
    gone = [] if left is None else left
    return ConverseTurn(7, work, lambda turn: None, gone.append)


async def test_events_cross_in_order_and_errors_are_raised() -> None:
    def work(turn: ConverseTurn) -> None:
        turn.hand_over(TextDelta("a"))
        turn.hand_over(Completed("end_turn"))
        raise fault("incomplete")

    source = turn(work)
    await source.open()
    assert await source.next() == TextDelta("a")
    assert await source.next() == Completed("end_turn")
    with pytest.raises(LlmError):
        await source.next()


async def test_a_silent_response_is_woken_and_closed_by_its_own_thread() -> None:
    body, left = FakeBody(), list[ConverseTurn]()
    stream = FakeStream(body)

    def work(turn: ConverseTurn) -> None:
        with turn.reading(stream):
            turn.hand_over(TextDelta("a"))
            body.woken.wait(5.0)
            turn.check()

    source = turn(work, left)
    await source.open()
    await source.next()
    source.close()
    await eventually(lambda: left == [source])
    assert body.woken.is_set()
    assert stream.closed_by == "bedrock-turn-7"


@pytest.mark.parametrize("body", [FakeBody(RuntimeError("released")), object()])
async def test_a_response_that_cannot_be_woken_does_not_hurt(body: object) -> None:
    left, go_on = list[ConverseTurn](), threading.Event()

    def work(turn: ConverseTurn) -> None:
        with turn.reading(FakeStream(body)):
            turn.hand_over(TextDelta("a"))
            go_on.wait(5.0)
            turn.hand_over(TextDelta("b"))

    source = turn(work, left)
    await source.open()
    await source.next()
    source.close()
    assert left == []
    go_on.set()
    await eventually(lambda: left == [source])


async def test_a_response_that_begins_after_the_cancel_is_closed_unread() -> None:
    go_on, stream, left = threading.Event(), FakeStream(FakeBody()), list[ConverseTurn]()

    def work(turn: ConverseTurn) -> None:
        go_on.wait(5.0)
        with turn.reading(stream):
            raise AssertionError("read although cancelled")

    source = turn(work, left)
    await source.open()
    source.close()
    go_on.set()
    await eventually(lambda: left == [source])
    assert stream.closed_by


async def test_a_whole_reply_is_read_to_its_end_and_its_connection_left_alone() -> None:
    body, go_on, left, ended = FakeBody(), threading.Event(), list[ConverseTurn](), list[bool]()

    def work(turn: ConverseTurn) -> None:
        with turn.reading(FakeStream(body)):
            turn.hand_over(Completed("end_turn"))
            go_on.wait(5.0)
            turn.check()
            ended.append(True)

    source = turn(work, left)
    await source.open()
    await source.next()
    source.close()
    go_on.set()
    await eventually(lambda: left == [source])
    assert ended == [True]
    assert not body.woken.is_set()


async def test_the_thread_waits_for_a_reader_that_is_far_behind() -> None:
    handed: list[int] = []

    def work(turn: ConverseTurn) -> None:
        for number in range(MAX_EVENTS_AHEAD + 1):
            turn.hand_over(TextDelta("a"))
            handed.append(number)

    left: list[ConverseTurn] = []
    source = turn(work, left)
    await source.open()
    await eventually(lambda: len(handed) == MAX_EVENTS_AHEAD)
    await asyncio.sleep(0.02)
    assert len(handed) == MAX_EVENTS_AHEAD
    await source.next()
    await eventually(lambda: left == [source])


async def test_an_error_that_nobody_wants_ends_the_thread_in_silence() -> None:
    go_on, left = threading.Event(), list[ConverseTurn]()

    def work(turn: ConverseTurn) -> None:
        go_on.wait(5.0)
        raise fault("stalled")

    source = turn(work, left)
    await source.open()
    source.close()
    go_on.set()
    await eventually(lambda: left == [source])


def test_a_thread_that_outlives_its_loop_ends_in_silence() -> None:
    go_on, left, raised = threading.Event(), list[ConverseTurn](), list[type[BaseException]]()

    def work(turn: ConverseTurn) -> None:
        go_on.wait(5.0)
        try:
            turn.hand_over(TextDelta("late"))
        except BaseException as error:
            raised.append(type(error))
            raise

    async def begin() -> ConverseTurn:
        source = turn(work, left)
        await source.open()
        return source

    source = asyncio.run(begin())
    go_on.set()
    source.join(5.0)
    assert left == [source]
    assert raised == [Abandoned]


async def test_a_turn_that_never_began_has_nothing_to_wait_for() -> None:
    turn(lambda turn: None).join(0.0)
