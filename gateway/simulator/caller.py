"""Recorded callers: what is said or keyed in one turn."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from media import wav
from media.level import rms_dbfs
from media.resample import StreamResampler

# Where a recording is this much below its loudest moment, nobody speaks.
SPEECH_BELOW_PEAK_DB = 35.0
DIGITS_PREFIX = "dtmf:"
_DIGITS = frozenset("0123456789*#ABCD")
_WINDOW_S = 0.01
_SAMPLE_BYTES = 2


@dataclass(frozen=True, slots=True)
class CallerTurn:
    """One turn: a recording as PCM s16le with the times its speech begins and ends, keys to press, or both."""

    name: str
    pcm: bytes = field(default=b"", repr=False)
    text: str = field(default="", repr=False)
    digits: str = field(default="", repr=False)
    speech_start_s: float = 0.0
    speech_end_s: float = 0.0
    # The first key is pressed so long after the turn has begun.
    keys_after_s: float = 0.0
    # Speak this long after the bot became audible, instead of waiting until it is silent.
    interrupt_after_s: float | None = None

    def at(self, from_hz: int, to_hz: int) -> "CallerTurn":
        """The turn, recorded at `from_hz`, at another rate."""
        if from_hz == to_hz:
            return self
        resampler = StreamResampler(from_hz, to_hz)
        return replace(self, pcm=resampler.feed(self.pcm) + resampler.flush())


def load_turns(sources: Iterable[str | Path], rate_hz: int) -> list[CallerTurn]:
    """Load recordings (any container pydub reads) as turns; `dtmf:12#` presses keys.

    A manifest.json beside a recording tells its text. ValueError names the source that cannot be used.
    """
    return [_load(str(source), rate_hz) for source in sources]


def recorded_turn(name: str, pcm: bytes, rate_hz: int, text: str = "") -> CallerTurn:
    """A turn from PCM, its speech found by level."""
    start_s, end_s = speech_span(pcm, rate_hz)
    return CallerTurn(name, pcm, text, speech_start_s=start_s, speech_end_s=end_s)


def speech_span(pcm: bytes, rate_hz: int, below_peak_db: float = SPEECH_BELOW_PEAK_DB) -> tuple[float, float]:
    """Return when speech begins and ends in a recording: where it comes within `below_peak_db` of its loudest."""
    window = round(_WINDOW_S * rate_hz) * _SAMPLE_BYTES
    levels = [rms_dbfs(pcm[i : i + window]) for i in range(0, len(pcm), window)]
    loud = [i for i, level in enumerate(levels) if level > max(levels) - below_peak_db]
    duration_s = len(pcm) / _SAMPLE_BYTES / rate_hz
    return (loud[0] * _WINDOW_S, min((loud[-1] + 1) * _WINDOW_S, duration_s)) if loud else (0.0, duration_s)


def _load(source: str, rate_hz: int) -> CallerTurn:
    if source.startswith(DIGITS_PREFIX):
        digits = source.removeprefix(DIGITS_PREFIX).upper()
        if not digits or not _DIGITS.issuperset(digits):
            raise ValueError(f"{source}: after {DIGITS_PREFIX} come keys out of 0-9 * # A-D")
        return CallerTurn(source, digits=digits)
    path = Path(source)
    return recorded_turn(path.name, wav.load(path, rate_hz), rate_hz, _text_of(path))


def _text_of(path: Path) -> str:
    manifest = path.with_name("manifest.json")
    if not manifest.is_file():
        return ""
    entry = json.loads(manifest.read_text("utf-8")).get(path.name, {})
    text = entry.get("text", "")
    return text if isinstance(text, str) else ""
