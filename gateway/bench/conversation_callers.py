"""Recorded people through the real recogniser, in real time: does the bot cut in, and how long does it wait?"""

import asyncio
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gateway.bench.scripted_caller import RATE_HZ, Utterance
from gateway.bench.stage import SCRIPT, TIMING, Stage, answers
from gateway.simulator.caller import CallerTurn, load_turns
from gateway.simulator.script import Manners
from gateway.stt.base import RecogniserFactory

_SNR_DB = 15.0
_LOST = 0.03
_QUIET_DB = -15.0
_FRAME = RATE_HZ // 50
# Tenths of a second: loading the model on a slow disk.
_READY_TRIES = 1200
_Samples = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class CallerFigures:
    """One way the recordings were spoiled. The wait runs from the true end of speech to the end of the turn."""

    line: str
    utterances: int
    cut_ins: int
    unanswered: int
    wait_p50_ms: float
    wait_p95_ms: float


def _noisy(pcm: _Samples) -> _Samples:
    loud = np.abs(pcm) > np.abs(pcm).max() / 20
    level = np.sqrt((pcm[loud] ** 2).mean()) * 10 ** (-_SNR_DB / 20)
    return np.asarray(pcm + np.random.default_rng(1).normal(0, level, len(pcm)))


def _lossy(pcm: _Samples) -> _Samples:
    spoiled, rng = pcm.copy(), np.random.default_rng(2)
    for start in range(0, len(pcm), _FRAME):
        if rng.random() < _LOST:
            spoiled[start : start + _FRAME] = 0
    return spoiled


def _quiet(pcm: _Samples) -> _Samples:
    return np.asarray(pcm * 10 ** (_QUIET_DB / 20))


LINES: Mapping[str, Callable[[_Samples], _Samples]] = {
    "clean": lambda pcm: pcm,
    f"noise at {_SNR_DB:.0f} dB": _noisy,
    f"{_LOST:.0%} of frames lost": _lossy,
    f"{-_QUIET_DB:.0f} dB quieter": _quiet,
}


def recordings() -> list[CallerTurn]:
    """The bundled callers who speak in turn."""
    with resources.as_file(resources.files("gateway.simulator") / "callers") as folder:
        return load_turns(sorted(p for p in Path(folder).glob("*.wav") if p.stem != "interrupt"), RATE_HZ)


async def measure_callers(ears: RecogniserFactory, line: str) -> CallerFigures:
    """Hold one call with all recordings over one line; the ears are closed with it."""
    for _ in range(_READY_TRIES):
        if await ears.ready():
            break
        await asyncio.sleep(0.1)
    spoiled = [_spoiled(turn, LINES[line]) for turn in recordings()]
    stage = Stage(answers("All right."), script=replace(SCRIPT, greeting=""), timing=TIMING, ears=ears)
    utterances = [Utterance(turn, ()) for turn in spoiled]
    trace, record = await stage.call(utterances, manners=Manners(quiet_s=0.8, greeting_s=0.5, reply_s=6.0))
    waits, cut_ins, unanswered = [], 0, 0
    commits = [turn.at_s["committed"] for turn in record.turns if "committed" in turn.at_s]
    for number, spoken in enumerate(trace.spoken):
        following = trace.spoken[number + 1].start_s if number + 1 < len(trace.spoken) else trace.duration_s
        cut_ins += trace.playback.audible(spoken.start_s, spoken.end_s) is not None
        unanswered += trace.playback.audible(spoken.end_s, following) is None
        ends = [at_s for at_s in commits if spoken.start_s < at_s < following]
        waits += [1000 * (max(ends) - spoken.end_s)] if ends else []
    return CallerFigures(
        line,
        len(trace.spoken),
        cut_ins,
        unanswered,
        round(statistics.median(waits)),
        round(float(np.percentile(waits, 95))),
    )


def _spoiled(turn: CallerTurn, spoil: Callable[[_Samples], _Samples]) -> CallerTurn:
    pcm = spoil(np.frombuffer(turn.pcm, "<i2").astype(np.float64))
    return replace(turn, pcm=pcm.clip(-32_768, 32_767).astype("<i2").tobytes())
