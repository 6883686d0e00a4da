import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from media.g711 import alaw_to_pcm, ulaw_to_pcm
from media.riff import RiffError, is_wave, read_wave
from tests.media.waves import chunk, extensible_fmt, fmt, riff

PCM = struct.pack("<4h", 1000, -1000, 32767, -32768)
PCM_FMT = fmt(1, 16)
UNKNOWN = 0xFFFFFFFF


def test_a_plain_file_gives_its_samples_rate_and_channels() -> None:
    wave = read_wave(riff(fmt(1, 16, channels=2, rate_hz=44_100), chunk(b"data", PCM)))
    assert (wave.channels, wave.rate_hz, wave.pcm) == (2, 44_100, PCM)


@pytest.mark.parametrize("pad", [True, False], ids=["padded", "pad forgotten"])
def test_an_odd_chunk_before_the_audio_does_not_shift_it(pad: bool) -> None:
    assert read_wave(riff(PCM_FMT, chunk(b"LIST", b"INFOx", pad=pad), chunk(b"data", PCM))).pcm == PCM


def test_an_even_chunk_that_ends_in_zero_is_skipped_as_it_says() -> None:
    assert read_wave(riff(PCM_FMT, chunk(b"LIST", b"INFO\0\0"), chunk(b"data", PCM))).pcm == PCM


def test_a_chunk_behind_the_audio_is_not_heard() -> None:
    assert read_wave(riff(PCM_FMT, chunk(b"data", PCM), chunk(b"LIST", b"INFO"))).pcm == PCM


@pytest.mark.parametrize(("riff_size", "data_size"), [(UNKNOWN, UNKNOWN), (0, 0), (UNKNOWN, 0), (0, UNKNOWN)])
def test_a_streamed_file_that_does_not_know_its_size_is_read_to_the_end(riff_size: int, data_size: int) -> None:
    streamed = riff(PCM_FMT, chunk(b"data", PCM, size=data_size), size=riff_size)
    assert read_wave(streamed).pcm == PCM


def test_an_empty_recording_is_empty_whatever_follows_it() -> None:
    assert read_wave(riff(PCM_FMT, chunk(b"data", b""), chunk(b"LIST", b"INFO"))).pcm == b""


def test_a_file_cut_short_gives_the_whole_samples_that_are_there() -> None:
    whole = riff(fmt(1, 16, channels=2), chunk(b"data", PCM))
    assert read_wave(whole[:-1]).pcm == PCM[:4]


@pytest.mark.parametrize(
    ("wave_format", "body", "expected"),
    [
        (fmt(1, 8), b"\x80\x00\xff", [0, -32768, 32512]),
        (fmt(1, 24), b"\x00\x34\x12\xff\xff\xff\x99", [0x1234, -1]),
        (fmt(1, 32), struct.pack("<2i", 0x12345678, -1) + b"\0", [0x1234, -1]),
        (fmt(3, 32), struct.pack("<4f", 0.5, -1.0, 1.05, float("nan")), [16384, -32767, 32767, 0]),
        (fmt(3, 64), struct.pack("<2d", 0.5, -1e300), [16384, -32767]),
        (extensible_fmt(1, 16), PCM, [1000, -1000, 32767, -32768]),
        (extensible_fmt(3, 32), struct.pack("<f", -0.5), [-16384]),
    ],
    ids=["8 bit", "24 bit", "32 bit", "float", "double", "extensible", "extensible float"],
)
def test_samples_of_every_width_become_16_bit(wave_format: bytes, body: bytes, expected: list[int]) -> None:
    assert np.frombuffer(read_wave(riff(wave_format, chunk(b"data", body))).pcm, "<i2").tolist() == expected


def test_companded_files_are_expanded() -> None:
    body = bytes(range(256))
    assert read_wave(riff(fmt(7, 8), chunk(b"data", body))).pcm == ulaw_to_pcm(body)
    assert read_wave(riff(fmt(6, 8), chunk(b"data", body))).pcm == alaw_to_pcm(body)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not a RIFF/WAVE file"),
        (b"ID3\x04 and so on, but no wave", "not a RIFF/WAVE file"),
        (b"RIFF\0\0\0\0AVI ", "not a RIFF/WAVE file"),
        (riff(), "no audio"),
        (riff(PCM_FMT), "no audio"),
        (riff(PCM_FMT, chunk(b"data", PCM))[:-14], "no audio"),
        (riff(chunk(b"data", PCM)), "before its format"),
        (riff(chunk(b"fmt ", b"\1\0\1\0"), chunk(b"data", PCM)), "cut short"),
        (riff(fmt(1, 16, channels=0), chunk(b"data", PCM)), "0 channels"),
        (riff(fmt(2, 4), chunk(b"data", PCM)), "format 0x0002 with 4 bits"),
        (riff(fmt(1, 12), chunk(b"data", PCM)), "format 0x0001 with 12 bits"),
        (riff(fmt(3, 16), chunk(b"data", PCM)), "format 0x0003 with 16 bits"),
        (riff(extensible_fmt(1, 16)[:24], chunk(b"data", PCM)), "no audio|0xfffe"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(data: bytes, reason: str) -> None:
    with pytest.raises(RiffError, match=reason):
        read_wave(data)


def test_an_extensible_format_without_its_extension_is_refused() -> None:
    bare = chunk(b"fmt ", struct.pack("<HHIIHH", 0xFFFE, 1, 8000, 16_000, 2, 16))
    with pytest.raises(RiffError, match="0xfffe"):
        read_wave(riff(bare, chunk(b"data", PCM)))


@given(st.binary(max_size=60), st.integers(0, 80))
def test_a_damaged_file_is_read_or_refused_and_nothing_else(junk: bytes, at: int) -> None:
    good = riff(fmt(1, 16, channels=2), chunk(b"LIST", b"INFOx"), chunk(b"data", PCM))
    damaged = good[:at] + junk + good[at + len(junk) :]
    try:
        wave = read_wave(damaged)
    except RiffError:
        return
    assert is_wave(damaged)
    assert len(wave.pcm) % (2 * wave.channels) == 0
