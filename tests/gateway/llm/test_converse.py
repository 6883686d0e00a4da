import pytest

from gateway.errors import LlmError
from gateway.llm.base import Completed, Inference, Message, TextDelta, Tool, ToolCall, ToolResult
from gateway.llm.converse import (
    BedrockExtras,
    ConverseParser,
    Guardrail,
    code_of_exception,
    converse_conversation,
    converse_extras,
    converse_inference,
    rejected_field,
)
from gateway.llm.reply import Stopped

LOOK_UP = Tool("look_up", "Finds.", {"type": "object", "properties": {}})


def test_a_conversation_is_written_in_converse_blocks() -> None:
    fields = converse_conversation(
        [
            Message("user", "Find it."),
            Message("assistant", "Wait.", tool_calls=(ToolCall("a", "look_up", {"q": 1}),)),
            Message("user", "And?", tool_results=(ToolResult("a", "none", failed=True),)),
        ],
        "Be brief.",
        [LOOK_UP],
    )
    assert fields["system"] == [{"text": "Be brief."}]
    assert fields["messages"][1]["content"] == [
        {"text": "Wait."},
        {"toolUse": {"toolUseId": "a", "name": "look_up", "input": {"q": 1}}},
    ]
    assert fields["messages"][2]["content"] == [
        {"toolResult": {"toolUseId": "a", "content": [{"text": "none"}], "status": "error"}},
        {"text": "And?"},
    ]
    assert fields["toolConfig"]["tools"][0]["toolSpec"]["inputSchema"] == {"json": LOOK_UP.schema}


def test_what_is_blank_or_empty_is_left_out() -> None:
    assert converse_conversation([Message("user", "Hi")], " \n", ()).keys() == {"messages"}


def test_tools_of_the_history_are_declared_although_they_are_offered_no_more() -> None:
    messages = [Message("user", "Hi"), Message("assistant", tool_calls=(ToolCall("a", "gone", {}),))]
    tools = converse_conversation(messages, "", [LOOK_UP])["toolConfig"]["tools"]
    assert [t["toolSpec"]["name"] for t in tools] == ["look_up", "gone"]


def test_inference_fields_that_are_not_set_are_not_sent() -> None:
    assert converse_inference(Inference(), frozenset()) == {}
    assert converse_inference(Inference(100, 0.0, 0.9, ("END",)), frozenset({"topP"})) == {
        "maxTokens": 100,
        "temperature": 0.0,
        "stopSequences": ["END"],
    }


def test_extras_that_are_not_set_are_not_sent() -> None:
    assert converse_extras(BedrockExtras()) == {}
    extras = BedrockExtras({"thinking": {"type": "disabled"}}, Guardrail("g1", "3", "async"), "optimized", "priority")
    assert converse_extras(extras) == {
        "additionalModelRequestFields": {"thinking": {"type": "disabled"}},
        "guardrailConfig": {
            "guardrailIdentifier": "g1",
            "guardrailVersion": "3",
            "streamProcessingMode": "async",
        },
        "performanceConfig": {"latency": "optimized"},
        "serviceTier": {"type": "priority"},
    }


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("ThrottlingException", "throttled"),
        ("throttlingException", "throttled"),
        ("modelStreamErrorException", "server_error"),
        ("AccessDeniedException", "access_denied"),
        ("SomethingNew", "invalid_request"),
    ],
)
def test_exceptions_are_known_by_name_in_either_case(name: str, code: str) -> None:
    assert code_of_exception(name, 400) == code


def test_an_unknown_exception_with_a_server_status_is_the_servers() -> None:
    assert code_of_exception("SomethingNew", 502) == "server_error"


@pytest.mark.parametrize(
    ("message", "field"),
    [
        ("`temperature` is deprecated for this model.", "temperature"),
        ("The model does not support topP", "topP"),
        ("`temperature` and `top_p` cannot both be specified", "topP"),
        ("stop_sequences: not supported", "stopSequences"),
        ("messages.0.content.0 is blank", None),
    ],
)
def test_f70_the_refused_field_is_read_from_the_text(message: str, field: str | None) -> None:
    assert rejected_field(message, ("temperature", "topP", "stopSequences")) == field


def test_f70_a_field_that_was_not_sent_cannot_be_refused() -> None:
    assert rejected_field("temperature and top_p", ("temperature",)) == "temperature"
    assert rejected_field("temperature", ()) is None


def delta(index: int = 0, **fields: object) -> dict[str, object]:
    return {"contentBlockDelta": {"contentBlockIndex": index, "delta": fields}}


def test_only_text_is_spoken() -> None:
    parser = ConverseParser()
    assert parser.feed({"messageStart": {"role": "assistant"}}) == []
    assert parser.feed(delta(reasoningContent={"text": "hmm"})) == []
    assert parser.feed(delta(citation={"title": "x"})) == []
    assert parser.feed(delta(text="Hi")) == [TextDelta("Hi")]
    assert parser.feed({"contentBlockStop": {"contentBlockIndex": 0}}) == []
    assert parser.feed({"newEvent": {}}) == []


def test_f65_tool_calls_are_gathered_by_block_index() -> None:
    parser = ConverseParser()
    for index, name in ((1, "a"), (2, "b")):
        start = {"toolUse": {"toolUseId": name, "name": "look_up"}}
        parser.feed({"contentBlockStart": {"contentBlockIndex": index, "start": start}})
    for index in (2, 1):
        parser.feed(delta(index, toolUse={"input": '{"n": '}))
        parser.feed(delta(index, toolUse={"input": f"{index}}}"}))
    events = parser.feed({"messageStop": {"stopReason": "tool_use"}})
    assert events == [ToolCall("a", "look_up", {"n": 1}), ToolCall("b", "look_up", {"n": 2}), Stopped("tool_use")]


def test_a_block_start_that_is_no_tool_is_passed_over() -> None:
    assert ConverseParser().feed({"contentBlockStart": {"contentBlockIndex": 0, "start": {}}}) == []


def test_metadata_after_the_stop_completes_the_reply() -> None:
    parser = ConverseParser()
    parser.feed({"messageStop": {"stopReason": "end_turn"}})
    usage = {"inputTokens": 5, "outputTokens": 6, "totalTokens": 11}
    assert parser.feed({"metadata": {"usage": usage}}) == [Completed("end_turn", 5, 6)]
    assert parser.end() == []


def test_a_stream_without_metadata_still_completes() -> None:
    parser = ConverseParser()
    parser.feed({"messageStop": {"stopReason": "end_turn"}})
    assert parser.end() == [Completed("end_turn")]


def test_a_stream_without_a_stop_is_a_failure() -> None:
    with pytest.raises(LlmError) as caught:
        ConverseParser().end()
    assert caught.value.code == "incomplete"
