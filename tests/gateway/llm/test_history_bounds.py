from gateway.llm.base import Message, ToolCall, ToolResult
from gateway.llm.history import History, HistoryBounds
from tests.gateway.llm.test_history import replied


def test_the_oldest_whole_exchanges_are_forgotten_first() -> None:
    history = History(HistoryBounds(turns=4))
    for number in range(10):
        history.caller_said(f"question {number}")
        replied(history, f"answer {number}")
    assert [m.text for m in history.messages()] == ["question 8", "answer 8", "question 9", "answer 9"]


def test_long_texts_make_the_history_forget_sooner() -> None:
    history = History(HistoryBounds(chars=100))
    for number in range(3):
        history.caller_said(f"{number}" * 30)
        replied(history, "a" * 30)
    assert [m.text[0] for m in history.messages()] == ["2", "a"]


def test_results_of_a_forgotten_exchange_go_with_their_calls() -> None:
    history = History(HistoryBounds(turns=3))
    history.caller_said("one")
    history.begin_reply()
    history.call_tools([ToolCall("a", "look_up", {})])
    history.answer_tool(ToolResult("a", "42"))
    history.heard("")
    history.caller_said("two")
    replied(history, "two it is")
    assert history.messages() == [Message("user", "two"), Message("assistant", "two it is")]


def test_results_of_an_exchange_forgotten_for_the_open_reply_go_with_their_calls() -> None:
    history = History(HistoryBounds(turns=3))
    history.caller_said("one")
    history.begin_reply()
    history.call_tools([ToolCall("a", "look_up", {})])
    history.heard("")
    history.caller_said("two")
    history.begin_reply()
    history.say("two it is")
    assert history.messages() == [Message("user", "two"), Message("assistant", "two it is")]


def test_an_endless_round_of_tools_forgets_its_first_rounds() -> None:
    history = History(HistoryBounds(turns=5))
    history.caller_said("Find it.")
    history.begin_reply()
    for number in range(6):
        history.call_tools([ToolCall(f"t{number}", "look_up", {})])
        history.answer_tool(ToolResult(f"t{number}", "no"))
    assert [c.call_id for m in history.request() for c in m.tool_calls] == ["t4", "t5"]


def test_of_endless_words_of_the_caller_the_newest_are_kept() -> None:
    history = History(HistoryBounds(text_chars=50))
    for number in range(100):
        history.caller_said(f"word{number}")
    (message,) = history.messages()
    assert len(message.text) <= 50
    assert message.text.endswith("word99")


def test_the_newest_exchange_is_kept_whatever_its_size() -> None:
    history = History(HistoryBounds(chars=10))
    history.caller_said("a question longer than that")
    assert history.messages() == [Message("user", "a question longer than that")]
