"""The recorded callers of callers.toml: who says what, the sound of it, and how the line treats it.

Every moment is known because it was put there: a recording is cut to its speech, and treatments change no time.
"""

import tomllib
import zlib
from dataclasses import dataclass, field
from importlib import resources
from typing import Any

import numpy as np

from gateway.bench.caller_sounds import RATE_HZ, NotInstalled, Samples, human, made_sound, own_recording, treated
from gateway.simulator.caller import SPEECH_BELOW_PEAK_DB, CallerTurn, speech_span

KINDS = ("sentence", "hesitation", "dictation", "trailing", "interruption", "backchannel", "noise")
# One in so many rows is held out.
_HELD_OUT_OF = 3
# Silence in front of and behind what is said, as between two breaths.
_EDGE_S = 0.1


@dataclass(frozen=True, slots=True)
class Caller:
    """One row of the table."""

    name: str
    kind: str
    text: str = field(default="", repr=False)
    voice: str = ""
    language: str = "en"
    asked: str = field(default="", repr=False)
    package: str = ""
    files: tuple[str | int, ...] = ()
    quiet_db: float = SPEECH_BELOW_PEAK_DB
    sound: str = ""
    gain_db: float = 0.0
    snr_db: float | None = None
    lost: float = 0.0

    @property
    def held_out(self) -> bool:
        """Whether nothing may be tuned on this row."""
        return self._seed % _HELD_OUT_OF == 0

    @property
    def speaker(self) -> str:
        """Whose voice it is; blank for a noise."""
        return self.voice or self.package

    @property
    def _seed(self) -> int:
        return zlib.crc32(self.name.encode())

    def turn(self, interrupt_after_s: float | None = None) -> CallerTurn:
        """The sound as it reaches the gateway; NotInstalled when its package is not there."""
        clean = self._clean()
        edge = np.zeros(round(_EDGE_S * RATE_HZ))
        rng = np.random.default_rng(self._seed)
        pcm = treated(np.concatenate([edge, clean, edge]), self.gain_db, self.snr_db, self.lost, rng)
        end_s = _EDGE_S + len(clean) / RATE_HZ
        return CallerTurn(
            self.name, pcm, self.text, speech_start_s=_EDGE_S, speech_end_s=end_s, interrupt_after_s=interrupt_after_s
        )

    def _clean(self) -> Samples:
        if self.sound:
            return made_sound(self.sound, np.random.default_rng(self._seed))
        pcm = human(self.package, self.files) if self.package else own_recording(self.name)
        start_s, end_s = speech_span(pcm.astype("<i2").tobytes(), RATE_HZ, self.quiet_db)
        return pcm[round(start_s * RATE_HZ) : round(end_s * RATE_HZ)]


def load_callers() -> tuple[list[Caller], dict[str, int]]:
    """Return the rows that can be heard on this machine, and how many cannot for want of each Debian package."""
    found: list[Caller] = []
    missing: dict[str, int] = {}
    for caller in every_caller():
        try:
            caller.turn()
        except NotInstalled as error:
            missing[error.package] = missing.get(error.package, 0) + 1
        else:
            found.append(caller)
    return found, missing


def every_caller() -> list[Caller]:
    """The whole table, heard or not."""
    text = resources.files("gateway.bench").joinpath("callers.toml").read_text("utf-8")
    return [_caller(group["kind"], row) for group in tomllib.loads(text)["callers"] for row in group["rows"]]


def _caller(kind: str, row: dict[str, Any]) -> Caller:
    return Caller(kind=kind, **{**row, "files": tuple(row.get("files", ()))})
