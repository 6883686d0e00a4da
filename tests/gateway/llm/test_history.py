from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.llm.base import Message, ToolCall, ToolResult
from gateway.llm.converse import converse_conversation
from gateway.llm.history import History, HistoryBounds
from gateway.llm.turns import CALL_BEGINS, CANCELLED
from tests.rig.bedrock_rules import refusal

TEXTS = st.sampled_from(["", "\n", "Hello there.", "one two three four five", "x" * 300])
IDS = st.sampled_from(["a", "b"])
Step = Callable[[History], None]


def step(name: str, *arguments: object) -> Step:
    return lambda history: getattr(history, name)(*arguments)


STEPS: st.SearchStrategy[list[Step]] = st.lists(
    st.one_of(
        TEXTS.map(lambda t: step("caller_said", t)),
        st.just(step("begin_reply")),
        TEXTS.map(lambda t: step("say", t)),
        st.lists(IDS, max_size=2).map(lambda ids: step("call_tools", [ToolCall(i, "look_up", {}) for i in ids])),
        st.tuples(IDS, TEXTS).map(lambda r: step("answer_tool", ToolResult(*r))),
        TEXTS.map(lambda t: step("heard", t)),
    ),
    max_size=40,
)


@given(STEPS)
def test_any_sequence_of_steps_leaves_a_request_that_the_service_accepts(steps: list[Step]) -> None:
    history = History(HistoryBounds(turns=6, chars=900, text_chars=200))
    for take in steps:
        take(history)
        assert refusal(converse_conversation(history.request(), "", ())) is None


@given(STEPS)
def test_any_sequence_of_steps_stays_within_the_bounds(steps: list[Step]) -> None:
    bounds = HistoryBounds(turns=6, chars=2000, text_chars=200)
    history = History(bounds)
    for take in steps:
        take(history)
        messages = history.messages()
        assert len(messages) <= bounds.turns
        # A reply may call a tool in every round; each text of it is bounded.
        assert sum(len(m.text) for m in messages) <= bounds.turns * bounds.text_chars


def replied(history: History, planned: str, heard: str | None = None) -> None:
    history.begin_reply()
    history.say(planned)
    history.heard(planned if heard is None else heard)


def test_a_reply_heard_whole_is_kept_whole() -> None:
    history = History()
    history.caller_said("What time is it?")
    replied(history, "It is noon.")
    assert history.messages() == [Message("user", "What time is it?"), Message("assistant", "It is noon.")]


def test_an_interrupted_reply_is_cut_to_what_was_heard() -> None:
    history = History()
    history.caller_said("Tell me.")
    replied(history, "First this. Then that.", heard="First this.")
    history.caller_said("Stop.")
    assert history.request()[1:] == [Message("assistant", "First this."), Message("user", "Stop.")]


@pytest.mark.parametrize("heard", ["", " ", "\n\n"])
def test_f39_nothing_heard_leaves_no_assistant_turn(heard: str) -> None:
    history = History()
    history.caller_said("Tell me.")
    replied(history, "First this.", heard=heard)
    history.caller_said("Hello?")
    assert history.request() == [Message("user", "Tell me.\nHello?")]


def test_f62_a_greeting_spoken_first_follows_a_neutral_user_turn() -> None:
    history = History()
    replied(history, "Welcome.")
    assert history.messages() == [Message("user", CALL_BEGINS), Message("assistant", "Welcome.")]
    history.caller_said("Hi.")
    assert [m.role for m in history.request()] == ["user", "assistant", "user"]


def test_the_open_reply_is_part_of_a_request_as_planned() -> None:
    history = History()
    history.caller_said("Find it.")
    history.begin_reply()
    history.say("One ")
    history.say("moment.")
    history.call_tools([ToolCall("a", "look_up", {})])
    history.answer_tool(ToolResult("a", "42"))
    assert history.replying
    assert history.request() == [
        Message("user", "Find it."),
        Message("assistant", "One moment.", tool_calls=(ToolCall("a", "look_up", {}),)),
        Message("user", tool_results=(ToolResult("a", "42"),)),
    ]


def test_what_was_heard_of_a_reply_with_tools_is_spread_over_its_texts() -> None:
    history = History()
    history.caller_said("Find it.")
    history.begin_reply()
    history.say("One moment.")
    history.call_tools([ToolCall("a", "look_up", {})])
    history.answer_tool(ToolResult("a", "42"))
    history.say("It is forty two. Anything else?")
    history.heard("One  moment. It is forty")
    assert [m.text for m in history.messages()] == ["Find it.", "One moment.", "", "It is forty"]


def test_a_tool_that_ran_is_remembered_although_nothing_was_heard() -> None:
    history = History()
    history.caller_said("Book it.")
    history.begin_reply()
    history.say("Booking.")
    history.call_tools([ToolCall("a", "book", {})])
    history.answer_tool(ToolResult("a", "booked"))
    history.say("Done.")
    history.heard("")
    history.caller_said("And?")
    assert history.request()[1:] == [
        Message("assistant", tool_calls=(ToolCall("a", "book", {}),)),
        Message("user", "And?", tool_results=(ToolResult("a", "booked"),)),
    ]


def test_f64_a_tool_cancelled_by_the_caller_is_settled_and_its_late_result_dropped() -> None:
    history = History()
    history.caller_said("Find it.")
    history.begin_reply()
    history.call_tools([ToolCall("a", "look_up", {}), ToolCall("b", "look_up", {})])
    history.heard("")
    history.answer_tool(ToolResult("b", "late"))
    history.caller_said("Forget it.")
    last = history.request()[-1]
    assert last.tool_results == tuple(ToolResult(i, CANCELLED, failed=True) for i in "ab")


def test_late_words_of_a_closed_reply_are_dropped() -> None:
    history = History()
    history.caller_said("Hi.")
    replied(history, "Hello.")
    history.say(" And more.")
    history.call_tools([ToolCall("a", "look_up", {})])
    history.heard("And more.")
    assert history.messages()[-1] == Message("assistant", "Hello.")


def test_words_of_the_caller_during_a_reply_follow_it() -> None:
    history = History()
    history.caller_said("Hi.")
    history.begin_reply()
    history.say("Hello.")
    history.caller_said("Mhm.")
    history.say(" How are you?")
    history.heard("Hello. How are you?")
    assert [m.text for m in history.messages()] == ["Hi.", "Hello. How are you?", "Mhm."]


def test_a_reply_that_was_never_closed_counts_as_not_heard() -> None:
    history = History()
    history.caller_said("Hi.")
    history.begin_reply()
    history.say("Lost.")
    replied(history, "Found.")
    assert [m.text for m in history.messages()] == ["Hi.", "Found."]


def test_heard_words_alone_make_a_reply() -> None:
    history = History()
    history.caller_said("Hi.")
    history.begin_reply()
    history.heard("Hello.")
    assert history.messages()[-1] == Message("assistant", "Hello.")


def test_words_are_never_in_a_repr() -> None:
    history = History()
    history.caller_said("my secret")
    assert "secret" not in repr(history.messages())
