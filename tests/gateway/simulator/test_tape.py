"""Streams on tape: kept with direction and time, written and read without loss, played again on time."""

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.simulator.link import MemoryLink
from gateway.simulator.tape import GATEWAY, PLATFORM, Taped, TapedLink, load_tape, replay, save_tape
from tests.rig.clock import run_leaping

MESSAGES = st.one_of(st.text(st.characters(exclude_categories=["Cs"])), st.binary())


@given(
    st.lists(
        st.builds(Taped, st.floats(0, 3600).map(lambda s: round(s, 4)), st.sampled_from([PLATFORM, GATEWAY]), MESSAGES)
    )
)
def test_a_tape_is_read_as_it_was_written(tmp_path_factory: pytest.TempPathFactory, tape: list[Taped]) -> None:
    path = tmp_path_factory.mktemp("tape") / "new" / "session.jsonl"
    save_tape(path, tape)
    assert load_tape(path) == tape


@pytest.mark.parametrize(
    "line",
    ["", "[]", "{", '{"at_s":0}', '{"at_s":0,"from":"platform"}', '{"at_s":"x","from":"platform","text":""}']
    + ['{"at_s":0,"from":"platform","base64":"?"}'],
)
def test_what_is_no_message_is_told_by_its_line(tmp_path: Path, line: str) -> None:
    good = '{"at_s":0,"from":"platform","text":"a"}'
    (tmp_path / "s.jsonl").write_text(f"{good}\n{line}\n", "utf-8")
    with pytest.raises(ValueError, match=r"s\.jsonl, line 2"):
        load_tape(tmp_path / "s.jsonl")


def test_a_text_in_a_message_is_replaced_and_bytes_are_left() -> None:
    assert Taped(0.0, PLATFORM, "a token").with_text("token", "new").message == "a new"
    assert Taped(0.0, PLATFORM, b"token").with_text("token", "new").message == b"token"
    assert "secret" not in repr(Taped(0.0, PLATFORM, "secret"))


def test_both_directions_are_kept_in_order_with_their_times() -> None:
    async def main() -> list[Taped]:
        here, there = MemoryLink.pair()
        link = TapedLink(here)
        await link.send("hello")
        await asyncio.sleep(0.5)
        await there.send(b"\x01")
        assert await link.receive() == b"\x01"
        await link.close()
        assert await there.receive() == "hello"
        assert await there.receive() is None
        await there.close()
        assert await link.receive() is None
        link.abort()
        return link.tape

    assert run_leaping(main()) == [Taped(0.0, PLATFORM, "hello"), Taped(0.5, GATEWAY, b"\x01")]


def test_a_tape_is_played_on_time_and_the_answers_are_collected() -> None:
    tape = [Taped(0.0, PLATFORM, "a"), Taped(0.7, GATEWAY, "not said"), Taped(1.5, PLATFORM, b"b")]

    async def main() -> None:
        here, there = MemoryLink.pair()
        heard: list[tuple[float, str | bytes]] = []

        async def gateway() -> None:
            while (message := await there.receive()) is not None:
                heard.append((asyncio.get_running_loop().time(), message))
                await there.send("answer")

        answering = asyncio.create_task(gateway())
        answers = await replay(tape, here)
        await answering
        assert heard == [(0.0, "a"), (1.5, b"b")]
        assert answers == ["answer"]  # the second came after the platform had left

    run_leaping(main())


def test_a_gateway_that_closes_ends_the_replay() -> None:
    async def main() -> float:
        here, there = MemoryLink.pair()
        await there.close()
        await replay([Taped(at_s, PLATFORM, "x") for at_s in (0.0, 1.0, 2.0)], here)
        return asyncio.get_running_loop().time()

    assert run_leaping(main()) <= 1.0
