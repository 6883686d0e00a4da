"""Kokoro's voices: one style for each length of speech, all read and checked at the start."""

import difflib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from config.errors import ConfigError
from media.tts_wire import ErrorCode
from tts_worker.engine import MAX_PIECE_PHONEMES, EngineError

STYLE_SIZE = 256
# One style a length, from 1 to 510 phonemes; float32, little-endian.
VOICE_BYTES = MAX_PIECE_PHONEMES * STYLE_SIZE * 4
_SUFFIX = ".bin"

Style = npt.NDArray[np.float32]


class VoiceBook:
    """The voices of a folder of NAME.bin files. ConfigError when there are none, or one is damaged."""

    def __init__(self, folder: Path) -> None:
        self._styles = {path.stem: _read(path) for path in _voice_files(folder)}
        self.names = frozenset(self._styles)

    def check(self, name: str) -> None:
        """Raise EngineError (unknown_voice) when there is no such voice; it names the nearest."""
        if name not in self.names:
            near = difflib.get_close_matches(name, sorted(self.names), n=1, cutoff=0.0)
            raise EngineError(
                ErrorCode.UNKNOWN_VOICE,
                f"no such voice; the nearest of {len(self.names)} is {near[0] if near else '-'}",
            )

    def style(self, name: str, phonemes: int) -> Style:
        """Return the style of voice `name` for speech of 1 to 510 phonemes, shaped (1, STYLE_SIZE)."""
        self.check(name)
        style: Style = self._styles[name][phonemes - 1]
        return style


def _voice_files(folder: Path) -> Iterator[Path]:
    files = sorted(folder.glob(f"*{_SUFFIX}"))
    if not files:
        raise ConfigError(f"There are no voices in {folder}; run `voicebot models kokoro-voices`.")
    yield from files


def _read(path: Path) -> Style:
    size_bytes = path.stat().st_size
    if size_bytes != VOICE_BYTES:
        raise ConfigError(f"Voice {path} has {size_bytes} bytes, expected {VOICE_BYTES}; run `voicebot models`.")
    values = np.fromfile(path, dtype="<f4").astype(np.float32, copy=False)
    styles: Style = values.reshape(MAX_PIECE_PHONEMES, 1, STYLE_SIZE)
    if not np.isfinite(styles).all():
        raise ConfigError(f"Voice {path} holds values that are no numbers; run `voicebot models --verify`.")
    return styles
