from hypothesis import given
from hypothesis import strategies as st

from gateway.llm.base import Message, ToolCall, ToolResult
from gateway.llm.converse import converse_conversation
from gateway.llm.turns import CALL_BEGINS, CALLER_SILENT, CANCELLED, EMPTY_FAILURE, EMPTY_RESULT, ask, conform, spoken
from tests.rig.bedrock_rules import refusal

TEXTS = st.sampled_from(["", " ", "\n\n", "\u200b", "hello", " padded ", "\ud800 half a pair", "\x00"])
IDS = st.sampled_from(["a", "b", "c"])
CALLS = st.lists(st.builds(ToolCall, IDS, st.just("look_up"), st.just({})), max_size=3).map(tuple)
RESULTS = st.lists(st.builds(ToolResult, IDS, TEXTS, st.booleans()), max_size=3).map(tuple)
MESSAGES = st.lists(st.builds(Message, st.sampled_from(["user", "assistant"]), TEXTS, CALLS, RESULTS), max_size=8)


def call(call_id: str) -> ToolCall:
    return ToolCall(call_id, "look_up", {"for": call_id})


@given(MESSAGES)
def test_any_list_becomes_one_that_the_service_accepts(messages: list[Message]) -> None:
    body = converse_conversation(ask(messages), "", ())
    assert refusal(body) is None


@given(MESSAGES)
def test_a_list_that_obeys_the_rules_is_left_alone(messages: list[Message]) -> None:
    turns = conform(messages)
    assert conform(turns) == turns
    assert ask(ask(messages)) == ask(messages)


def test_f60_blank_text_is_dropped_and_never_sent() -> None:
    turns = conform([Message("user", "Hi"), Message("assistant", "\n\n"), Message("user", "Anyone?")])
    assert turns == [Message("user", "Hi\nAnyone?")]


def test_text_that_nobody_can_see_is_blank() -> None:
    assert spoken("\u200b\n") == ""
    assert spoken(" a ") == "a"


def test_half_a_surrogate_pair_is_replaced() -> None:
    assert spoken("a\ud800").encode() == b"a?"


def test_f61_an_error_result_always_has_a_text() -> None:
    turns = conform(
        [
            Message("user", "Hi"),
            Message("assistant", tool_calls=(call("a"), call("b"))),
            Message("user", tool_results=(ToolResult("a", "", failed=True), ToolResult("b", " "))),
        ]
    )
    assert [r.text for r in turns[2].tool_results] == [EMPTY_FAILURE, EMPTY_RESULT]


def test_f62_a_greeting_gets_a_user_turn_before_it() -> None:
    assert conform([Message("assistant", "Welcome.")]) == [
        Message("user", CALL_BEGINS),
        Message("assistant", "Welcome."),
    ]


def test_f62_two_user_turns_after_a_cancelled_reply_are_merged() -> None:
    assert conform([Message("user", "What"), Message("user", "time?")]) == [Message("user", "What\ntime?")]


def test_f62_the_user_has_the_last_word_when_the_model_is_asked() -> None:
    assert ask([]) == [Message("user", CALL_BEGINS)]
    assert ask([Message("assistant", "Hello.")])[-1] == Message("user", CALLER_SILENT)


def test_f64_calls_without_results_are_settled_in_order() -> None:
    done = ToolResult("b", "42")
    turns = conform(
        [
            Message("user", "Hi"),
            Message("assistant", tool_calls=(call("a"), call("b"), call("c"))),
            Message("user", "Never mind", tool_results=(done,)),
        ]
    )
    assert turns[2].tool_results == (
        ToolResult("a", CANCELLED, failed=True),
        done,
        ToolResult("c", CANCELLED, failed=True),
    )
    assert turns[2].text == "Never mind"


def test_f64_a_call_that_ends_the_list_is_settled() -> None:
    turns = conform([Message("user", "Hi"), Message("assistant", tool_calls=(call("a"),))])
    assert turns[-1].tool_results == (ToolResult("a", CANCELLED, failed=True),)


def test_calls_of_two_assistant_turns_in_a_row_are_each_settled() -> None:
    turns = conform([Message("user", "Hi"), *(Message("assistant", tool_calls=(call(i),)) for i in "ab")])
    assert [len(m.tool_results) for m in turns] == [0, 0, 1, 0, 1]


def test_a_result_without_its_call_is_dropped() -> None:
    assert conform([Message("user", "Hi", tool_results=(ToolResult("x", "stray"),))]) == [Message("user", "Hi")]


def test_a_call_id_used_twice_in_one_turn_counts_once() -> None:
    turns = conform([Message("user", "Hi"), Message("assistant", tool_calls=(call("a"), call("a")))])
    assert turns[1].tool_calls == (call("a"),)
