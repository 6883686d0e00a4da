"""Every field of a request, good and bad."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from media.tts_wire import ErrorCode, WireError
from tts_worker.request import (
    MAX_PRONUNCIATIONS,
    MAX_SPEED,
    MAX_TEXT_CHARS,
    MIN_SPEED,
    Delivery,
    RequestReader,
    request_id,
)
from tts_worker.tone import LANGUAGES, VOICES_HZ

NOW_S = 1_000_000.0
READER = RequestReader(frozenset(VOICES_HZ), LANGUAGES, lambda: NOW_S)


def test_a_bare_text_takes_the_sessions_delivery() -> None:
    defaults = Delivery("low", "es", 1.5, 8_000)
    request = READER.request({"text": "Hola"}, defaults)
    assert request.text == "Hola"
    assert request.delivery == defaults


def test_given_fields_replace_the_sessions() -> None:
    body = {"text": "Hi", "voice": "high", "language": "EN_us", "speed": 2, "sample_rate": 16_000}
    assert READER.request(body, Delivery()).delivery == Delivery("high", "en-us", 2.0, 16_000)


def test_a_field_that_is_null_counts_as_absent() -> None:
    body = {
        "text": "Hi",
        "voice": None,
        "language": None,
        "speed": None,
        "sample_rate": None,
        "request_timestamp": None,
    }
    assert READER.request(body, Delivery()).delivery == Delivery()


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({}, ErrorCode.MISSING_TEXT),
        ({"text": None}, ErrorCode.MISSING_TEXT),
        ({"text": 5}, ErrorCode.BAD_FIELD),
        ({"text": ["a"]}, ErrorCode.BAD_FIELD),
        ({"text": "x" * 100_000}, ErrorCode.TEXT_TOO_LONG),
        ({"text": "x" * (MAX_TEXT_CHARS + 1)}, ErrorCode.TEXT_TOO_LONG),
        ({"text": "a", "voice": "nobody"}, ErrorCode.UNKNOWN_VOICE),
        ({"text": "a", "voice": ["af_heart"]}, ErrorCode.UNKNOWN_VOICE),
        ({"text": "a", "voice": "n" * 1000}, ErrorCode.UNKNOWN_VOICE),
        ({"text": "a", "language": "tlh"}, ErrorCode.UNKNOWN_LANGUAGE),
        ({"text": "a", "language": 7}, ErrorCode.UNKNOWN_LANGUAGE),
        ({"text": "a", "speed": -1}, ErrorCode.BAD_FIELD),
        ({"text": "a", "speed": 0}, ErrorCode.BAD_FIELD),
        ({"text": "a", "speed": MAX_SPEED * 1.01}, ErrorCode.BAD_FIELD),
        ({"text": "a", "speed": 10**400}, ErrorCode.BAD_FIELD),
        ({"text": "a", "speed": float("nan")}, ErrorCode.BAD_FIELD),
        ({"text": "a", "speed": float("inf")}, ErrorCode.BAD_FIELD),
        ({"text": "a", "speed": "fast"}, ErrorCode.BAD_FIELD),
        ({"text": "a", "speed": True}, ErrorCode.BAD_FIELD),
        ({"text": "a", "sample_rate": 44_100}, ErrorCode.BAD_FIELD),
        ({"text": "a", "sample_rate": 8_000.0}, ErrorCode.BAD_FIELD),
        ({"text": "a", "sample_rate": {}}, ErrorCode.BAD_FIELD),
        ({"text": "a", "request_timestamp": "now"}, ErrorCode.BAD_FIELD),
        ({"text": "a", "request_timestamp": True}, ErrorCode.BAD_FIELD),
        ({"text": "a", "request_timestamp": float("nan")}, ErrorCode.BAD_FIELD),
        ({"text": "a", "request_timestamp": NOW_S - 57}, ErrorCode.STALE),
    ],
)
def test_a_bad_field_is_refused_with_its_code_and_a_short_remedy(fields: dict[str, Any], code: ErrorCode) -> None:
    with pytest.raises(WireError) as caught:
        READER.request(fields, Delivery())
    assert caught.value.code is code
    assert 10 < len(str(caught.value)) < 250


@pytest.mark.parametrize("speed", [MIN_SPEED, 1, MAX_SPEED])
def test_speeds_up_to_both_ends_are_taken(speed: float) -> None:
    assert READER.request({"text": "a", "speed": speed}, Delivery()).delivery.speed == speed


def test_a_recent_request_is_taken() -> None:
    READER.request({"text": "a", "request_timestamp": NOW_S - 55}, Delivery())


def test_the_longest_text_is_taken_whole() -> None:
    assert len(READER.request({"text": "x" * MAX_TEXT_CHARS}, Delivery()).text) == MAX_TEXT_CHARS


def test_a_nul_cannot_end_the_text_early_and_offsets_stay_true() -> None:
    text = "Hello\x00 wor\x07ld\nagain\x7f"
    assert READER.request({"text": text}, Delivery()).text == "Hello  wor ld again "


def test_texts_do_not_show_in_a_repr() -> None:
    assert "secret" not in repr(READER.request({"text": "my secret"}, Delivery()))


@pytest.mark.parametrize("given_id", [None, "", "r1", "ü" * 128, 0, -5, 2**62])
def test_an_id_that_can_be_echoed_is_kept(given_id: object) -> None:
    assert request_id({"request_id": given_id}) == given_id


@pytest.mark.parametrize("given_id", [True, 1.5, [], {}, "x" * 129, "a\x00b", 2**64, 10**400])
def test_an_id_that_cannot_be_echoed_is_refused(given_id: object) -> None:
    with pytest.raises(WireError, match="request_id"):
        request_id({"request_id": given_id})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=50),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
FIELDS = st.sampled_from(["text", "voice", "language", "speed", "sample_rate", "request_timestamp", "other"])


@given(st.dictionaries(FIELDS, JSON))
def test_any_object_is_a_request_or_a_wire_error(body: dict[str, Any]) -> None:
    try:
        request = READER.request(body, Delivery())
    except WireError:
        return
    assert len(request.text) == len(body["text"])


def test_pronunciations_are_taken_in_order() -> None:
    given_ = [{"start_char": 0, "end_char": 2, "ipa": " ˈhaɪ "}, {"start_char": 3, "end_char": 6, "ipa": "çã"}]
    request = READER.request({"text": "Hi you", "pronunciations": given_}, Delivery())
    assert [(p.start_char, p.end_char, p.ipa) for p in request.sounds] == [(0, 2, "ˈhaɪ"), (3, 6, "çã")]
    assert READER.request({"text": "Hi", "pronunciations": None}, Delivery()).sounds == ()
    assert "haɪ" not in repr(request)


@pytest.mark.parametrize(
    "bad",
    [
        {},
        "aɪ",
        ["aɪ"],
        [{"start_char": 0, "end_char": 2}],
        [{"start_char": 0, "end_char": 2, "ipa": 7}],
        [{"start_char": "0", "end_char": 2, "ipa": "a"}],
        [{"start_char": False, "end_char": True, "ipa": "a"}],
        [{"start_char": 0.0, "end_char": 2.0, "ipa": "a"}],
        [{"start_char": -1, "end_char": 2, "ipa": "a"}],
        [{"start_char": 2, "end_char": 2, "ipa": "a"}],
        [{"start_char": 0, "end_char": 7, "ipa": "a"}],
        [{"start_char": 0, "end_char": 3, "ipa": "a"}, {"start_char": 2, "end_char": 4, "ipa": "a"}],
        [{"start_char": 3, "end_char": 4, "ipa": "a"}, {"start_char": 0, "end_char": 2, "ipa": "a"}],
        [{"start_char": 0, "end_char": 2, "ipa": ""}],
        [{"start_char": 0, "end_char": 2, "ipa": "ˈ."}],
        [{"start_char": 0, "end_char": 2, "ipa": "ǁa"}],
        [{"start_char": 0, "end_char": 2, "ipa": "a, b"}],
        [{"start_char": 0, "end_char": 2, "ipa": "a" * 101}],
        [{"start_char": 0, "end_char": 1, "ipa": "a"}] * (MAX_PRONUNCIATIONS + 1),
    ],
)
def test_pronunciations_that_cannot_be_spoken_are_refused(bad: object) -> None:
    with pytest.raises(WireError) as refused:
        READER.request({"text": "Hi you", "pronunciations": bad}, Delivery())
    assert refused.value.code is ErrorCode.BAD_FIELD
