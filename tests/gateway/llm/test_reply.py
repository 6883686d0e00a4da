import pytest

from gateway.errors import LlmError
from gateway.llm.base import Completed, TextDelta, ToolCall
from gateway.llm.reply import ReplyBuilder, Stopped


def test_a_reply_gives_deltas_then_its_end_then_its_counts() -> None:
    reply = ReplyBuilder()
    assert reply.text("Hi") == [TextDelta("Hi")]
    assert reply.stop("end_turn") == [Stopped("end_turn")]
    assert reply.usage(3, 4) == [Completed("end_turn", 3, 4)]


def test_blank_deltas_give_nothing_and_leading_space_is_not_spoken() -> None:
    reply = ReplyBuilder()
    assert reply.text("") == []
    assert reply.text("\n\n") == []
    assert reply.text(" Hi") == [TextDelta("Hi")]
    assert reply.text(" ") == [TextDelta(" ")]


def test_text_held_back_comes_with_the_end() -> None:
    reply = ReplyBuilder()
    assert reply.text("1 <") == [TextDelta("1 ")]
    assert reply.stop("end_turn") == [TextDelta("<"), Stopped("end_turn")]


def test_tool_calls_come_with_the_end() -> None:
    reply = ReplyBuilder()
    reply.tool(0, "a", "look_up", "{}")
    assert reply.stop("tool_use") == [ToolCall("a", "look_up", {}), Stopped("tool_use")]


@pytest.mark.parametrize("written", ['{"na', "", '{"name": "Ann"}'])
@pytest.mark.parametrize("reason", ["max_tokens", "model_context_window_exceeded"])
def test_a_tool_call_cut_short_by_the_token_limit_never_runs(written: str, reason: str) -> None:
    reply = ReplyBuilder()
    reply.tool(0, "a", "look_up", written)
    with pytest.raises(LlmError) as caught:
        reply.stop(reason)
    assert caught.value.code == "tool_arguments_invalid"


@pytest.mark.parametrize("reason", ["content_filtered", "guardrail_intervened"])
def test_a_model_that_was_stopped_does_not_act(reason: str) -> None:
    reply = ReplyBuilder()
    assert reply.text("I cannot do that.") == [TextDelta("I cannot do that.")]
    reply.tool(1, "a", "look_up", '{"na')
    assert reply.stop(reason) == [Stopped(reason)]


@pytest.mark.parametrize("reason", ["malformed_model_output", "malformed_tool_use"])
def test_output_that_the_provider_calls_malformed_is_an_error(reason: str) -> None:
    with pytest.raises(LlmError) as caught:
        ReplyBuilder().stop(reason)
    assert caught.value.code == "malformed_output"


def test_an_end_and_its_counts_are_said_once() -> None:
    reply = ReplyBuilder()
    assert reply.usage(1, 1) == []
    reply.stop("end_turn")
    assert reply.stop("max_tokens") == []
    assert len(reply.usage(1, 1)) == 1
    assert reply.usage(2, 2) == []
