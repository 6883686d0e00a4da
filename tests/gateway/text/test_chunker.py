"""SentenceChunker against the table, in every split, and its bounds."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.text.chunker import SentenceChunker
from gateway.text.piece import MAX_PIECE_CHARS
from tests.gateway.text.tables import Case, cases

_CASES = cases("chunking", "sentences")


def sentences(parts: list[str], language: str = "en") -> list[str]:
    chunker = SentenceChunker(language)
    done = [sentence for part in parts for sentence in chunker.feed(part)]
    return done + chunker.flush()


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case.name)
def test_a_reply_is_cut_into_its_sentences_whole_and_by_character(case: Case) -> None:
    assert sentences([case.text], case.lang) == list(case.right)
    assert sentences(list(case.text), case.lang) == list(case.right)


@st.composite
def _split_cases(draw: st.DrawFn) -> tuple[Case, list[str]]:
    case = draw(st.sampled_from(_CASES))
    cuts = sorted(draw(st.sets(st.integers(0, len(case.text)), max_size=12)))
    edges = [0, *cuts, len(case.text)]
    return case, [case.text[a:b] for a, b in zip(edges, edges[1:], strict=False)]


@settings(max_examples=200, deadline=None)
@given(_split_cases())
def test_any_split_of_a_reply_gives_the_same_sentences(split: tuple[Case, list[str]]) -> None:
    case, parts = split
    assert sentences(parts, case.lang) == list(case.right)


_PIECES = st.sampled_from(
    [
        "Dr. ",
        "3.",
        "5 ",
        "no. ",
        '"',
        "'",
        "(",
        ")",
        "“",
        "”",
        "?",
        "! ",
        "...",
        "…",
        "\n",
        " ",
        "a.m. ",
        "U.S. ",
        "word",
    ]
    + ["Word ", "x, ", "。", "「", "」", "🎉", "**", "<b ", ">", "`", "é", "9" * 40, "long" * 40, "हाँ।", ": ", "— "]
)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(_PIECES, max_size=60), st.sampled_from(["en", "id", "hi", "zh", "xx"]), st.booleans(), st.integers(1, 9)
)
def test_hostile_text_loses_nothing_keeps_the_bound_and_does_not_depend_on_the_split(
    pieces: list[str], language: str, first_clause: bool, step: int
) -> None:
    text = "".join(pieces)
    whole, stepped = (SentenceChunker(language, first_clause=first_clause) for _ in range(2))
    done = whole.feed(text) + whole.flush()
    parts = [text[at : at + step] for at in range(0, len(text), step)]
    assert [s for part in parts for s in stepped.feed(part)] + stepped.flush() == done
    assert "".join("".join(done).split()) == "".join(text.split())
    assert all(0 < len(sentence) <= MAX_PIECE_CHARS and sentence == sentence.strip() for sentence in done)


@pytest.mark.parametrize(
    "unit", ["word ", "W.", "Mr. ", "a. ", "!", '"', "(", "9", "… ", "x", "  ", "Dr. A. B. e.g. ", "e, "]
)
def test_work_grows_linearly_with_length(unit: str) -> None:
    def examined(chars: int) -> int:
        chunker = SentenceChunker()
        for char in (unit * chars)[:chars]:
            chunker.feed(char)
        chunker.flush()
        return chunker.examined_chars

    assert examined(20_000) <= 5 * 20_000
    assert examined(20_000) <= 2.1 * examined(10_000)


def test_a_hundred_thousand_characters_one_at_a_time_cost_a_few_looks_each() -> None:
    chunker = SentenceChunker()
    text = (
        "Your order no. 20817 left at 9 a.m. from the U.S. depot, e.g. by van (see p. 4.). Dr. Lee has it now. " * 1000
    )[:100_000]
    for char in text:
        chunker.feed(char)
    assert chunker.examined_chars <= 3 * len(text)
