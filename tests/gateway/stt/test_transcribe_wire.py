"""Transcribe's frames: ours are read by an independent decoder, theirs are read or refused with a reason."""

import json

import pytest

pytest.importorskip("botocore", reason="Transcribe needs boto3")

from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import SttError
from gateway.stt.transcribe_wire import audio_event, read_message
from tests.rig.event_stream import encode_message
from tests.rig.signed_events import decode_message

EVENT = {":message-type": "event", ":event-type": "TranscriptEvent", ":content-type": "application/json"}
WORD = {"Content": "Hello", "Type": "pronunciation", "StartTime": 0.2, "EndTime": 0.5}
MARK = {"Content": ".", "Type": "punctuation", "StartTime": 0.5, "EndTime": 0.5}
RESULT = {
    "ResultId": "r1",
    "StartTime": 0.2,
    "EndTime": 0.5,
    "IsPartial": False,
    "Alternatives": [{"Transcript": "Hello.", "Items": [WORD, MARK]}],
    "LanguageCode": "en-US",
}


def transcript(*results: object) -> bytes:
    return encode_message(EVENT, json.dumps({"Transcript": {"Results": results}}).encode())


@given(st.binary(max_size=4000))
def test_audio_travels_whole_in_an_event(pcm: bytes) -> None:
    headers, payload = decode_message(audio_event(pcm))
    assert payload == pcm
    assert headers == {
        ":content-type": "application/octet-stream",
        ":event-type": "AudioEvent",
        ":message-type": "event",
    }


def test_a_result_tells_its_words_their_times_and_language() -> None:
    (result,) = read_message(transcript(RESULT))
    assert (result.result_id, result.final, result.language) == ("r1", True, "en")
    assert [(item.text, item.start_s, item.is_mark) for item in result.items] == [
        ("Hello", 0.2, False),
        (".", 0.5, True),
    ]


def test_an_event_without_results_is_none() -> None:
    assert read_message(transcript()) == []


def test_an_exception_is_told_by_its_name_and_may_be_tried_again() -> None:
    headers = {":message-type": "exception", ":exception-type": "LimitExceededException"}
    with pytest.raises(SttError) as caught:
        read_message(encode_message(headers, b'{"Message":"too many streams"}'))
    assert (caught.value.code, caught.value.retryable) == ("transcribe_failed", True)
    assert caught.value.detail == "LimitExceededException: too many streams"


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"junk",
        transcript(RESULT)[:-1],
        transcript(RESULT)[:-4] + b"\0\0\0\0",
        encode_message(EVENT, b"no JSON"),
        encode_message(EVENT, b"[]"),
        transcript({"ResultId": "r1"}),
        transcript({**RESULT, "StartTime": "soon"}),
        transcript({**RESULT, "EndTime": float("nan")}),
        encode_message(EVENT, b"[" * 20_000),
        transcript({**RESULT, "Alternatives": [{"Items": [{}]}]}),
    ],
)
def test_what_is_no_message_of_this_protocol_is_an_error_of_the_stream(message: bytes) -> None:
    with pytest.raises(SttError) as caught:
        read_message(message)
    assert (caught.value.code, caught.value.retryable) == ("transcribe_bad_message", True)
