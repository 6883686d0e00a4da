"""What was said, turn by turn: words, history and record stay in step whatever order things happen in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.call.exchange import Exchange
from gateway.call.record import CallRecord
from gateway.llm.base import Message
from gateway.llm.turns import ask, conform


class Clock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def begun() -> tuple[Exchange, CallRecord, Clock]:
    record, clock = CallRecord("CA1", "twilio", "2026-01-01T00:00:00"), Clock()
    return Exchange(record, clock), record, clock


def said(messages: list[Message]) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in messages]


def test_a_question_and_its_answer_make_one_turn() -> None:
    exchange, record, _ = begun()
    exchange.caller_said("When?")
    assert exchange.unanswered
    exchange.begin_reply()
    assert not exchange.unanswered
    exchange.turn.bot_text = "At nine."
    exchange.replied("At nine.")
    (turn,) = record.turns
    assert (turn.caller_text, turn.bot_text, turn.heard_text) == ("When?", "At nine.", "At nine.")
    assert said(exchange.history.messages()) == [("user", "When?"), ("assistant", "At nine.")]


def test_blank_words_leave_nothing_behind() -> None:
    exchange, record, _ = begun()
    exchange.caller_said(" \n")
    assert not exchange.unanswered
    exchange.close()
    assert record.turns == []
    assert exchange.history.messages() == []


def test_a_reply_that_nobody_heard_leaves_the_question_unanswered_and_its_failure_known() -> None:
    exchange, record, _ = begun()
    exchange.caller_said("When?")
    exchange.begin_reply()
    exchange.turn.failure = "throttled"
    exchange.replied("", interrupted=True)
    assert exchange.unanswered
    assert record.turns == []
    assert (exchange.turn.caller_text, exchange.turn.failure) == ("When?", "throttled")


def test_a_prompt_that_nobody_heard_asks_nothing() -> None:
    exchange, _, _ = begun()
    exchange.begin_reply()
    exchange.replied("", interrupted=True)
    assert not exchange.unanswered


def test_a_reply_that_had_nothing_to_say_answers_all_the_same() -> None:
    exchange, record, _ = begun()
    exchange.caller_said("When?")
    exchange.begin_reply()
    exchange.replied("")
    assert not exchange.unanswered
    assert [turn.caller_text for turn in record.turns] == ["When?"]


@pytest.mark.parametrize("interrupted", [True, False])
def test_words_that_come_during_a_reply_belong_to_the_next_turn(interrupted: bool) -> None:
    exchange, record, _ = begun()
    exchange.caller_said("first")
    exchange.begin_reply()
    exchange.caller_said("second")
    assert exchange.unanswered
    exchange.replied("Yes.", interrupted=interrupted)
    assert exchange.unanswered
    assert [turn.caller_text for turn in record.turns] == ["first"]
    assert exchange.turn.caller_text == "second"
    assert said(exchange.history.messages()) == [("user", "first"), ("assistant", "Yes."), ("user", "second")]


def test_words_that_come_during_an_unheard_reply_join_the_question() -> None:
    exchange, _, _ = begun()
    exchange.caller_said("first")
    exchange.begin_reply()
    exchange.caller_said("second")
    exchange.replied("", interrupted=True)
    assert exchange.turn.caller_text == "first second"


def test_the_end_of_a_turn_is_its_latest_pause_before_the_commit() -> None:
    exchange, _, clock = begun()
    clock.now_s = 5.0
    exchange.caller_paused(0.2)
    clock.now_s = 5.4
    exchange.committed()
    clock.now_s = 7.0
    exchange.caller_paused(0.1)
    clock.now_s = 7.5
    exchange.committed()
    exchange.caller_said("words")
    clock.now_s = 9.0
    exchange.begin_reply()
    exchange.caller_paused(0.1)  # a cough while the bot thinks
    assert exchange.turn.at_s == {"caller_end": 6.9, "committed": 7.5, "final": 7.5}


def test_a_late_recognition_is_no_milestone_of_the_reply_under_way() -> None:
    exchange, _, clock = begun()
    exchange.begin_reply()
    clock.now_s = 3.0
    exchange.caller_said("late")
    assert "final" not in exchange.turn.at_s


def test_a_turn_in_which_only_something_failed_is_recorded() -> None:
    exchange, record, _ = begun()
    exchange.turn.failure = "stt_overdue"
    exchange.close()
    assert [turn.failure for turn in record.turns] == ["stt_overdue"]


STEPS = st.one_of(
    st.tuples(st.just("said"), st.sampled_from(["", "one", "two words"])),
    st.tuples(st.just("begin"), st.just("")),
    st.tuples(st.sampled_from(["heard", "cut"]), st.sampled_from(["", "Some.", "Some more."])),
)


@given(st.lists(STEPS, max_size=30))
def test_any_order_keeps_history_valid_and_loses_no_word_of_the_caller(steps: list[tuple[str, str]]) -> None:
    exchange, record, _ = begun()
    spoken: list[str] = []
    for kind, text in steps:
        if kind == "said":
            exchange.caller_said(text)
            spoken += text.split()
        elif kind == "begin":
            if exchange.history.replying:  # the session interrupts first
                exchange.replied("", interrupted=True)
            exchange.begin_reply()
        else:
            exchange.replied(text if exchange.history.replying else "", interrupted=kind == "cut")
        messages = exchange.history.messages()
        assert conform(messages) == messages
        assert ask(messages)[-1].role == "user"
    exchange.replied("", interrupted=True)
    exchange.close()
    assert " ".join(turn.caller_text for turn in record.turns).split() == spoken
