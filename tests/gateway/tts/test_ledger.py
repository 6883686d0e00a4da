"""The client's half of the session, frame by frame."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import TtsError
from gateway.tts.base import Delivery, SpeechAudio, SpeechBegan, SpeechDone, SpeechEvent, SpeechFailed, SpeechWords
from gateway.tts.ledger import HIGH_MARK_S, MAX_WAITING, Ledger
from media.pronunciation import Pronunciation
from media.tts_wire import Type, encode_control, tag_audio

WORD = {"text": "Hi", "start_s": 0.0, "end_s": 0.1, "start_char": 0, "end_char": 2}


def connected(outstanding: int = 3, rate_hz: int = 24_000) -> Ledger:
    ledger = Ledger("af_heart", "en", 1.0, rate_hz, outstanding)
    reconnect(ledger)
    return ledger


def reconnect(ledger: Ledger) -> None:
    ledger.connect()
    say(ledger, Type.SESSION, protocol=1, framing="tagged", sample_rate=ledger.rate_hz)


def say(ledger: Ledger, kind: Type, **fields: Any) -> None:
    ledger.receive(encode_control(kind, **fields), 1.0)


def sent(ledger: Ledger) -> list[dict[str, Any]]:
    messages = []
    while (message := ledger.take()) is not None:
        messages.append(json.loads(message))
    return messages


def told(ledger: Ledger) -> list[SpeechEvent]:
    events = []
    while (event := ledger.next_event()) is not None:
        events.append(event)
    return events


def test_the_first_message_asks_for_tagged_framing_and_the_calls_voice() -> None:
    assert json.loads(Ledger("bf_emma", "en-gb", 1.1, 8_000, 3).connect()) == {
        "type": "session",
        "protocol": 1,
        "framing": "tagged",
        "voice": "bf_emma",
        "language": "en-gb",
        "speed": 1.1,
        "sample_rate": 8_000,
    }


def test_nothing_is_sent_before_the_worker_accepts_the_session() -> None:
    ledger = Ledger("af_heart", "en", 1.0, 24_000, 3)
    ledger.add("Hi", 0.0)
    ledger.connect()
    assert sent(ledger) == []
    say(ledger, Type.SESSION, protocol=1, framing="tagged", sample_rate=ledger.rate_hz)
    assert sent(ledger) == [{"type": "synthesize", "text": "Hi", "request_id": "1"}]


def test_no_more_than_the_look_ahead_is_sent_until_one_is_done() -> None:
    ledger = connected(outstanding=2)
    for text in "abcd":
        ledger.add(text, 0.0)
    assert [message["text"] for message in sent(ledger)] == ["a", "b"]
    say(ledger, Type.SYNTHESIS_COMPLETE, request_id="1", number=1, samples=0)
    assert [message["text"] for message in sent(ledger)] == ["c"]


def test_audio_passes_only_after_its_request_has_started() -> None:
    ledger = connected()
    ledger.add("Hi", 0.0)
    sent(ledger)
    ledger.receive(tag_audio(1, b"early"), 1.0)
    assert told(ledger) == []
    say(ledger, Type.SYNTHESIS_START, request_id="1", number=1)
    ledger.receive(tag_audio(1, b"\x01\x02"), 1.0)
    ledger.receive(tag_audio(2, b"other"), 1.0)
    assert told(ledger) == [SpeechBegan(1), SpeechAudio(1, b"\x01\x02")]


def test_a_cancel_clears_what_was_received_and_tells_the_worker_once() -> None:
    ledger = connected()
    for text in "abcd":
        ledger.add(text, 0.0)
    sent(ledger)
    say(ledger, Type.SYNTHESIS_START, request_id="1", number=1)
    ledger.cancel()
    ledger.cancel()
    assert sent(ledger) == [{"type": "cancel"}]
    ledger.receive(tag_audio(1, b"\x01\x02"), 1.0)
    say(ledger, Type.WORDS, request_id="1", number=1, words=[WORD])
    say(ledger, Type.CANCELLED, request_id="1", number=1, samples=0)
    say(ledger, Type.SYNTHESIS_COMPLETE, request_id="2", number=2, samples=0)
    assert told(ledger) == []
    assert ledger.waits_since_s is None


def test_a_cancel_with_nothing_at_the_worker_sends_nothing() -> None:
    ledger = connected()
    ledger.add("a", 0.0)
    ledger.cancel()
    assert sent(ledger) == []


def test_words_are_told_again_with_those_before() -> None:
    ledger = connected()
    ledger.add("Hi", 0.0)
    sent(ledger)
    for _ in range(2):
        say(ledger, Type.WORDS, request_id="1", number=1, words=[WORD])
    assert [len(event.words) for event in told(ledger) if isinstance(event, SpeechWords)] == [1, 2]


@given(whole=st.binary(min_size=1, max_size=400), cut=st.integers(0, 400), data=st.data())
def test_after_a_loss_at_any_byte_the_audio_continues_exactly(whole: bytes, cut: int, data: st.DataObject) -> None:
    """Chop: frames of any size, odd ones too, before and after the loss."""
    ledger = connected()
    ledger.add("Hi", 0.0)
    heard = b""
    for upto in (min(cut, len(whole)), len(whole)):
        sent(ledger)
        say(ledger, Type.SYNTHESIS_START, request_id="1", number=1)
        at = 0
        while at < upto:
            size = data.draw(st.integers(1, upto - at))
            ledger.receive(tag_audio(1, whole[at : at + size]), 1.0)
            at += size
        if upto < len(whole):
            ledger.disconnect(1.0)
            reconnect(ledger)
    say(ledger, Type.SYNTHESIS_COMPLETE, request_id="1", number=1, samples=len(whole) // 2)
    events = told(ledger)
    heard = b"".join(event.pcm for event in events if isinstance(event, SpeechAudio))
    if cut < len(whole):
        assert heard == whole
        assert events[0] == SpeechBegan(1)
        assert events[-1] == SpeechDone(1, len(whole) // 2)
        assert len([event for event in events if isinstance(event, SpeechBegan)]) == 1


def test_after_a_loss_unfinished_requests_are_asked_again_in_order() -> None:
    ledger = connected(outstanding=2)
    for text in "abcd":
        ledger.add(text, 0.0)
    sent(ledger)
    say(ledger, Type.SYNTHESIS_COMPLETE, request_id="1", number=1, samples=0)
    sent(ledger)
    ledger.disconnect(2.0)
    ledger.disconnect(3.0)
    reconnect(ledger)
    assert [message["text"] for message in sent(ledger)] == ["b", "c"]


def test_words_are_not_told_twice_after_a_loss() -> None:
    ledger = connected()
    ledger.add("Hi", 0.0)
    sent(ledger)
    say(ledger, Type.WORDS, request_id="1", number=1, words=[WORD])
    ledger.disconnect(1.0)
    reconnect(ledger)
    sent(ledger)
    say(ledger, Type.WORDS, request_id="1", number=1, words=[WORD])
    assert len(told(ledger)) == 1


def test_a_refused_request_fails_and_the_next_goes_on() -> None:
    ledger = connected()
    ledger.add("a", 0.0)
    ledger.add("b", 0.0)
    sent(ledger)
    say(ledger, Type.ERROR, code="text_too_long", message="split it", request_id="1")
    say(ledger, Type.SYNTHESIS_COMPLETE, request_id="2", number=1, samples=0)
    assert told(ledger) == [SpeechFailed(1, "text_too_long", "split it"), SpeechDone(2, 0)]


def test_an_error_of_no_request_changes_nothing() -> None:
    ledger = connected()
    say(ledger, Type.ERROR, code="bad_json", message="what?")
    assert told(ledger) == []
    assert ledger.ready


@pytest.mark.parametrize(
    ("frame", "code", "retryable"),
    [
        (encode_control(Type.ERROR, code="busy", message="full"), "busy", True),
        (encode_control(Type.ERROR, code="engine_lost", message="it hangs", request_id="1"), "engine_lost", True),
        (encode_control(Type.ERROR, code="unknown_voice", message="no"), "unknown_voice", False),
        (encode_control(Type.SESSION, framing="raw", sample_rate=24_000), "worker_protocol", True),
        (encode_control(Type.SESSION, framing="tagged", sample_rate=8_000), "worker_protocol", True),
        (encode_control(Type.SESSION), "worker_protocol", True),
        ("[1]", "worker_protocol", True),
        ("{}", "worker_protocol", True),
        (b"{", "worker_protocol", True),
        (b"\x02\x00\x00\x00\x00\x00\x00\x01pcm", "worker_protocol", True),
        (b"", "worker_protocol", True),
    ],
)
def test_a_worker_that_breaks_the_rules_costs_the_connection(frame: str | bytes, code: str, retryable: bool) -> None:
    ledger = Ledger("af_heart", "en", 1.0, 24_000, 3)
    ledger.connect()
    with pytest.raises(TtsError) as caught:
        ledger.receive(frame, 0.0)
    assert (caught.value.code, caught.value.retryable) == (code, retryable)


def test_a_kind_of_message_from_a_newer_worker_is_passed_over() -> None:
    ledger = connected()
    ledger.receive('{"type":"visemes","request_id":"1"}', 0.0)
    assert told(ledger) == []


@pytest.mark.parametrize("words", [[{"text": "Hi"}], [1], 5])
def test_words_that_are_none_cost_the_connection(words: object) -> None:
    ledger = connected()
    ledger.add("Hi", 0.0)
    sent(ledger)
    with pytest.raises(TtsError, match="worker_protocol"):
        say(ledger, Type.WORDS, request_id="1", number=1, words=words)


def test_controls_in_binary_frames_are_understood() -> None:
    ledger = connected()
    ledger.add("Hi", 0.0)
    sent(ledger)
    ledger.receive(encode_control(Type.SYNTHESIS_COMPLETE, request_id="1", number=1, samples=0).encode(), 1.0)
    assert told(ledger) == [SpeechDone(1, 0)]


def test_what_was_asked_before_the_deadline_is_given_up_and_the_rest_waits() -> None:
    ledger = connected(outstanding=1)
    ledger.add("a", 1.0)
    sent(ledger)
    ledger.disconnect(2.0)
    ledger.add("b", 6.0)
    assert ledger.waits_since_s == 2.0
    ledger.give_up_waiting(asked_before_s=2.0)
    assert told(ledger) == [SpeechFailed(1, "worker_lost")]
    assert ledger.waits_since_s == 6.0


def test_a_connection_that_is_lost_again_at_once_moves_no_deadline() -> None:
    ledger = connected()
    ledger.add("a", 1.0)
    ledger.disconnect(2.0)
    reconnect(ledger)
    ledger.disconnect(4.0)
    assert ledger.waits_since_s == 2.0


def test_an_old_loss_shortens_no_later_deadline() -> None:
    ledger = connected()
    ledger.disconnect(2.0)
    reconnect(ledger)
    ledger.add("a", 100.0)
    ledger.disconnect(103.0)
    assert ledger.waits_since_s == 103.0


def test_a_worker_that_delivers_nothing_fails_only_what_it_has() -> None:
    ledger = connected(outstanding=1)
    ledger.add("a", 0.0)
    ledger.add("b", 0.0)
    sent(ledger)
    ledger.give_up_spoken(15.0)
    assert told(ledger) == [SpeechFailed(1, "worker_stalled")]
    assert ledger.waits_since_s == 15.0


def test_too_many_sentences_fail_and_keep_their_ids() -> None:
    ledger = connected()
    ids = [ledger.add("a", 0.0) for _ in range(MAX_WAITING + 1)]
    assert ids[-1] == MAX_WAITING + 1
    event = ledger.next_event()
    assert isinstance(event, SpeechFailed)
    assert (event.request_id, event.code) == (MAX_WAITING + 1, "queue_full")


@pytest.mark.parametrize("rate_hz", [8_000, 24_000])
def test_undelivered_audio_fills_the_ledger_and_taking_it_makes_room(rate_hz: int) -> None:
    ledger = connected(rate_hz=rate_hz)
    ledger.add("a", 0.0)
    sent(ledger)
    say(ledger, Type.SYNTHESIS_START, request_id="1", number=1)
    second = tag_audio(1, bytes(2 * rate_hz))
    for _ in range(round(HIGH_MARK_S) - 1):
        ledger.receive(second, 1.0)
    assert not ledger.is_full
    ledger.receive(second, 1.0)
    assert ledger.is_full
    told(ledger)
    assert not ledger.is_full


def test_no_words_of_the_call_are_in_a_repr() -> None:
    ledger = connected()
    ledger.add("my secret", 0.0)
    assert "secret" not in repr(ledger._waiting)


def test_a_sentence_in_another_voice_says_so_and_says_it_again_after_a_loss() -> None:
    ledger = connected()
    ledger.add("Xiaomi", 0.0, Delivery("em_alex", "id", 0.85, (Pronunciation(0, 6, "ʃaʊ"),)))
    ledger.add("Yes", 0.0)
    first, second = sent(ledger)
    assert first == {
        "type": "synthesize",
        "text": "Xiaomi",
        "request_id": "1",
        "voice": "em_alex",
        "language": "id",
        "speed": 0.85,
        "pronunciations": [{"start_char": 0, "end_char": 6, "ipa": "ʃaʊ"}],
    }
    assert second == {"type": "synthesize", "text": "Yes", "request_id": "2"}
    ledger.disconnect(1.0)
    reconnect(ledger)
    assert sent(ledger) == [first, second]
