"""A worker's ladder as `voicebot bench worker` writes it: what one instance does for 1, 5, 10 ... clients at once."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field, ValidationError

from config.errors import ConfigError

Floats = NDArray[np.float64]
# A ladder is a page of figures; anything bigger is another file.
_FILE_BYTES = 4_000_000
# The scheme that the gateway uses.
_SESSIONS = "sessions"
_Figure = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class _Rung(BaseModel):
    scheme: str
    load: str
    clients: Annotated[int, Field(ge=1)]
    replies: Annotated[int, Field(ge=1)]
    failed: Annotated[int, Field(ge=0)]
    replies_per_s: _Figure
    audio_s_per_s: _Figure
    first_p50_ms: _Figure
    first_p95_ms: _Figure
    first_p99_ms: _Figure


class _File(BaseModel):
    rungs: list[_Rung]
    source: str = ""


@dataclass(frozen=True, slots=True)
class Ladder:
    """One scheme's closed-loop rungs, by rising clients. A request is what the ladder asked for: a reply, a line."""

    scheme: str
    source: str
    clients: Floats
    requests_per_s: Floats
    audio_s_per_s: Floats
    # Quantiles of first audio: p50, p95, p99, in rows; a column a rung.
    first_ms: Floats
    failed_share: Floats

    @property
    def request_audio_s(self) -> float:
        """Seconds of speech in one request."""
        return float(np.mean(self.audio_s_per_s / self.requests_per_s))

    @property
    def whole_text_first(self) -> bool:
        """Whether nothing is heard before the whole request is spoken, so that first audio grows with its length."""
        return self.scheme != _SESSIONS

    def audio_rate(self, pending: Floats) -> Floats:
        """Seconds of speech a second while `pending` clients wait for some; the last rung's beyond the ladder.

        Below the first rung it shrinks in proportion: nothing says that fewer clients fill the engine as well.
        """
        measured = np.interp(pending, self.clients, self.audio_s_per_s)
        return np.where(pending < self.clients[0], measured * pending / self.clients[0], measured)

    def first_audio_ms(self, pending: Floats, share: Floats) -> Floats:
        """The first audio that `share` (0 to 1) of the requests beat while `pending` clients wait.

        Straight between the measured quantiles, half the median at 0, on with the last slope above p99. Beyond the last
        rung it grows in step with the clients: they queue.
        """
        p50, p95, p99 = self._quantiles(pending)
        return np.select(
            [share <= 0.5, share <= 0.95],
            [p50 * (0.5 + share), p50 + (share - 0.5) / 0.45 * (p95 - p50)],
            p95 + (share - 0.95) / 0.04 * (p99 - p95),
        )

    def late_share(self, pending: Floats, limit_ms: float) -> Floats:
        """The share of requests that find `pending` clients (themselves included) and fail or exceed `limit_ms`."""
        p50, p95, p99 = self._quantiles(pending)
        # The same straight lines, read the other way; quantiles may coincide.
        p50, p95, p99 = p50, np.maximum(p95, p50 + 1e-6), np.maximum(p99, p95 + 2e-6)
        beaten = np.select(
            [limit_ms <= p50, limit_ms <= p95],
            [limit_ms / p50 - 0.5, 0.5 + 0.45 * (limit_ms - p50) / (p95 - p50)],
            0.95 + 0.04 * (limit_ms - p95) / (p99 - p95),
        ).clip(0, 1)
        failed = np.interp(pending, self.clients, self.failed_share)
        return 1 - beaten * (1 - failed)

    def q_max(self, limit_ms: float) -> int:
        """The most clients of a rung whose p95 keeps the limit, none failed; 0 when none does."""
        fit = self.clients[(self.first_ms[1] <= limit_ms) & (self.failed_share == 0)]
        return int(fit.max()) if fit.size else 0

    def _quantiles(self, pending: Floats) -> tuple[Floats, Floats, Floats]:
        beyond = np.maximum(1.0, pending / self.clients[-1])
        p50, p95, p99 = (np.interp(pending, self.clients, row) * beyond for row in self.first_ms)
        return p50, p95, p99


def read_ladder(file: Path, scheme: str = "") -> Ladder:
    """Return the ladder of `scheme` (default: sessions, or the only one there is). Raises ConfigError, one sentence."""
    content = _read(file)
    closed = [rung for rung in content.rungs if rung.load == "closed" and rung.failed < rung.replies]
    schemes = sorted({rung.scheme for rung in closed})
    chosen = scheme or (_SESSIONS if _SESSIONS in schemes else "".join(schemes[:1]))
    if chosen not in schemes:
        there = f"; there is {', '.join(schemes)}" if schemes else "; run voicebot bench worker again"
        raise ConfigError(f"{file} has no closed-loop rung of the scheme {chosen or 'sessions'}{there}")
    rungs = sorted((rung for rung in closed if rung.scheme == chosen), key=lambda rung: rung.clients)
    if len({rung.clients for rung in rungs}) < len(rungs):
        raise ConfigError(f"{file} has two rungs for the same number of clients; keep one of them")
    return Ladder(
        chosen,
        content.source or file.name,
        np.array([float(rung.clients) for rung in rungs]),
        np.array([rung.replies_per_s for rung in rungs]),
        np.array([rung.audio_s_per_s for rung in rungs]),
        np.array([sorted((rung.first_p50_ms, rung.first_p95_ms, rung.first_p99_ms)) for rung in rungs]).T,
        np.array([rung.failed / rung.replies for rung in rungs]),
    )


def _read(file: Path) -> _File:
    try:
        with file.open("rb") as opened:
            content = opened.read(_FILE_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"{file} cannot be read ({error.strerror}); voicebot bench worker writes one") from error
    if len(content) > _FILE_BYTES:
        raise ConfigError(f"{file} is too big for a ladder; give the worker.json of voicebot bench worker")
    try:
        return _File.model_validate(json.loads(content))
    except (ValueError, RecursionError) as error:
        where = "" if not isinstance(error, ValidationError) else _place(error)
        raise ConfigError(f"{file} is no ladder{where}; give the worker.json of voicebot bench worker") from error


def _place(error: ValidationError) -> str:
    fault = error.errors()[0]
    return f" ({'.'.join(map(str, fault['loc']))}: {fault['msg']})"
