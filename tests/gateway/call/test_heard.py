"""What was heard of a reply: at every moment the words that have sounded, in the model's own spelling."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.call.heard import Heard
from gateway.text.speakable import speak
from tests.rig.voice import CHAR_S, words_of

WRITTEN = "It costs 20 dollars on Monday."


def begun(written: str = WRITTEN, timed: bool = True) -> tuple[Heard, float]:
    heard, spoken = Heard(), speak(written, "en")
    heard.begin(1, written, spoken)
    if timed:
        heard.timed(1, words_of(spoken.text))
    total_s = len(spoken.text) * CHAR_S
    heard.queued(1, total_s, whole=True)
    return heard, total_s


def test_nothing_is_heard_before_anything_sounded() -> None:
    assert begun()[0].text() == ""


def test_all_is_heard_when_all_has_sounded() -> None:
    heard, total_s = begun()
    heard.played(1, total_s)
    assert heard.text() == WRITTEN == heard.written()


def test_a_word_counts_once_most_of_it_has_sounded() -> None:
    heard, _ = begun("One two three.")
    heard.played(1, CHAR_S * 5.4)  # "two" is characters 4 to 7
    assert heard.text() == "One"
    heard.played(1, CHAR_S * 5.6)
    assert heard.text() == "One two"


def test_an_expanded_number_is_heard_whole_or_not_at_all() -> None:
    heard, total_s = begun()
    texts = set()
    for step in range(200):
        heard.played(1, total_s * step / 200)
        texts.add(heard.text())
    assert all(WRITTEN.startswith(text) for text in texts)
    assert "It costs 2" not in texts


def test_an_acknowledged_mark_means_all_of_it() -> None:
    heard, _ = begun()
    heard.reached(1)
    assert heard.text() == WRITTEN


def test_the_mark_of_a_sentence_that_failed_half_way_means_what_was_synthesised() -> None:
    spoken = speak("One two three four.", "en")
    heard = Heard()
    heard.begin(1, "One two three four.", spoken)
    heard.timed(1, words_of("One two"))
    heard.queued(1, 7 * CHAR_S, whole=False)
    heard.reached(1)
    heard.played(1, 7 * CHAR_S)
    assert heard.text() == "One two"


def test_without_word_times_time_is_shared_out_by_characters_and_the_broken_word_given_up() -> None:
    heard, total_s = begun("One two three four.", timed=False)
    heard.played(1, total_s * 0.5)
    assert heard.text() == "One two"
    heard.played(1, total_s * 0.1)
    assert heard.text() == ""


def test_without_word_times_and_without_audio_nothing_is_heard() -> None:
    spoken = speak("One two.", "en")
    heard = Heard()
    heard.begin(1, "One two.", spoken)
    heard.played(1, 0.1)
    assert heard.text() == ""


def test_facts_about_utterances_of_another_reply_mean_nothing() -> None:
    heard, _ = begun()
    heard.timed(9, ())
    heard.queued(9, 1.0, whole=True)
    heard.played(9, 1.0)
    heard.reached(9)
    assert heard.text() == ""


@given(
    st.lists(st.sampled_from(["one", "20%", "Dr. Who", "$5", "ok 😀", "3.5", "Jakarta"]), min_size=1, max_size=8),
    st.floats(0, 1),
    st.booleans(),
)
def test_at_any_moment_it_is_a_prefix_in_words_and_grows_with_time(parts: list[str], share: float, timed: bool) -> None:
    written = " ".join(parts) + "."
    heard, total_s = begun(written, timed)
    heard.played(1, total_s * share)
    earlier = heard.text()
    assert written.startswith(earlier)
    assert not earlier or not written[len(earlier) : len(earlier) + 1].isalnum()  # never in the middle of a word
    heard.played(1, total_s)
    assert heard.text().startswith(earlier)


@pytest.mark.parametrize("count", [2, 3])
def test_sentences_are_joined_in_order(count: int) -> None:
    heard = Heard()
    for number in range(count):
        heard.begin(number, f"Number {number}.", speak(f"Number {number}.", "en"))
        heard.queued(number, 1.0, whole=True)
        heard.played(number, 1.0)
    assert heard.text() == " ".join(f"Number {n}." for n in range(count))
