import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from media.formats import ULAW_8K, AudioFormat, Encoding
from media.g711 import alaw_to_pcm, pcm_to_alaw, pcm_to_ulaw, ulaw_to_pcm
from media.transcode import Inbound, Outbound
from tests.media.signals import Samples, level_db, middle, pieces_of, samples, split_at, tone

FORMATS = [
    ULAW_8K,
    AudioFormat(Encoding.ALAW, 8000),
    AudioFormat(Encoding.L16, 8000),
    AudioFormat(Encoding.L16, 16_000),
    AudioFormat(Encoding.L16, 24_000),
]
EVERY_FORMAT = pytest.mark.parametrize("wire_format", FORMATS, ids=lambda f: f"{f.encoding}-{f.rate_hz}")
UTTERANCE = tone(1000, 24_000, 0.503)


def _to_wire(pcm: bytes, encoding: Encoding) -> bytes:
    if encoding is Encoding.L16:
        return pcm
    return pcm_to_ulaw(pcm) if encoding is Encoding.ULAW else pcm_to_alaw(pcm)


def _from_wire(payload: bytes, encoding: Encoding) -> Samples:
    if encoding is Encoding.L16:
        return samples(payload)
    return samples(ulaw_to_pcm(payload) if encoding is Encoding.ULAW else alaw_to_pcm(payload))


def _speak(outbound: Outbound, pcm: bytes, piece_bytes: int = 4063) -> list[bytes]:
    frames = [frame for piece in pieces_of(pcm, piece_bytes) for frame in outbound.feed(piece)]
    return frames + outbound.flush()


@EVERY_FORMAT
def test_a_caller_in_any_format_is_heard_at_16_khz(wire_format: AudioFormat) -> None:
    inbound = Inbound(wire_format, 16_000)
    payload = _to_wire(tone(1000, wire_format.rate_hz, 1.0), wire_format.encoding)
    pcm = b"".join(map(inbound.feed, pieces_of(payload, wire_format.frame_bytes(20)))) + inbound.flush()
    assert len(pcm) == 2 * 16_000
    assert level_db(middle(pcm, 16_000)) == pytest.approx(0, abs=0.1)


@EVERY_FORMAT
@given(cuts=st.lists(st.integers(0, 8000), max_size=8))
@settings(max_examples=20, deadline=None)
def test_any_split_of_the_callers_audio_gives_the_same_pcm(wire_format: AudioFormat, cuts: list[int]) -> None:
    payload = _to_wire(tone(1000, wire_format.rate_hz, 0.3), wire_format.encoding)
    whole, pieced = Inbound(wire_format, 16_000), Inbound(wire_format, 16_000)
    expected = samples(whole.feed(payload) + whole.flush())
    heard = samples(b"".join(map(pieced.feed, split_at(payload, cuts))) + pieced.flush())
    assert heard.size == expected.size
    assert level_db(heard - expected) <= -60


def test_the_callers_audio_lags_by_no_more_than_30_ms() -> None:
    inbound = Inbound(ULAW_8K, 16_000)
    heard_ms = 0.0
    for fed_ms in range(20, 1001, 20):
        heard_ms += len(inbound.feed(b"\xff" * 160)) / 32
        assert fed_ms - heard_ms <= 30


def test_after_a_reset_the_caller_is_a_new_signal() -> None:
    inbound = Inbound(AudioFormat(Encoding.L16, 8000), 8000)
    inbound.feed(b"\x01\x02\x03")
    inbound.reset()
    assert inbound.feed(b"\x04\x05") == b"\x04\x05"


@EVERY_FORMAT
def test_an_utterance_leaves_in_exact_frames_that_hold_all_of_it(wire_format: AudioFormat) -> None:
    outbound = Outbound(24_000, wire_format, 20)
    frames = _speak(outbound, UTTERANCE)
    assert {len(frame) for frame in frames} == {wire_format.frame_bytes(20)}
    assert len(frames) == 26  # 503 ms
    assert outbound.sound_samples == pytest.approx(0.503 * wire_format.rate_hz, abs=1)
    assert outbound.sound_samples + outbound.padding_samples == 26 * 20 * wire_format.rate_hz // 1000
    heard = _from_wire(b"".join(frames), wire_format.encoding)
    assert level_db(heard[800:3200]) == pytest.approx(0, abs=0.1)


@EVERY_FORMAT
def test_the_tail_is_padded_with_the_codecs_silence(wire_format: AudioFormat) -> None:
    outbound = Outbound(24_000, wire_format, 20)
    last = _speak(outbound, UTTERANCE)[-1]
    padding = wire_format.encoding.silence * outbound.padding_samples
    assert outbound.padding_samples == pytest.approx(0.017 * wire_format.rate_hz, abs=1)
    assert last.endswith(padding)


@given(cuts=st.lists(st.integers(0, len(UTTERANCE)), max_size=12))
@settings(max_examples=30, deadline=None)
def test_any_split_of_an_utterance_gives_the_same_frames(cuts: list[int]) -> None:
    wire_format = AudioFormat(Encoding.L16, 8000)
    whole, pieced = Outbound(24_000, wire_format, 20), Outbound(24_000, wire_format, 20)
    expected = whole.feed(UTTERANCE) + whole.flush()
    frames = [frame for piece in split_at(UTTERANCE, cuts) for frame in pieced.feed(piece)] + pieced.flush()
    assert len(frames) == len(expected)
    assert level_db(samples(b"".join(frames)) - samples(b"".join(expected))) <= -60
    assert (pieced.sound_samples, pieced.padding_samples) == (whole.sound_samples, whole.padding_samples)


def test_each_utterance_is_counted_from_zero_and_sounds_as_if_it_were_the_first() -> None:
    outbound = Outbound(24_000, ULAW_8K, 20)
    first = _speak(outbound, UTTERANCE)
    counted = (outbound.sound_samples, outbound.padding_samples)
    assert _speak(outbound, UTTERANCE) == first
    assert (outbound.sound_samples, outbound.padding_samples) == counted


def test_counts_are_of_the_current_utterance_once_it_has_begun() -> None:
    outbound = Outbound(8000, ULAW_8K, 20)
    outbound.feed(bytes(322))
    assert (outbound.sound_samples, outbound.padding_samples) == (161, 0)
    outbound.flush()
    assert (outbound.sound_samples, outbound.padding_samples) == (161, 159)
    outbound.feed(bytes(20))
    assert (outbound.sound_samples, outbound.padding_samples) == (10, 0)


def test_an_utterance_without_sound_has_no_frames() -> None:
    outbound = Outbound(24_000, ULAW_8K, 20)
    _speak(outbound, UTTERANCE)
    assert outbound.flush() == []
    assert (outbound.sound_samples, outbound.padding_samples) == (0, 0)


def test_a_frame_filled_to_the_last_byte_needs_no_padding() -> None:
    outbound = Outbound(8000, ULAW_8K, 20)
    assert outbound.feed(bytes(320)) == [b"\xff" * 160]
    assert outbound.flush() == []
    assert outbound.padding_samples == 0


def test_an_odd_byte_at_the_end_of_an_utterance_does_not_reach_the_next() -> None:
    outbound = Outbound(24_000, ULAW_8K, 20)
    first = _speak(outbound, UTTERANCE + b"\x55")
    assert _speak(outbound, UTTERANCE) == first


def test_after_a_reset_nothing_of_the_dropped_utterance_comes_out() -> None:
    outbound = Outbound(24_000, ULAW_8K, 20)
    expected = _speak(outbound, UTTERANCE)
    outbound.feed(tone(300, 24_000, 0.31) + b"\x55")
    outbound.reset()
    assert outbound.sound_samples == 0
    assert _speak(outbound, UTTERANCE) == expected


def test_a_frame_that_no_wire_format_can_hold_is_refused() -> None:
    with pytest.raises(ValueError, match="whole number of samples"):
        Outbound(24_000, AudioFormat(Encoding.L16, 11_025), 20)
