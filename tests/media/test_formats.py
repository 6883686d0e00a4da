import pytest

from media.formats import ULAW_8K, AudioFormat, Encoding


@pytest.mark.parametrize(
    ("encoding", "rate_hz", "frame_bytes"),
    [
        (Encoding.ULAW, 8000, 160),
        (Encoding.ALAW, 8000, 160),
        (Encoding.L16, 8000, 320),
        (Encoding.L16, 16000, 640),
        (Encoding.L16, 24000, 960),
        (Encoding.L16, 44100, 1764),
        (Encoding.L16, 48000, 1920),
    ],
)
def test_twenty_milliseconds_have_the_size_the_platforms_state(
    encoding: Encoding, rate_hz: int, frame_bytes: int
) -> None:
    assert AudioFormat(encoding, rate_hz).frame_bytes(20) == frame_bytes


def test_a_frame_of_a_fraction_of_a_sample_is_refused() -> None:
    with pytest.raises(ValueError, match="20 ms at 11025 Hz is not a whole number of samples"):
        AudioFormat(Encoding.ULAW, 11025).frame_bytes(20)


def test_duration_follows_from_size_encoding_and_rate() -> None:
    assert ULAW_8K.duration_s(8000) == 1.0
    assert AudioFormat(Encoding.L16, 16000).duration_s(16000) == 0.5


def test_silence_is_one_sample_of_each_encoding() -> None:
    for encoding in Encoding:
        assert len(encoding.silence) == encoding.bytes_per_sample
    assert (Encoding.ULAW.silence, Encoding.ALAW.silence, Encoding.L16.silence) == (b"\xff", b"\xd5", b"\0\0")
