"""Any text is cut and spoken without an exception, without loss, and without a mark a voice would stumble over."""

import os
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.text.chunker import SentenceChunker
from gateway.text.piece import MAX_PIECE_CHARS
from gateway.text.speakable import speak

pytestmark = pytest.mark.fuzz

_EXAMPLES = int(os.environ.get("VOICEBOT_FUZZ_EXAMPLES", "500"))
_LANGUAGES = st.sampled_from(["en", "id", "es", "fr", "it", "pt", "hi", "ja", "zh", "xx"])
_SCRAPS = (
    [
        "$",
        "€",
        "Rp",
        "1",
        "0",
        "12",
        "345",
        "2025",
        ".",
        ",",
        ":",
        "-",
        "–",
        "/",
        " ",
        "\n",
        "*",
        "**",
        "_",
        "`",
        "#",
        "[",
        "]",
    ]
    + [
        "(",
        ")",
        "%",
        "°C",
        "kg",
        "am",
        "p.m.",
        "Dr.",
        "No.",
        "St.",
        "@",
        "x.com",
        "www.",
        "http://",
        "II",
        "ATM",
        "½",
        "२",
        "²",
    ]
    + [
        "🎉",
        "👨‍👩‍👧",
        "→",
        "|",
        "~",
        "<b>",
        "&amp;",
        "\\",
        "é",
        "हाँ",
        "。",
        "「",
        "」",
        "s.d.",
        "h",
        "'",
        '"',
        "“",
        "”",
        "word",
        "Word",
    ]
)
_TEXT = st.one_of(st.text(max_size=80), st.lists(st.sampled_from(_SCRAPS), max_size=40).map("".join))


@settings(max_examples=_EXAMPLES, deadline=None)
@given(_TEXT, _LANGUAGES)
def test_anything_is_spoken_or_dropped_and_every_word_has_a_place(text: str, language: str) -> None:
    spoken = speak(text, language)
    for mark in spoken.text:
        assert mark not in "*#_`[]"
        assert unicodedata.category(mark)[0] != "S"
        if language not in ("ja", "zh", "xx"):
            assert not mark.isdigit()
    ends = [(span.end, span.origin_end) for span in spoken.spans]
    assert all(0 <= span.start < span.end <= len(spoken.text) for span in spoken.spans)
    assert all(0 <= span.origin_start < span.origin_end <= len(text) for span in spoken.spans)
    assert [end for end, _ in ends] == sorted(end for end, _ in ends)
    covered = "".join(spoken.text[span.start : span.end] for span in spoken.spans)
    assert covered.replace(" ", "") == spoken.text.replace(" ", "")


@settings(max_examples=_EXAMPLES, deadline=None)
@given(_TEXT, _LANGUAGES, st.booleans(), st.integers(1, 7))
def test_any_text_is_cut_without_loss_whatever_the_deltas(text: str, language: str, early: bool, step: int) -> None:
    whole, stepped = (SentenceChunker(language, first_clause=early) for _ in range(2))
    done = whole.feed(text) + whole.flush()
    parts = [text[at : at + step] for at in range(0, len(text), step)]
    assert [piece for part in parts for piece in stepped.feed(part)] + stepped.flush() == done
    assert "".join("".join(done).split()) == "".join(text.split())
    assert all(0 < len(piece) <= MAX_PIECE_CHARS for piece in done)
