"""Speculation: what was asked in advance is used for the same question only, whole, and abandoned otherwise."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Sequence
from typing import Any

import pytest

from gateway.call.thinking.speculation import MAX_AHEAD_EVENTS, Speculation
from gateway.errors import LlmError
from gateway.llm.base import Completed, LlmEvent, Message, TextDelta, Tool
from tests.rig.clock import run_leaping

ASKED = [Message("user", "Hi."), Message("assistant", "Hello."), Message("user", "What time do you open")]


class Model:
    """Gives its deltas a tenth of a second apart, and fails at the end if it is to."""

    def __init__(self, deltas: Sequence[str], error: LlmError | None = None) -> None:
        self._deltas = deltas
        self._error = error
        self.closed = False

    async def _stream(self) -> AsyncGenerator[LlmEvent]:
        try:
            for delta in self._deltas:
                await asyncio.sleep(0.1)
                yield TextDelta(delta)
            if self._error is not None:
                raise self._error
            yield Completed("end_turn")
        finally:
            self.closed = True

    def stream(self, messages: Sequence[Message], system: str, tools: Sequence[Tool] = ()) -> AsyncGenerator[LlmEvent]:
        return self._stream()

    async def ready(self) -> bool:
        return True

    async def close(self) -> None:
        """Nothing is open."""


def spawn(work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
    return asyncio.create_task(work, name=name)


def test_everything_comes_in_order_and_what_is_ahead_comes_at_once() -> None:
    async def main() -> None:
        ahead = Speculation(Model(["We ", "open."]), ASKED, "", spawn)
        await asyncio.sleep(0.15)
        events = [event async for event in ahead.events()]
        assert asyncio.get_running_loop().time() == pytest.approx(0.2)
        assert events == [TextDelta("We "), TextDelta("open."), Completed("end_turn")]

    run_leaping(main())


@pytest.mark.parametrize(
    ("words", "fits"),
    [("What time do you open?", True), ("what time, do you open", True), ("What time do you close?", False)],
)
def test_marks_and_case_make_no_other_question(words: str, fits: bool) -> None:
    async def main() -> None:
        ahead = Speculation(Model(["We "]), ASKED, "", spawn)
        assert ahead.fits([*ASKED[:2], Message("user", words)]) is fits
        assert not ahead.fits([Message("user", words)])
        assert not ahead.fits([])
        ahead.drop()
        await asyncio.sleep(0)

    run_leaping(main())


def test_dropping_it_closes_the_models_stream() -> None:
    async def main() -> None:
        model = Model(["We "] * 100)
        ahead = Speculation(model, ASKED, "", spawn)
        await asyncio.sleep(0.35)
        ahead.drop()
        ahead.drop()
        await asyncio.sleep(0.01)
        assert model.closed

    run_leaping(main())


def test_leaving_it_early_closes_the_models_stream() -> None:
    async def main() -> None:
        model = Model(["We "] * 100)
        events = Speculation(model, ASKED, "", spawn).events()
        assert await anext(events) == TextDelta("We ")
        await events.aclose()
        await asyncio.sleep(0.01)
        assert model.closed

    run_leaping(main())


def test_one_that_has_failed_is_asked_anew_and_one_that_fails_later_says_so() -> None:
    async def main() -> None:
        ahead = Speculation(Model(["We "], LlmError("throttled")), ASKED, "", spawn)
        await asyncio.sleep(1.0)
        assert not ahead.fits(ASKED)
        late = Speculation(Model(["We "], LlmError("throttled")), ASKED, "", spawn)
        assert late.fits(ASKED)
        with pytest.raises(LlmError):
            _ = [event async for event in late.events()]

    run_leaping(main())


def test_a_model_that_is_far_ahead_waits() -> None:
    async def main() -> None:
        ahead = Speculation(Model(["x"] * (MAX_AHEAD_EVENTS + 50)), ASKED, "", spawn)
        await asyncio.sleep(1000.0)
        assert len([event async for event in ahead.events()]) == MAX_AHEAD_EVENTS + 51

    run_leaping(main())
