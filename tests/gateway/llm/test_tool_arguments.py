import pytest

from gateway.errors import LlmError
from gateway.llm.base import ToolCall
from gateway.llm.tool_arguments import MAX_ARGUMENTS_CHARS, MAX_CALLS, ToolCallParts


def test_f65_parallel_calls_are_gathered_by_their_block() -> None:
    parts = ToolCallParts()
    parts.add(1, "a", "look_up", '{"na')
    parts.add(2, "b", "book")
    parts.add(1, piece='me": "Ann"}')
    parts.add(2, piece='{"at": 9}')
    assert parts.whole() == [ToolCall("a", "look_up", {"name": "Ann"}), ToolCall("b", "book", {"at": 9})]


def test_a_call_without_arguments_has_none() -> None:
    parts = ToolCallParts()
    parts.add(0, "a", "look_up")
    assert parts.whole() == [ToolCall("a", "look_up", {})]


def test_a_call_without_an_id_gets_one() -> None:
    parts = ToolCallParts()
    parts.add(3, "", "look_up", "{}")
    assert parts.whole()[0].call_id == "call_3"


def test_calls_of_one_id_are_told_apart() -> None:
    parts = ToolCallParts()
    for index, number in enumerate("12"):
        parts.add(index, "a", "book", f'{{"number": {number}}}')
    first, second = parts.whole()
    assert first.call_id != second.call_id
    assert (first.arguments, second.arguments) == ({"number": 1}, {"number": 2})


@pytest.mark.parametrize(
    "written", ['{"na', pytest.param("[" * 9000, id="deep"), "[1]", "7", '{"a": 1} extra', '{"a": 1']
)
def test_arguments_that_are_not_a_whole_object_never_run(written: str) -> None:
    parts = ToolCallParts()
    parts.add(0, "a", "look_up", written)
    with pytest.raises(LlmError) as caught:
        parts.whole()
    assert caught.value.code == "tool_arguments_invalid"


@pytest.mark.parametrize(
    "value", ["NaN", "-Infinity", "1e400", pytest.param("1" + "0" * 400, id="long"), r'"\ud83d"', r'{"\ude00": 1}']
)
def test_arguments_with_what_no_json_has_never_run_nor_spoil_the_history(value: str) -> None:
    parts = ToolCallParts()
    parts.add(0, "a", "look_up", f'{{"price": [{value}]}}')
    with pytest.raises(LlmError) as caught:
        parts.whole()
    assert caught.value.code == "tool_arguments_invalid"


def test_numbers_keep_their_kind() -> None:
    parts = ToolCallParts()
    parts.add(0, "a", "look_up", '{"count": 12, "price": -1.5e3}')
    (call,) = parts.whole()
    assert repr(call.arguments) == "{'count': 12, 'price': -1500.0}"


def test_a_call_without_a_name_never_runs() -> None:
    parts = ToolCallParts()
    parts.add(0, "a", "", "{}")
    with pytest.raises(LlmError, match="names no tool"):
        parts.whole()


def test_f72_arguments_that_grow_without_end_are_cut_off() -> None:
    parts = ToolCallParts()
    for _ in range(MAX_ARGUMENTS_CHARS // 2):
        parts.add(0, piece="xx")
    with pytest.raises(LlmError) as caught:
        parts.add(0, piece="x")
    assert caught.value.code == "tool_arguments_too_long"
    assert not caught.value.retryable


def test_calls_without_end_are_cut_off() -> None:
    parts = ToolCallParts()
    for index in range(MAX_CALLS):
        parts.add(index)
    with pytest.raises(LlmError, match=f"more than {MAX_CALLS}"):
        parts.add(MAX_CALLS)


def test_nothing_gathered_is_false() -> None:
    parts = ToolCallParts()
    assert not parts
    parts.add(0)
    assert parts
