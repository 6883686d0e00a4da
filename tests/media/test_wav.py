import os
import stat
import struct
import sys
import wave
from pathlib import Path

import numpy as np
import pytest

from media.wav import AudioFileError, join, load, save
from tests.media.signals import level_db, middle, samples, tone
from tests.media.waves import chunk, fmt, riff


def _write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def _install(folder: Path, name: str, python: str) -> None:
    """A program of that name: what pydub starts is outside of us, so it is played by a script."""
    program = folder / name
    program.write_text(f"#!{sys.executable}\n{python}")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder programs are found in; empty at first."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", os.fspath(folder))
    return folder


def test_what_was_saved_is_loaded_again(tmp_path: Path) -> None:
    pcm = tone(1000, 8000, 0.25)
    save(tmp_path / "heard.wav", pcm, 8000)
    assert load(tmp_path / "heard.wav", 8000) == pcm


def test_a_saved_file_is_plain_wav_that_anyone_can_read(tmp_path: Path) -> None:
    save(str(tmp_path / "heard.wav"), b"\1\2\3\4\5", 8000)
    with wave.open(str(tmp_path / "heard.wav")) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 8000)
        assert file.readframes(10) == b"\1\2\3\4"


def test_a_file_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        save(tmp_path / "missing" / "heard.wav", b"", 8000)


def test_the_rate_is_converted_without_folding(tmp_path: Path) -> None:
    save(tmp_path / "low.wav", tone(1000, 24_000, 1.0), 24_000)
    save(tmp_path / "high.wav", tone(5000, 24_000, 1.0), 24_000)
    low = load(tmp_path / "low.wav", 8000)
    assert len(low) == 16_000
    assert level_db(middle(low, 8000)) == pytest.approx(0, abs=0.1)
    assert level_db(middle(load(tmp_path / "high.wav", 8000), 8000)) <= -60


@pytest.mark.parametrize("channels", [2, 3])
def test_channels_are_mixed(tmp_path: Path, channels: int) -> None:
    interleaved = np.tile(np.array([[3000] + [0] * (channels - 1)], "<i2"), (100, 1))
    path = _write(tmp_path / "many.wav", riff(fmt(1, 16, channels=channels), chunk(b"data", interleaved.tobytes())))
    assert samples(load(path, 8000)).tolist() == [3000 // channels] * 100


def test_files_of_the_telephone_world_load_without_any_program(tmp_path: Path, programs: Path) -> None:
    ulaw = _write(tmp_path / "ulaw.wav", riff(fmt(7, 8), chunk(b"LIST", b"INFOx"), chunk(b"data", b"\x80" * 80)))
    assert samples(load(ulaw, 8000)).tolist() == [32124] * 80
    streamed = riff(fmt(1, 16), chunk(b"data", struct.pack("<2h", 5, -5), size=0xFFFFFFFF), size=0xFFFFFFFF)
    assert samples(load(_write(tmp_path / "streamed.wav", streamed), 8000)).tolist() == [5, -5]


def test_wav_is_known_by_its_content_and_not_by_its_name(tmp_path: Path, programs: Path) -> None:
    path = _write(tmp_path / "recording.bin", riff(fmt(1, 16), chunk(b"data", b"\1\0")))
    assert load(path, 8000) == b"\1\0"


def test_an_empty_recording_loads_as_nothing(tmp_path: Path) -> None:
    path = _write(tmp_path / "empty.wav", riff(fmt(1, 16, rate_hz=24_000), chunk(b"data", b"")))
    assert load(path, 8000) == b""


def test_another_container_without_ffmpeg_is_refused_with_the_remedy(tmp_path: Path, programs: Path) -> None:
    path = _write(tmp_path / "song.mp3", b"ID3\x04")
    with pytest.raises(AudioFileError) as caught:
        load(path, 8000)
    assert str(caught.value) == (
        f"cannot load {path}: it is not a WAV file; install ffmpeg, or convert it to 16-bit PCM WAV"
    )
    assert caught.value.path == path


def test_a_wav_of_an_unusual_encoding_without_ffmpeg_says_which(tmp_path: Path, programs: Path) -> None:
    path = _write(tmp_path / "adpcm.wav", riff(fmt(2, 4), chunk(b"data", b"\0\0")))
    with pytest.raises(AudioFileError, match="format 0x0002 with 4 bits; install ffmpeg"):
        load(path, 8000)


def test_another_container_is_decoded_by_ffmpeg(tmp_path: Path, programs: Path) -> None:
    decoded = _write(tmp_path / "decoded.wav", riff(fmt(1, 16), chunk(b"data", tone(1000, 8000, 0.1))))
    _install(programs, "ffprobe", "print('{}')")
    _install(programs, "ffmpeg", f"import sys; sys.stdout.buffer.write(open({str(decoded)!r}, 'rb').read())")
    assert load(_write(tmp_path / "song.mp3", b"ID3\x04"), 8000) == tone(1000, 8000, 0.1)


def test_what_ffmpeg_cannot_decode_is_refused(tmp_path: Path, programs: Path) -> None:
    _install(programs, "ffprobe", "print('{}')")
    _install(programs, "ffmpeg", "raise SystemExit(1)")
    with pytest.raises(AudioFileError, match="ffmpeg cannot decode it"):
        load(_write(tmp_path / "notes.txt", b"hello"), 8000)


def test_a_file_that_cannot_be_opened_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AudioFileError, match="No such file"):
        load(tmp_path / "missing.wav", 8000)
    with pytest.raises(AudioFileError, match="directory"):
        load(tmp_path, 8000)


def test_a_file_too_large_to_hold_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.wav"
    with path.open("wb") as file:
        file.truncate(512 * 1024 * 1024 + 1)
    with pytest.raises(AudioFileError, match="cut it to 536870912 or less"):
        load(path, 8000)


def test_a_rate_no_recording_has_is_refused(tmp_path: Path) -> None:
    path = _write(tmp_path / "odd.wav", riff(fmt(1, 16, rate_hz=1), chunk(b"data", b"\0\0")))
    with pytest.raises(AudioFileError, match="sample rate of 1 Hz"):
        load(path, 8000)


def test_two_raw_sides_become_one_stereo_file_the_shorter_filled_with_silence(tmp_path: Path) -> None:
    left, right, joined = tmp_path / "left.raw", tmp_path / "right.raw", tmp_path / "joined.wav"
    left.write_bytes(b"\x01\x00" * 200_000)  # more than is joined at a time
    right.write_bytes(b"\x02\x00" * 3)
    join(joined, left, right, 8000)
    frames = joined.read_bytes()[44:]
    assert frames == b"\x01\x00\x02\x00" * 3 + b"\x01\x00\x00\x00" * 199_997
