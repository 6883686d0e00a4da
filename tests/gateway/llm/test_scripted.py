import asyncio

import pytest

from gateway.llm.base import Completed, LanguageModel, Message, TextDelta, ToolCall
from gateway.llm.scripted import ScriptedModel
from tests.rig.clock import run_leaping

QUESTION = [Message("user", "two words")]


async def timed(model: LanguageModel) -> list[tuple[float, str]]:
    begun_s = asyncio.get_running_loop().time()
    return [
        (round(asyncio.get_running_loop().time() - begun_s, 6), e.text)
        async for e in model.stream(QUESTION, "")
        if isinstance(e, TextDelta)
    ]


def test_words_come_at_their_times() -> None:
    model = ScriptedModel(["One two  three."], first_token_s=0.5, tokens_per_s=10.0)
    assert run_leaping(timed(model)) == [(0.5, "One "), (0.6, "two  "), (0.7, "three.")]


def test_without_times_everything_comes_at_once() -> None:
    assert run_leaping(timed(ScriptedModel(["One two."]))) == [(0.0, "One "), (0.0, "two.")]


def test_replies_go_round() -> None:
    async def main() -> list[str]:
        model = ScriptedModel(["A.", "B."])
        return [(await timed(model))[0][1] for _ in range(3)]

    assert run_leaping(main()) == ["A.", "B.", "A."]


def test_a_reply_ends_with_its_counts() -> None:
    async def main() -> None:
        events = [e async for e in ScriptedModel(["One two three."]).stream(QUESTION, "")]
        assert events[-1] == Completed("end_turn", 2, 3)

    run_leaping(main())


def test_no_replies_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="at least one"):
        ScriptedModel([])


def test_it_is_always_ready_and_closes_twice() -> None:
    async def main() -> None:
        model = ScriptedModel(["A."])
        assert await model.ready()
        await model.close()
        await model.close()

    run_leaping(main())


def test_lines_with_an_at_sign_are_tool_calls_and_not_text() -> None:
    async def main() -> None:
        model = ScriptedModel(
            ['Let me see.\n@look {"n": 1}\n@hang_up', "Mail a@b.c or\nuse @ twice."], first_token_s=0.5
        )
        events = [e async for e in model.stream(QUESTION, "")]
        assert events == [
            TextDelta("Let "),
            TextDelta("me "),
            TextDelta("see."),
            ToolCall("call-1-1", "look", {"n": 1}),
            ToolCall("call-1-2", "hang_up", {}),
            Completed("tool_use", 2, 3),
        ]
        assert not [e async for e in model.stream(QUESTION, "") if isinstance(e, ToolCall)]

    run_leaping(main())


def test_a_reply_of_calls_alone_takes_its_time_too() -> None:
    async def main() -> float:
        _ = [e async for e in ScriptedModel(["@hang_up"], first_token_s=0.5).stream(QUESTION, "")]
        return asyncio.get_running_loop().time()

    assert run_leaping(main()) == pytest.approx(0.5)


@pytest.mark.parametrize("reply", ["@look {", "@look [1]", "@look 5"])
def test_a_call_without_a_json_object_is_refused_at_once(reply: str) -> None:
    with pytest.raises(ValueError, match=r"JSON|delimiter|property name"):
        ScriptedModel([reply])
