"""The Telnyx codec against documented messages, their broken twins, and media out of order."""

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.events import CallEnded, CallerAudio, CallStarted, Event, SendAudio
from gateway.platforms.byte_order import ByteOrder
from gateway.platforms.telnyx_stream import TelnyxCodec, wire_format
from media.formats import ULAW_8K, AudioFormat, Encoding
from tests.rig.codec_contract import codec_contract
from tests.rig.codec_vectors import load

TestTelnyxCodec = codec_contract("telnyx", TelnyxCodec)

SESSION = load("telnyx", "session.json")
START, MEDIA, STOP = (SESSION[index]["message"] for index in (1, 2, 5))
L16 = AudioFormat(Encoding.L16, 16000)


def open_codec(start: str = START, **values: Any) -> TelnyxCodec:
    codec = TelnyxCodec(**values)
    assert isinstance(codec.receive(start)[0], CallStarted)
    return codec


def media(chunk: Any, audio: bytes) -> str:
    payload = base64.b64encode(audio).decode()
    return json.dumps({"event": "media", "media": {"track": "inbound", "chunk": chunk, "payload": payload}})


def heard(codec: TelnyxCodec, *chunks: Any) -> list[Event]:
    return [event for chunk in chunks for event in codec.receive(media(chunk, str(chunk).encode()))]


def audio(*chunks: Any) -> list[Event]:
    return [CallerAudio(str(chunk).encode()) for chunk in chunks]


def test_media_out_of_order_is_put_in_order() -> None:
    codec = open_codec()
    assert heard(codec, "1", "3", 2, "5", "4") == audio(1, 2, 3, 4, 5)


def test_a_missing_packet_does_not_hold_the_others_for_long() -> None:
    codec = open_codec()
    assert heard(codec, 1, 3, 4, 5, 6, 7) == audio(1)
    assert heard(codec, 8) == audio(3, 4, 5, 6, 7, 8)


@pytest.mark.parametrize("chunk", [None, "x", -1, " ", [], 1.5, 10**30])
def test_media_without_a_usable_number_is_heard_as_it_comes(chunk: Any) -> None:
    codec = open_codec()
    assert heard(codec, 1, chunk, chunk, 2) == audio(1, chunk, chunk, 2)


def test_what_waits_is_heard_before_the_end() -> None:
    codec = open_codec()
    heard(codec, 1, 3)
    assert codec.receive(STOP) == [*audio(3), CallEnded("stop")]
    assert codec.receive_eof() == []
    codec = open_codec()
    heard(codec, 1, 3)
    assert codec.receive_eof() == [*audio(3), CallEnded("closed")]


def test_the_bots_own_track_is_no_caller_audio() -> None:
    assert open_codec().receive(MEDIA.replace('"track":"inbound"', '"track":"outbound"')) == []
    assert open_codec().receive(MEDIA.replace('"track":"inbound"', '"track":"inbound_track"')) != []


def test_each_direction_has_its_own_format() -> None:
    (started,) = TelnyxCodec(L16).receive(START.replace("PCMU", "PCMA"))
    assert isinstance(started, CallStarted)
    assert (started.format_in, started.format_out) == (AudioFormat(Encoding.ALAW, 8000), L16)


def test_big_endian_samples_are_turned_both_ways() -> None:
    start = START.replace('"PCMU","sample_rate":8000', '"L16","sample_rate":16000')
    codec = open_codec(start, format_out=L16, byte_order=ByteOrder.BIG)
    assert codec.receive(media(1, b"\x01\x02")) == [CallerAudio(b"\x02\x01")]
    (wire,) = codec.encode(SendAudio(b"\x01\x02"))
    assert base64.b64decode(json.loads(wire)["media"]["payload"]) == b"\x02\x01"


def test_odd_l16_audio_is_refused() -> None:
    start = START.replace('"PCMU","sample_rate":8000', '"L16","sample_rate":16000')
    (event,) = open_codec(start).receive(media(1, b"abc"))
    assert "odd_payload" in repr(event)


@given(st.binary(max_size=3000))
def test_any_audio_survives_the_way_out(payload: bytes) -> None:
    wire = open_codec().encode(SendAudio(payload))
    assert b"".join(base64.b64decode(json.loads(message)["media"]["payload"]) for message in wire) == payload


def test_only_formats_that_can_be_decoded_have_one() -> None:
    assert wire_format("PCMU", 8000) == ULAW_8K
    assert wire_format("L16", 24000) == AudioFormat(Encoding.L16, 24000)
    for name, rate_hz in (("G722", 8000), ("OPUS", 48000), ("pcmu", 8000), ("PCMA", 16000), ("L16", 22050)):
        assert wire_format(name, rate_hz) is None
