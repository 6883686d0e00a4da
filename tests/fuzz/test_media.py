"""Random input is either accepted or refused with a documented error, nothing else."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from media.formats import AudioFormat, Encoding
from media.transcode import Inbound, Outbound
from media.tts_wire import WireError, decode_control, untag_audio

pytestmark = pytest.mark.fuzz
MANY = settings(max_examples=2000, deadline=None)

FORMATS = st.builds(AudioFormat, st.sampled_from(Encoding), st.sampled_from([8000, 16_000, 24_000, 48_000]))
PIECES = st.lists(st.binary(max_size=3000), max_size=12)
# Text that is nearly JSON reaches deeper than random text does.
NEARLY_JSON = st.text(st.sampled_from('{}[]":,\\u0dD8e+-.1tfn é'), max_size=60)


@MANY
@given(st.binary() | st.text() | NEARLY_JSON)
def test_any_control_is_an_object_that_can_be_sent_back_or_a_wire_error(frame: bytes | str) -> None:
    try:
        control = decode_control(frame)
    except WireError:
        return
    assert json.dumps(control, ensure_ascii=False, allow_nan=False).encode()


@MANY
@given(st.binary(max_size=40))
def test_any_binary_frame_is_tagged_audio_or_a_wire_error(frame: bytes) -> None:
    try:
        number, pcm = untag_audio(frame)
    except WireError:
        return
    assert number >= 0
    assert len(pcm) == len(frame) - 8


@MANY
@given(FORMATS, PIECES)
def test_any_payload_becomes_whole_samples(wire_format: AudioFormat, payloads: list[bytes]) -> None:
    inbound = Inbound(wire_format, 16_000)
    pcm = b"".join(map(inbound.feed, payloads)) + inbound.flush()
    fed_samples = sum(map(len, payloads)) // wire_format.encoding.bytes_per_sample
    assert len(pcm) % 2 == 0
    assert abs(len(pcm) // 2 - fed_samples * 16_000 / wire_format.rate_hz) <= 1


@MANY
@given(FORMATS, st.sampled_from([8000, 16_000, 22_050, 24_000]), st.sampled_from([10, 20, 60, 100]), PIECES)
def test_any_speech_becomes_whole_frames(
    wire_format: AudioFormat, from_hz: int, frame_ms: int, pieces: list[bytes]
) -> None:
    outbound = Outbound(from_hz, wire_format, frame_ms)
    frames = [frame for piece in pieces for frame in outbound.feed(piece)] + outbound.flush()
    frame_bytes = wire_format.frame_bytes(frame_ms)
    assert all(len(frame) == frame_bytes for frame in frames)
    total_samples = len(frames) * frame_bytes // wire_format.encoding.bytes_per_sample
    assert outbound.sound_samples + outbound.padding_samples == total_samples
    expected = sum(map(len, pieces)) // 2 * wire_format.rate_hz / from_hz
    assert abs(outbound.sound_samples - expected) <= 1
