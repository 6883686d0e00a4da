"""Deepgram's messages: read, replaced by those that follow, or refused with a reason."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.errors import SttError
from gateway.stt.cloud.words import Words
from gateway.stt.deepgram_wire import DeepgramWire
from tests.rig.deepgram import Ears
from tests.rig.tones import silence, spoken

VECTORS = Path(__file__).parents[2] / "vectors" / "deepgram"


def vectors(name: str) -> list[Any]:
    return [pytest.param(vector, id=vector["name"]) for vector in json.loads((VECTORS / name).read_text("utf-8"))]


def message(*words: str, start: float = 0.0, duration: float = 1.0, **flags: bool) -> str:
    """Results with words spread evenly."""
    step_s = duration / max(1, len(words))
    timed = [{"word": w, "start": start + n * step_s, "end": start + (n + 1) * step_s} for n, w in enumerate(words)]
    channel = {"alternatives": [{"transcript": " ".join(words), "words": timed}]}
    return json.dumps({"type": "Results", "start": start, "duration": duration, "channel": channel, **flags})


def heard(*messages: str) -> Words:
    wire, words = DeepgramWire(), Words("en")
    for text in messages:
        words.take(wire.read(text))
    return words


@pytest.mark.parametrize("vector", vectors("messages.json"))
def test_a_message_is_read(vector: dict[str, Any]) -> None:
    results = DeepgramWire().read(json.dumps(vector["message"]))
    assert [
        {
            "start_s": result.start_s,
            "end_s": pytest.approx(result.end_s),
            "final": result.final,
            "words": [[item.text, item.start_s, item.end_s] for item in result.items],
        }
        for result in results
    ] == vector["expected"]


@pytest.mark.parametrize("vector", vectors("broken.json"))
def test_its_broken_twin_is_an_error_of_the_stream(vector: dict[str, Any]) -> None:
    with pytest.raises(SttError) as caught:
        DeepgramWire().read(vector["message"])
    assert (caught.value.code, caught.value.retryable) == ("deepgram_bad_message", True)


def test_a_fault_is_told_in_its_own_words_but_not_in_many() -> None:
    fault = {"type": "Error", "variant": "MEMORY", "description": "went wrong", "message": "x" * 1000}
    with pytest.raises(SttError) as caught:
        DeepgramWire().read(json.dumps(fault))
    assert (caught.value.code, caught.value.retryable) == ("deepgram_failed", True)
    assert caught.value.detail.startswith("MEMORY: went wrong: x")
    assert len(caught.value.detail) == 200


FIELDS = st.sampled_from(["start", "duration", "channel", "alternatives", "words", "word", "end", "transcript"])
SCALARS = st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5)
JSON = st.recursive(SCALARS, lambda x: st.lists(x, max_size=3) | st.dictionaries(FIELDS, x, max_size=6), max_leaves=12)


@given(st.dictionaries(FIELDS, JSON) | st.fixed_dictionaries({"start": JSON, "duration": JSON, "channel": JSON}))
def test_whatever_is_in_a_message_it_is_read_or_refused(fields: dict[str, Any]) -> None:
    with suppress(SttError):
        assert len(DeepgramWire().read(json.dumps({"type": "Results", **fields}))) == 1


def test_an_interim_result_is_replaced_until_it_is_final() -> None:
    words = heard(message("ice"), message("I", "scream", duration=1.5), message("ice", "cream", is_final=True))
    assert words.text(0.0) == "ice cream"


@pytest.mark.parametrize("start", [0.0, 0.02, 0.4])
def test_an_interim_result_is_replaced_by_its_final_one_wherever_that_begins(start: float) -> None:
    words = heard(message("I", "scream"), message("ice", "cream", start=start, is_final=True))
    assert words.text(0.0) == "ice cream"


def test_finals_follow_each_other() -> None:
    words = heard(
        message("what", "time", is_final=True),
        message("do", start=1.0),
        message("do", "you", start=1.0, is_final=True),
        message("open", start=2.0, is_final=True, speech_final=True),
    )
    assert words.text(0.0) == "what time do you open"
    assert words.final_upto_s == 3.0


def test_a_final_result_stays_though_the_next_begins_a_little_before_its_end() -> None:
    words = heard(message("what", "time", is_final=True), message("do", start=0.98), message("do", "you", start=0.98))
    assert words.text(0.0) == "what time do you"


def test_a_final_result_for_less_gives_the_rest_back_to_the_next() -> None:
    words = heard(
        message("what", "time", "do", "you", duration=4.0),
        message("what", "time", duration=2.0, is_final=True),
        message("do", "you", "open", start=2.0, duration=3.0),
    )
    assert words.text(0.0) == "what time do you open"


def test_an_empty_answer_to_a_finalize_erases_no_words() -> None:
    words = heard(message("yes"), message(is_final=True, from_finalize=True))
    assert words.text(0.0) == "yes"
    assert words.final_upto_s == 1.0


def test_words_behind_an_empty_answer_to_a_finalize_are_told_once() -> None:
    words = heard(message("yes"), message(is_final=True, from_finalize=True), message("yes", is_final=True))
    assert words.text(0.0) == "yes"


def test_an_empty_final_result_of_the_services_own_takes_back_what_it_had_guessed() -> None:
    words = heard(message("yes"), message(is_final=True, speech_final=True))
    assert words.text(0.0) == ""
    assert words.final_upto_s == 1.0


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(1, 9_000), st.booleans()), max_size=12))
def test_every_word_is_told_once_wherever_the_sound_is_cut_and_finalised(cuts: list[tuple[int, bool]]) -> None:
    """Only silence is finalised in, as at a pause: a word that is cut in two may be told twice by any recogniser."""
    pcm = spoken("what time do you open yes") + silence(400)
    ears, wire, words, at = Ears(300), DeepgramWire(), Words("en"), 0
    for size, finalised in [*cuts, (len(pcm), True)]:
        for text in ears.audio(pcm[at : at + 2 * size]):
            words.take(wire.read(text))
        at += 2 * size
        if finalised and not any(pcm[max(0, min(at, len(pcm)) - 640) : at]):
            for text in ears.finalize():
                words.take(wire.read(text))
    assert words.text(0.0) == "what time do you open yes"
