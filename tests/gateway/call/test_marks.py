"""Pending marks: each counts once, none after a clear."""

import asyncio

import pytest

from gateway.call.marks import Marks
from tests.rig.clock import run_leaping


def test_a_mark_is_reached_once() -> None:
    async def main() -> None:
        marks = Marks()
        assert marks.add(7) == "7"
        assert marks.reached("8") is None
        assert marks.reached("7") == 7
        assert marks.reached("7") is None

    run_leaping(main())


def test_a_cleared_mark_is_never_reached_and_not_waited_for() -> None:
    async def main() -> None:
        marks = Marks()
        marks.add(1)
        marks.clear()
        await marks.confirmed(5.0)
        assert asyncio.get_running_loop().time() == 0.0
        assert marks.reached("1") is None

    run_leaping(main())


def test_f10_confirmation_is_waited_for_but_not_for_ever() -> None:
    async def main() -> None:
        marks = Marks()
        marks.add(1)
        marks.add(2)
        marks.reached("1")
        await marks.confirmed(0.7)
        assert asyncio.get_running_loop().time() == pytest.approx(0.7)
        marks.reached("2")
        await marks.confirmed(0.7)
        assert asyncio.get_running_loop().time() == pytest.approx(0.7)

    run_leaping(main())
