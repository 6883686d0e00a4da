import json

import pytest

from gateway.errors import LlmError
from gateway.llm.base import Completed, Inference, Message, TextDelta, Tool, ToolCall, ToolResult
from gateway.llm.chat import ChatParser, chat_conversation, chat_fault, chat_rejected_field, chat_settings
from gateway.llm.reply import ReplyEvent, Stopped, ToolBegun
from tests.rig.openai import chunk, said


def parsed(chunks: list[str]) -> list[ReplyEvent]:
    parser = ChatParser()
    return [event for c in chunks for event in parser.feed(c)] + parser.end()


def test_a_conversation_is_written_as_chat_messages() -> None:
    fields = chat_conversation(
        [
            Message("user", "Find it."),
            Message("assistant", tool_calls=(ToolCall("a", "look_up", {"q": 1}),)),
            Message("user", "And?", tool_results=(ToolResult("a", "none"),)),
        ],
        "Be brief.",
        [Tool("look_up", "Finds.", {"type": "object"})],
    )
    called = {"id": "a", "type": "function", "function": {"name": "look_up", "arguments": '{"q": 1}'}}
    assert fields["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Find it."},
        {"role": "assistant", "content": "", "tool_calls": [called]},
        {"role": "tool", "tool_call_id": "a", "content": "none"},
        {"role": "user", "content": "And?"},
    ]
    assert fields["tools"][0]["function"]["parameters"] == {"type": "object"}


def test_what_is_blank_or_empty_is_left_out() -> None:
    fields = chat_conversation([Message("assistant", "Hi."), Message("user", "Hi")], "", ())
    assert [m["role"] for m in fields["messages"]] == ["user", "assistant", "user"]
    assert fields.keys() == {"messages"}


def test_settings_that_are_not_set_are_not_sent_and_extra_fields_win() -> None:
    assert chat_settings(Inference(), {}) == {"stream": True, "stream_options": {"include_usage": True}}
    settings = chat_settings(Inference(50, 0.5, 0.9, ("END",)), {"stream_options": None, "max_tokens": 7, "seed": 1})
    assert settings == {
        "stream": True,
        "max_tokens": 7,
        "temperature": 0.5,
        "top_p": 0.9,
        "stop": ["END"],
        "seed": 1,
    }


def test_a_plain_reply_with_usage() -> None:
    assert parsed(said("Hello ", "there.")) == [
        TextDelta("Hello "),
        TextDelta("there."),
        Stopped("end_turn"),
        Completed("end_turn", 7, 2),
    ]


def test_a_reply_without_done_or_usage_completes_at_the_end() -> None:
    assert parsed([chunk({"content": "Hi"}), chunk({}, "length")])[-1] == Completed("max_tokens")


def test_a_reply_that_is_only_ended_by_done_is_whole() -> None:
    assert parsed([chunk({"content": "Hi"}), "[DONE]"])[-1] == Completed("end_turn")


def test_usage_in_every_chunk_is_counted_once() -> None:
    usage = {"prompt_tokens": 1, "completion_tokens": 2}
    events = parsed([chunk({"content": "Hi"}, usage=usage), chunk({}, "stop", usage=usage), "[DONE]"])
    assert events[-1] == Completed("end_turn", 1, 2)
    assert sum(isinstance(e, Completed) for e in events) == 1


def test_reasoning_nulls_and_empty_deltas_are_not_spoken() -> None:
    quiet: list[dict[str, object]] = [
        {"reasoning_content": "hmm"},
        {"content": None},
        {"content": ""},
        {"reasoning": "hm"},
    ]
    parser = ChatParser()
    assert [e for d in quiet for e in parser.feed(chunk(d))] == []
    assert parser.feed(json.dumps({"choices": None})) == []


def test_a_whole_message_in_place_of_deltas_is_read() -> None:
    whole = {"choices": [{"message": {"content": [{"type": "text", "text": "Hi"}]}, "finish_reason": "stop"}]}
    assert parsed([json.dumps(whole)]) == [TextDelta("Hi"), Stopped("end_turn"), Completed("end_turn")]


@pytest.mark.parametrize(
    ("finish", "reason"),
    [
        ("stop", "end_turn"),
        ("length", "max_tokens"),
        ("content_filter", "content_filtered"),
        ("eos", "eos"),
    ],
)
def test_finish_reasons_are_said_in_converses_words(finish: str, reason: str) -> None:
    assert ChatParser().feed(chunk({}, finish)) == [Stopped(reason)]


def tool_piece(arguments: object, index: int | None = None, call_id: str = "", name: str = "") -> dict[str, object]:
    piece: dict[str, object] = {"function": {"name": name or None, "arguments": arguments}}
    return {**piece, **({} if index is None else {"index": index}), **({"id": call_id} if call_id else {})}


A = ToolCall("a", "look_up", {"n": 1})
B = ToolCall("b", "book", {"n": 2})
STYLES = {
    "by index, interleaved": [
        [tool_piece("", 0, "a", "look_up")],
        [tool_piece("", 1, "b", "book")],
        [tool_piece('{"n": ', 0), tool_piece('{"n": ', 1)],
        [tool_piece("2}", 1), tool_piece("1}", 0)],
    ],
    "id in every piece": [
        [tool_piece('{"n": ', 0, "a", "look_up"), tool_piece('{"n": ', 1, "b", "book")],
        [tool_piece("1}", 0, "a"), tool_piece("2}", 1, "b")],
    ],
    "the same index for all": [
        [tool_piece('{"n": 1}', 0, "a", "look_up")],
        [tool_piece('{"n": 2}', 0, "b", "book")],
    ],
    "no index, whole objects": [[tool_piece({"n": 1}, None, "a", "look_up"), tool_piece({"n": 2}, None, "b", "book")]],
    "no index, pieces in order": [
        [tool_piece('{"n": ', None, "a", "look_up")],
        [tool_piece("1}")],
        [tool_piece('{"n": 2', None, "b", "book")],
        [tool_piece("}")],
    ],
}


@pytest.mark.parametrize("pieces", STYLES.values(), ids=STYLES.keys())
def test_f65_parallel_tool_calls_survive_every_style(pieces: list[list[dict[str, object]]]) -> None:
    chunks = [chunk({"tool_calls": p}) for p in pieces]
    assert parsed([*chunks, chunk({}, "tool_calls")]) == [
        ToolBegun(),
        A,
        B,
        Stopped("tool_use"),
        Completed("tool_use"),
    ]


def test_calls_with_neither_id_nor_index_are_told_apart_by_their_names() -> None:
    chunks = [chunk({"tool_calls": [tool_piece("{}", name=n)]}) for n in ("look_up", "book")]
    events = parsed([*chunks, chunk({}, "tool_calls")])
    assert events[1:3] == [ToolCall("call_0", "look_up", {}), ToolCall("call_1", "book", {})]


def test_ids_and_names_that_are_numbers_are_texts() -> None:
    piece = {"index": 0, "id": 5, "function": {"name": 7, "arguments": {}}}
    assert parsed([chunk({"tool_calls": [piece]}, "tool_calls")])[1] == ToolCall("5", "7", {})


def test_a_server_that_says_stop_after_tool_calls_means_tool_use() -> None:
    events = parsed([chunk({"tool_calls": [tool_piece("{}", 0, "a", "look_up")]}), chunk({}, "stop")])
    assert events[-1] == Completed("tool_use")


@pytest.mark.parametrize(
    "data",
    [
        pytest.param("[" * 9000, id="deep"),
        '{"usage": {"prompt_tokens": Infinity}}',
        "{",
        "7",
        '{"choices": 3}',
        '{"choices": [null]}',
        '{"choices": [{"delta": {"tool_calls": [3]}}]}',
        '{"usage": 3}',
    ],
)
def test_a_chunk_of_unknown_shape_is_a_corrupt_stream(data: str) -> None:
    with pytest.raises(LlmError) as caught:
        ChatParser().feed(data)
    assert caught.value.code == "corrupt_stream"


def test_a_stream_without_a_finish_is_incomplete() -> None:
    with pytest.raises(LlmError) as caught:
        parsed([chunk({"content": "Hi"})])
    assert caught.value.code == "incomplete"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        ({"type": "rate_limit_error", "message": "slow down"}, "throttled"),
        ({"code": 503, "message": "loading"}, "unavailable"),
        ({"code": "context_length_exceeded"}, "invalid_request"),
        ({"message": "oops"}, "server_error"),
        ("plain text", "server_error"),
    ],
)
def test_an_error_in_the_stream_has_a_stable_code(error: object, code: str) -> None:
    with pytest.raises(LlmError) as caught:
        ChatParser().feed(json.dumps({"error": error}))
    assert caught.value.code == code


def test_a_finish_reason_error_is_an_error() -> None:
    with pytest.raises(LlmError) as caught:
        ChatParser().feed(chunk({}, "error"))
    assert caught.value.code == "server_error"


def test_an_http_error_is_judged_by_its_status_unless_it_names_itself() -> None:
    assert chat_fault({"message": "x"}, 429, ()).code == "throttled"
    assert chat_fault({"type": "authentication_error"}, 400, ()).code == "access_denied"
    assert chat_fault({"code": 400}, 502, ()).code == "server_error"


def test_an_error_that_quotes_the_caller_is_withheld() -> None:
    error = chat_fault({"message": "input: my pin is 1234"}, 422, [Message("user", "My PIN is 1234")])
    assert "1234" not in str(error)


def test_f70_the_refused_field_is_read_from_the_text() -> None:
    sent = {"temperature", "top_p", "stop", "stream_options"}
    assert chat_rejected_field("Unsupported value: 'temperature'", sent) == "temperature"
    assert chat_rejected_field("Unrecognized request argument: stream_options", sent) == "stream_options"
    assert chat_rejected_field("'stop' is not supported", sent) == "stop"
    assert chat_rejected_field("please stop", sent) is None
    assert chat_rejected_field("temperature", ()) is None
