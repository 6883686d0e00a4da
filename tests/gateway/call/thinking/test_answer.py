"""An answer: sentences as the model writes them, pauses noticed, tools run in between."""

import asyncio
import gc
from collections.abc import AsyncGenerator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.call.thinking.answer import with_pauses
from gateway.errors import LlmError
from tests.rig.clock import run_leaping


async def _items(*gaps_s: float) -> AsyncGenerator[int]:
    for number, gap_s in enumerate(gaps_s):
        await asyncio.sleep(gap_s)
        yield number


@settings(deadline=None)  # a busy machine is no fault
@given(st.lists(st.floats(0.0, 5.0), max_size=8))
def test_every_item_comes_in_order_and_every_second_of_a_pause_is_said(gaps_s: list[float]) -> None:
    async def main() -> list[int | None]:
        return [item async for item in with_pauses(_items(*gaps_s), 1.0)]

    expected: list[int | None] = []
    for number, gap_s in enumerate(gaps_s):
        expected += [None] * int(gap_s)
        expected.append(number)
    if not any(abs(gap_s - round(gap_s)) < 1e-6 for gap_s in gaps_s):
        assert run_leaping(main()) == expected


def test_a_stream_that_is_left_early_is_closed() -> None:
    async def main() -> None:
        closed = asyncio.Event()

        async def endless() -> AsyncGenerator[int]:
            try:
                yield 1
                await asyncio.sleep(3600)
                yield 2
            finally:
                closed.set()

        stream = with_pauses(endless(), 0.1)
        assert [await anext(stream), await anext(stream)] == [1, None]
        await stream.aclose()
        assert closed.is_set()

    run_leaping(main())


def test_a_stream_that_ends_in_the_moment_it_is_left_leaves_no_complaint() -> None:
    complaints: list[str] = []

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, told: complaints.append(told["message"]))
        asked = asyncio.ensure_future(anext(with_pauses(_items(), 1.0)))
        await asyncio.sleep(0)  # the stream is asked for its first item, and has none
        asked.cancel()
        await asyncio.wait({asked})
        del asked
        gc.collect()

    run_leaping(main())
    assert complaints == []


def test_an_error_of_the_stream_passes_through() -> None:
    async def main() -> None:
        async def failing() -> AsyncGenerator[int]:
            yield 1
            raise LlmError("throttled")

        with pytest.raises(LlmError):
            _ = [item async for item in with_pauses(failing(), 1.0)]

    run_leaping(main())
