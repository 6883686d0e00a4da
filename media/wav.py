"""Audio files at the edges: recordings in, WAV out. Never on a call's path: disks may be slow."""

import os
import shutil
import warnings
import wave
from pathlib import Path

from media.formats import BYTES_PER_SAMPLE_PCM16
from media.resample import StreamResampler
from media.riff import RiffError, is_wave, read_wave

with warnings.catch_warnings():
    # pydub warns at import when ffmpeg is missing; load() says so when it matters, with the remedy.
    warnings.simplefilter("ignore")
    from pydub import AudioSegment
    from pydub.exceptions import CouldntDecodeError

# A file is decoded in memory; this is 46 minutes of 48 kHz stereo, longer than any call that is replayed.
MAX_FILE_BYTES = 512 * 1024 * 1024
# Joined at a time: ten seconds of 8 kHz, so that an hour's call costs no more memory than a short one.
_PIECE_BYTES = 160_000
# The programs pydub decodes other containers with.
_DECODERS = ("ffmpeg", "ffprobe")


class AudioFileError(ValueError):
    """A recording that cannot be read; its text is one sentence with the remedy."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"cannot load {self.path}: {self.reason}"


def load(path: str | os.PathLike[str], rate_hz: int) -> bytes:
    """Return a recording as mono s16le at `rate_hz`, its channels mixed.

    WAV is read without any outside program, other containers by pydub with ffmpeg. AudioFileError when the file is
    missing, too large, damaged, or ffmpeg is needed and not there.
    """
    path = Path(path)
    segment = _decode(path).set_sample_width(BYTES_PER_SAMPLE_PCM16).set_channels(1)
    try:
        resampler = StreamResampler(segment.frame_rate, rate_hz)
    except ValueError as error:
        raise AudioFileError(path, str(error)) from error
    return resampler.feed(segment.raw_data) + resampler.flush()


def save(path: str | os.PathLike[str], pcm: bytes, rate_hz: int) -> None:
    """Write mono s16le as a WAV file, replacing what is there; a lone last byte is dropped. Raises OSError."""
    whole_bytes = len(pcm) - len(pcm) % BYTES_PER_SAMPLE_PCM16
    segment = AudioSegment(pcm[:whole_bytes], sample_width=BYTES_PER_SAMPLE_PCM16, frame_rate=rate_hz, channels=1)
    segment.export(os.fspath(path), format="wav").close()


def join(path: str | os.PathLike[str], left: Path, right: Path, rate_hz: int) -> None:
    """Write two files of raw s16le as one stereo WAV, the shorter one filled with silence. Raises OSError."""
    with left.open("rb") as left_file, right.open("rb") as right_file, wave.open(os.fspath(path), "wb") as joined:
        joined.setnchannels(2)
        joined.setsampwidth(BYTES_PER_SAMPLE_PCM16)
        joined.setframerate(rate_hz)
        while True:
            sides = [file.read(_PIECE_BYTES) for file in (left_file, right_file)]
            longest_bytes = max(len(side) for side in sides)
            if not longest_bytes:
                return
            segments = (
                AudioSegment(
                    side.ljust(longest_bytes, b"\0"),
                    sample_width=BYTES_PER_SAMPLE_PCM16,
                    frame_rate=rate_hz,
                    channels=1,
                )
                for side in sides
            )
            joined.writeframes(AudioSegment.from_mono_audiosegments(*segments).raw_data)


def _decode(path: Path) -> AudioSegment:
    try:
        size_bytes = path.stat().st_size
        if size_bytes > MAX_FILE_BYTES:
            raise AudioFileError(path, f"it has {size_bytes} bytes; cut it to {MAX_FILE_BYTES} or less")
        data = path.read_bytes()
    except OSError as error:
        raise AudioFileError(path, error.strerror or str(error)) from error
    refused = None
    if is_wave(data):
        try:
            wave = read_wave(data)
        except RiffError as error:
            refused = error
        else:
            return AudioSegment(
                wave.pcm, sample_width=BYTES_PER_SAMPLE_PCM16, frame_rate=wave.rate_hz, channels=wave.channels
            )
    return _decode_with_ffmpeg(path, refused)


def _decode_with_ffmpeg(path: Path, refused: RiffError | None) -> AudioSegment:
    missing = [name for name in _DECODERS if shutil.which(name) is None]
    if missing:
        what = str(refused) if refused else "it is not a WAV file"
        raise AudioFileError(path, f"{what}; install ffmpeg, or convert it to 16-bit PCM WAV") from refused
    try:
        return AudioSegment.from_file(path)
    except (CouldntDecodeError, IndexError, KeyError, ValueError) as error:
        raise AudioFileError(path, "ffmpeg cannot decode it; convert it to 16-bit PCM WAV") from error
