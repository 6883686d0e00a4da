"""Words by their times: results replace each other, and every word belongs to exactly one utterance."""

from hypothesis import given
from hypothesis import strategies as st

from gateway.stt.cloud.base import Item, Result
from gateway.stt.cloud.words import MAX_RESULTS, Words


def result(result_id: str, *words: tuple[str, float], final: bool = False) -> Result:
    items = tuple(Item(text, at_s, at_s + 0.2, text in ".,?") for text, at_s in words)
    return Result(result_id, items[0].start_s, items[-1].end_s, final, items)


def test_a_later_result_replaces_the_one_of_its_id() -> None:
    words = Words("en")
    words.take([result("a", ("I", 0.0), ("scream", 0.3))])
    words.take([result("a", ("ice", 0.0), ("cream", 0.3), (".", 0.5), final=True)])
    assert words.text(0.0) == "ice cream."
    assert words.final_upto_s == words.upto_s == 0.7


def test_languages_without_spaces_are_joined_without() -> None:
    words = Words("zh")
    words.take([result("a", ("你", 0.0), ("好", 0.3))])
    assert words.text(0.0) == "你好"


def test_a_new_stream_tells_again_what_began_after_its_start() -> None:
    words = Words("en")
    words.take([result("a", ("one", 0.0), ("two", 1.0), ("three", 2.0))])
    words.restart(1.0)
    assert words.text(0.0) == "one"
    words.take([result("b", ("two", 1.0), ("three", 2.0))])
    assert words.text(0.0) == "one two three"


def test_results_of_two_streams_are_two_though_the_streams_number_them_alike() -> None:
    words = Words("en")
    words.take([result("1", ("one", 0.0))])
    words.restart(1.0)
    words.take([result("1", ("two", 1.0))])
    assert words.text(0.0) == "one two"


def test_a_final_result_without_words_says_that_there_are_none() -> None:
    words = Words("en")
    words.take([result("a", ("um", 0.0)), Result("a", 0.0, 1.5, True, ())])
    assert words.text(0.0) == ""
    assert words.final_upto_s == words.upto_s == 1.5
    words.restart(1.0)
    assert words.final_upto_s == 1.0


def test_a_result_without_words_that_may_still_change_says_nothing_for_good() -> None:
    words = Words("en")
    words.take([Result("a", 0.0, 1.5, False, ())])
    assert (words.upto_s, words.final_upto_s) == (1.5, 0.0)


def test_of_a_service_that_talks_without_end_the_last_words_are_kept() -> None:
    words = Words("en")
    for n in range(3 * MAX_RESULTS):
        words.take([result(str(n), (f"w{n}", float(n)), final=True)])
    assert words.text(0.0).split() == [f"w{n}" for n in range(2 * MAX_RESULTS, 3 * MAX_RESULTS)]


def test_the_language_is_the_services_where_it_tells_one() -> None:
    words = Words("en")
    assert words.spoken == "en"
    words.take([Result("a", 0.0, 0.2, True, (Item("ya", 0.0, 0.2, False),), "id")])
    assert words.spoken == "id"


@given(st.lists(st.floats(0.0, 30.0), max_size=5), st.integers(1, 40))
def test_every_word_is_in_one_utterance_wherever_the_commits_fall(commits: list[float], count: int) -> None:
    words = Words("en")
    words.take([result(f"r{n // 7}", *((f"w{k}", 0.7 * k) for k in range(n - n % 7, n + 1))) for n in range(count)])
    edges = [0.0, *sorted(commits), float("inf")]
    said = [words.text(begin, end) for begin, end in zip(edges, edges[1:], strict=False)]
    assert " ".join(filter(None, said)).split() == [f"w{n}" for n in range(count)]
