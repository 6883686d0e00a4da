import pytest

from gateway.llm.base import Message, ToolCall, ToolResult
from gateway.llm.faults import MAX_DETAIL_CHARS, code_of_status, fault, guarded_detail


def test_an_error_is_retryable_by_its_code_and_only_while_nothing_was_delivered() -> None:
    assert fault("throttled").retryable
    assert not fault("throttled", delivered=True).retryable
    assert not fault("access_denied").retryable


@pytest.mark.parametrize(
    ("status", "code"),
    [(401, "access_denied"), (404, "model_not_found"), (429, "throttled"), (503, "unavailable"), (529, "unavailable")],
)
def test_known_statuses_have_their_code(status: int, code: str) -> None:
    assert code_of_status(status) == code


def test_unknown_statuses_are_judged_by_whose_fault_they_are() -> None:
    assert code_of_status(418) == "invalid_request"
    assert code_of_status(599) == "server_error"


def test_a_detail_is_cut_to_its_bound() -> None:
    assert guarded_detail("x" * 1000, ()) == "x" * MAX_DETAIL_CHARS


@pytest.mark.parametrize(
    "text",
    [
        "bad input: My number is 5551234.",
        '{"input": "my  number\\n is 5551234."}',
        '{"input": "caf\\u00e9 table 1234"}',
        "... result: door code 1234",
        "token 51 of the last user message: ...on Sunday at the old mill in Ubud, for 12...",
        "unexpected integer 98765 in messages.3",
        '{"loc": ["messages", 4, "tool_calls", 0], "input": "Siti Rahayu"}',
    ],
)
def test_a_detail_that_quotes_the_conversation_is_withheld(text: str) -> None:
    said = [
        Message("user", "My number is 5551234."),
        Message("user", "Café, table 1234"),
        Message("user", tool_results=(ToolResult("a", "door code 1234"),)),
    ]
    said += [
        Message("user", "I would like to come on Sunday at the old mill in Ubud, for 12 people, code 98765."),
        Message("assistant", tool_calls=(ToolCall("b", "find", {"name": "Siti Rahayu"}),)),
    ]
    assert guarded_detail(text, said).startswith("(withheld")


def test_a_detail_that_only_shares_words_with_the_conversation_is_kept() -> None:
    said = [Message("user", "What is the model of the phone, and how long does the battery last?")]
    detail = "the model is overloaded; this model's maximum context length is 8192 tokens"
    assert guarded_detail(detail, said) == detail


def test_short_words_withhold_nothing() -> None:
    assert guarded_detail("no such model", [Message("user", "no")]) == "no such model"
