"""The Plivo codec against documented messages, their broken twins, and L16."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.events import CallerAudio, CallStarted, PeerError, SendAudio
from gateway.platforms.byte_order import ByteOrder
from gateway.platforms.plivo_stream import PlivoCodec, ordered_format
from media.formats import ULAW_8K, AudioFormat, Encoding
from tests.rig.codec_contract import codec_contract
from tests.rig.codec_vectors import load

TestPlivoCodec = codec_contract("plivo", PlivoCodec)

SESSION = load("plivo", "session.json")
START, MEDIA = SESSION[0]["message"], SESSION[1]["message"]
L16_START = START.replace('"audio/x-mulaw","sampleRate":8000', '"audio/x-l16","sampleRate":16000')


def open_codec(start: str = START, byte_order: ByteOrder = ByteOrder.LITTLE) -> PlivoCodec:
    codec = PlivoCodec(byte_order)
    assert isinstance(codec.receive(start)[0], CallStarted)
    return codec


def test_audio_names_the_streams_own_format() -> None:
    (wire,) = open_codec(L16_START).encode(SendAudio(b"\x01\x02"))
    media = json.loads(wire)["media"]
    assert media == {"contentType": "audio/x-l16", "sampleRate": 16000, "payload": "AQI="}


def test_big_endian_samples_are_turned_both_ways() -> None:
    codec = open_codec(L16_START, ByteOrder.BIG)
    assert codec.receive(MEDIA.replace("/////w==", base64.b64encode(b"\x01\x02").decode())) == [
        CallerAudio(b"\x02\x01")
    ]
    (wire,) = codec.encode(SendAudio(b"\x01\x02"))
    assert json.loads(wire)["media"]["payload"] == "AgE="


def test_odd_l16_audio_is_refused() -> None:
    (event,) = open_codec(L16_START).receive(MEDIA.replace("/////w==", "YWJj"))
    assert isinstance(event, PeerError)
    assert event.code == "odd_payload"


def test_the_bots_own_track_is_no_caller_audio() -> None:
    assert open_codec().receive(MEDIA.replace('"track":"inbound"', '"track":"outbound"')) == []


def test_a_stop_ends_the_stream_should_one_ever_come() -> None:
    codec = open_codec()
    assert len(codec.receive('{"event":"stop"}')) == 1
    assert codec.receive_eof() == []


def test_a_hostile_stream_id_cannot_break_out_of_our_json() -> None:
    start = json.loads(START)
    start["start"]["streamId"] = hostile = 'x","event":"stop'
    (wire,) = open_codec(json.dumps(start)).encode(SendAudio(b"\xff"))
    assert json.loads(wire)["event"] == "playAudio"
    assert json.loads(wire)["streamId"] == hostile


@given(st.binary(max_size=3000))
def test_any_audio_survives_the_way_out(payload: bytes) -> None:
    wire = open_codec().encode(SendAudio(payload))
    assert b"".join(base64.b64decode(json.loads(message)["media"]["payload"]) for message in wire) == payload


@pytest.mark.parametrize(
    ("content_type", "wire"),
    [
        ("audio/x-mulaw;rate=8000", ULAW_8K),
        ("audio/x-l16;rate=8000", AudioFormat(Encoding.L16, 8000)),
        ("audio/x-l16;rate=24000", AudioFormat(Encoding.L16, 24000)),
        ("audio/x-mulaw;rate=16000", None),
        ("audio/x-l16;rate=48000", None),
        ("audio/x-l16", None),
        ("", None),
    ],
)
def test_a_content_type_is_a_format_or_nothing(content_type: str, wire: AudioFormat | None) -> None:
    assert ordered_format(content_type) == wire
