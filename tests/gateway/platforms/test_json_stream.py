"""The common part of JSON codecs, seen through a platform made up for the test."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.events import CallEnded, CallerAudio, CallStarted, Digit, Event, PeerError
from gateway.platforms.json_stream import (
    Breach,
    Json,
    JsonStream,
    base64_audio,
    checked_audio,
    integer,
    pressed,
    section,
    text,
    texts,
)
from media.formats import ULAW_8K


class Parrot(JsonStream):
    """A platform that names its messages in `type` and sends audio bare."""

    name_key = "type"
    before_start = frozenset({"hello"})

    def __init__(self) -> None:
        super().__init__({"hello": self._hello, "word": lambda _: [], "fall": self._fall, "bye": self._bye})

    def receive_binary(self, message: bytes) -> list[Event]:
        return [CallerAudio(checked_audio(message, 2))]

    def _hello(self, body: Json) -> list[Event]:
        return self.start(CallStarted("call", "stream", ULAW_8K, ULAW_8K))

    def _fall(self, body: Json) -> list[Event]:
        raise Breach("fell", "down", fatal=True)

    def _bye(self, body: Json) -> list[Event]:
        return self.end("bye")


def test_a_subclass_chooses_names_greeting_and_binary_audio() -> None:
    parrot = Parrot()
    assert parrot.receive('{"type":"word"}') == [PeerError("before_start", "word")]
    assert isinstance(parrot.receive('{"type":"hello"}')[0], CallStarted)
    assert parrot.phase.name == "OPEN"
    assert parrot.receive('{"type":"word"}') == []
    assert parrot.receive(b"\0\0") == [CallerAudio(b"\0\0")]
    assert parrot.receive('{"type":"bye"}') == [CallEnded("bye")]
    assert parrot.phase.name == "OVER"


def test_a_fatal_breach_ends_reading_and_leaves_the_end_to_be_said() -> None:
    parrot = Parrot()
    parrot.receive('{"type":"hello"}')
    assert parrot.receive('{"type":"fall"}') == [PeerError("fell", "down", fatal=True)]
    assert parrot.receive('{"type":"bye"}') == []
    assert parrot.receive_eof() == [CallEnded("closed")]


@pytest.mark.parametrize(
    ("message", "code"), [(b"", "empty_payload"), (b"\0", "odd_payload"), (b"\0" * 16_002, "payload_too_large")]
)
def test_bare_audio_obeys_the_same_rules(message: bytes, code: str) -> None:
    (event,) = Parrot().receive(message)
    assert isinstance(event, PeerError)
    assert event.code == code


def test_the_name_of_an_unknown_message_is_shown_when_it_looks_like_one() -> None:
    assert Parrot().receive('{"type":"new_thing2"}') == [PeerError("unknown_event", "new_thing2")]
    for name in ('"two words"', '"' + "x" * 33 + '"', '"é"', "7"):
        (event,) = Parrot().receive(f'{{"type":{name}}}')
        assert isinstance(event, PeerError)
        assert event.detail.startswith("name is")


@pytest.mark.parametrize(
    ("value", "read"),
    [(8000, 8000), ("8000", 8000), (8000.0, 8000), (None, 7), ("0", 0), (-3, -3), (2**63 - 1, 2**63 - 1)],
)
def test_a_number_may_be_a_string(value: Any, read: int) -> None:
    assert integer({"n": value}, "n", 7) == read


@pytest.mark.parametrize(
    "value",
    ["", "-1", "1.5", " 8", "8" * 20, "9" * 19, 2**63, 1e300, "٣", True, 1.5, float("inf"), float("nan"), [], {}],
)
def test_what_is_no_whole_number_is_a_breach(value: Any) -> None:
    with pytest.raises(Breach) as breach:
        integer({"n": value}, "n", 7)
    assert breach.value.code == "bad_field"


@pytest.mark.parametrize(("value", "read"), [("a", "a"), (7, "7"), (1.5, "1.5"), (None, "x"), ("", ""), ("é", "é")])
def test_text_may_be_a_number(value: Any, read: str) -> None:
    assert text({"t": value}, "t", "x") == read


@pytest.mark.parametrize("value", [True, [], {}, "x" * 1025, "\ud800"])
def test_what_is_no_text_is_a_breach(value: Any) -> None:
    with pytest.raises(Breach) as breach:
        text({"t": value}, "t")
    assert breach.value.code == "bad_field"


@pytest.mark.parametrize("body", [{}, {"s": None}, {"s": []}, {"s": "x"}])
def test_a_missing_section_is_a_breach(body: Json) -> None:
    with pytest.raises(Breach, match="an object is due"):
        section(body, "s")


def test_a_payload_too_long_is_refused_before_it_is_decoded() -> None:
    with pytest.raises(Breach) as breach:
        base64_audio({"p": "*" * 30_000}, "p", 1)
    assert breach.value.code == "payload_too_large"


@given(st.one_of(st.text(), st.binary(), st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists)))
def test_random_messages_never_raise(message: Any) -> None:
    wire = message if isinstance(message, str | bytes) else json.dumps({"type": message})
    for event in Parrot().receive(wire):
        assert isinstance(event, PeerError | CallerAudio)


def test_what_is_owed_is_handed_over_once_and_in_order() -> None:
    parrot = Parrot()
    assert parrot.owed() == []
    parrot.owe("pong")
    parrot.owe(b"\x00")
    assert parrot.owed() == ["pong", b"\x00"]
    assert parrot.owed() == []


@pytest.mark.parametrize(("value", "read"), [("1", "1"), (5, "5"), ("#", "#"), ("a", "A")])
def test_a_key_of_the_pad_is_read(value: Any, read: str) -> None:
    assert pressed({"d": value}, "d") == Digit(read)


@pytest.mark.parametrize("value", [None, "", "12", "x", 10, True])
def test_anything_else_is_no_key(value: Any) -> None:
    with pytest.raises(Breach):
        pressed({"d": value}, "d")


def test_plain_values_are_read_as_text_and_others_left_out() -> None:
    body: dict[str, Any] = {
        "a": "x",
        "n": 7,
        "half": 0.5,
        "yes": True,
        "deep": {},
        "list": [],
        "none": None,
        "ours": "y",
    }
    assert texts(body, {"ours"}) == {"a": "x", "n": "7", "half": "0.5"}
    with pytest.raises(Breach):
        texts({"a": "x" * 1025})
