import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import LlmError
from gateway.llm.sse import MAX_EVENT_BYTES, SseDecoder

CASES: dict[bytes, list[str]] = {
    b"data: a\n\n": ["a"],
    b"data: a\r\n\r\ndata: b\r\n\r\n": ["a", "b"],
    b"data: a\r\rdata: b\r\r": ["a", "b"],
    b"data:a\n\n": ["a"],
    b"data:  two\n\n": [" two"],
    b": a comment\n\ndata: a\n\n": ["a"],
    b"event: x\nid: 7\nretry: 3\ndata: a\n\n": ["a"],
    b"data: a\ndata: b\n\n": ["a\nb"],
    b"data: a\r\ndata: b\r\n\r\n": ["a\nb"],
    b"data\n\n": [""],
    b"data: unfinished": ["unfinished"],
    b"data: unfinished\n": ["unfinished"],
    b"\n\n\n": [],
    b"": [],
    "data: h\u00e9llo \U0001f600\n\n".encode(): ["h\u00e9llo \U0001f600"],
    b"data: \xff\n\n": ["\ufffd"],
}


def decoded(pieces: list[bytes]) -> list[str]:
    decoder = SseDecoder()
    return [event for p in pieces for event in decoder.feed(p)] + decoder.flush()


@pytest.mark.parametrize(("stream", "events"), CASES.items())
def test_events_are_decoded(stream: bytes, events: list[str]) -> None:
    assert decoded([stream]) == events
    assert decoded([stream[i : i + 1] for i in range(len(stream))]) == events


@given(st.lists(st.sampled_from(["data: a", "data: é", ":c", "\r", "\n", "\r\n", "event: x"])), st.data())
def test_any_split_gives_the_same_events(parts: list[str], data: st.DataObject) -> None:
    stream = "".join(parts).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=6)))
    pieces = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert decoded(pieces) == decoded([stream])


def test_an_event_is_given_as_soon_as_it_is_whole() -> None:
    assert SseDecoder().feed(b"data: a\n\ndata: b") == ["a"]


@pytest.mark.parametrize("piece", [b"x" * 1000, b"data: x\n" * 100])
def test_an_event_without_end_is_refused(piece: bytes) -> None:
    with pytest.raises(LlmError) as caught:
        decoded([piece] * (2 * MAX_EVENT_BYTES // len(piece)))
    assert caught.value.code == "corrupt_stream"


def test_comments_without_end_are_no_large_event() -> None:
    decoder = SseDecoder()
    for _ in range(2 * MAX_EVENT_BYTES // 1000):
        assert decoder.feed(b":" + b"x" * 1000 + b"\n") == []
