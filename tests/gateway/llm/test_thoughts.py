import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.llm.thoughts import ThoughtFilter

CASES = {
    "Hello.": "Hello.",
    "\n\n Hello. ": "Hello. ",
    "<think>secret</think>\n\nHello.": "Hello.",
    "<thinking>a < b </think> still</thinking>Hello.": "Hello.",
    "Well, <think>hmm</think>yes.": "Well, yes.",
    "<think>a</think><think>b</think>c": "c",
    "2 < 3 and <b>bold</b>": "2 < 3 and <b>bold</b>",
    "<<think>x</think>": "<",
    "a <thin": "a <thin",
    "<think>never ends": "",
    "": "",
    "   ": "",
}


def filtered(pieces: list[str]) -> str:
    thoughts = ThoughtFilter()
    return "".join(thoughts.feed(p) for p in pieces) + thoughts.flush()


@pytest.mark.parametrize(("text", "spoken"), CASES.items())
def test_thoughts_are_not_spoken(text: str, spoken: str) -> None:
    assert filtered([text]) == spoken
    assert filtered(list(text)) == spoken


@given(st.lists(st.sampled_from(["<think>", "</think>", "<thinking>", "</thinking>", "<", ">", "a ", " "])), st.data())
def test_any_split_gives_the_same_text(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert filtered(pieces) == filtered([text])


def test_text_without_a_bracket_is_passed_on_at_once() -> None:
    assert ThoughtFilter().feed("Hello") == "Hello"


def test_a_long_thought_is_not_kept() -> None:
    thoughts = ThoughtFilter()
    thoughts.feed("<think>")
    for _ in range(1000):
        assert thoughts.feed("thinking hard ") == ""
    assert thoughts.feed("</think>Yes.") == "Yes."
