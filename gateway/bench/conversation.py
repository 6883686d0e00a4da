"""How the gateway takes turns, in figures: end of turn, interruptions, and what it knows of what was heard.

Everything runs under a leaping clock, so that the figures do not depend on what else the machine does. The truth is the
simulator's: what its speaker had played. First what is scripted to the word, then recorded callers.
"""

import json
import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from gateway.bench.caller_set import load_callers
from gateway.bench.conversation_callers import Heard, Hearing, OverFigures, TurnFigures, hear_callers
from gateway.bench.conversation_cases import (
    REPLIES,
    backchannel,
    interruption,
    noise,
    published_workload,
    question,
)
from gateway.bench.heard_truth import words_off
from gateway.bench.leaping import leap
from gateway.bench.scripted_caller import Utterance
from gateway.bench.stage import TIMING, Stage, answers
from gateway.bench.standing_prosody import StandingSmartTurn
from gateway.bench.standing_whisper import CHARGED_S, StandingWhisper
from gateway.call.script import Timing
from gateway.simulator.faults import Faults
from gateway.simulator.script import Manners

# Callers wait until the bot is surely done.
MANNERS = Manners(quiet_s=2.5, reply_s=12.0)
_Make = Callable[[random.Random, int], Utterance]


@dataclass(frozen=True, slots=True)
class WorkloadFigures:
    """The published workload under one timing. Latency is true end of speech to first bot frame."""

    timing: str
    turns: int
    early_cut_ins: int
    latency_p50_ms: float
    latency_p95_ms: float
    call_s: float


@dataclass(frozen=True, slots=True)
class OverlapFigures:
    """Sounds over the bot: how many stopped its reply, and how soon after their start it was silent."""

    kind: str
    sounds: int
    interrupted: int
    silent_p50_ms: float
    silent_max_ms: float
    heard_within_a_word: int  # of the interrupted replies, history against the speaker's truth
    heard_worst_words: int


Figures = WorkloadFigures | OverlapFigures | TurnFigures | OverFigures


def measure_turns(name: str, timing: Timing, *, marks: bool = True) -> WorkloadFigures:
    """Hold the published workload; without `marks` the recogniser sets none."""
    workload = published_workload(marks)
    trace, record = leap(Stage(answers(*REPLIES), timing=timing).call(workload, manners=MANNERS))
    latencies, early = [], 0
    for spoken in trace.spoken:
        # The greeting and the replies before are over when the caller begins.
        early += trace.playback.audible(spoken.start_s, spoken.end_s) is not None
        first_s = trace.playback.first_frame_s(spoken.end_s)
        if first_s is not None:
            latencies.append(1000 * (first_s - spoken.end_s))
    texts = {turn.caller_text for turn in record.turns}
    early = max(early, sum(u.turn.text not in texts for u in workload))
    return WorkloadFigures(
        name,
        len(trace.spoken),
        early,
        round(statistics.median(latencies)),
        round(float(np.percentile(latencies, 95))),
        round(trace.duration_s, 1),
    )


def measure_overlaps(kind: str, make: _Make, count: int, echo_db: float | None = None) -> OverlapFigures:
    """Ask, and make one sound over each answer; `count` calls."""
    rng = random.Random(kind)  # noqa: S311 - cases, no secrets
    figures = [_overlap(make(rng, number), number, echo_db) for number in range(count)]
    silent = [silent_ms for _, silent_ms, _ in figures if silent_ms is not None]
    errors = [error for _, _, error in figures if error is not None]
    return OverlapFigures(
        kind,
        count,
        sum(interrupted for interrupted, _, _ in figures),
        round(statistics.median(silent)) if silent else 0,
        round(max(silent, default=0)),
        sum(error <= 1 for error in errors),
        max(errors, default=0),
    )


def _overlap(sound: Utterance, number: int, echo_db: float | None) -> tuple[bool, float | None, int | None]:
    """Whether the reply was interrupted, how soon the bot was silent, and by how many words the history is off."""
    stage = Stage(answers(REPLIES[number % len(REPLIES)], "All right."))
    faults = Faults(echo_db=echo_db)
    trace, record = leap(stage.call([question(number), sound], faults, MANNERS))
    reply = next(turn for turn in record.turns if turn.caller_text == "What time do you open?")
    if len(trace.spoken) < 2 or not reply.interrupted:
        return reply.interrupted, None, None
    speech = trace.spoken[1]
    heard = trace.playback.audible(speech.start_s, speech.end_s)
    silent_ms = 1000 * (heard[1] - speech.start_s) if heard is not None else 0.0
    return True, silent_ms, words_off(trace, reply)


def bench_conversation(rounds: int, out_dir: Path, whisper: Path | None, prosody: Path | None) -> int:
    """Print the tables and write conversation.json; 0 always, for a figure is no verdict.

    `whisper` is the folder of the recogniser's model; without it no recorded callers are heard. `prosody` is the file
    of Smart Turn; without it their pauses are judged by the words alone.
    """
    console = Console()
    fixed = replace(TIMING, whole_silence_ms=1000, end_silence_ms=1000, unfinished_silence_ms=1000, speculate=False)
    short = replace(TIMING, whole_silence_ms=600, unfinished_silence_ms=600)
    turns = [
        measure_turns("by the words, asked in advance", TIMING),
        measure_turns("by the words, without marks", TIMING, marks=False),
        measure_turns("by the words", replace(TIMING, speculate=False)),
        measure_turns("fixed 600 ms", short),
        measure_turns("fixed 1000 ms, not asked in advance", fixed),
    ]
    console.print(_table("Eight turns, two with hesitations of 600 to 900 ms (published p50: 2077 ms)", turns))
    count = 20 * rounds
    overlaps = [
        measure_overlaps("interruption", interruption, count),
        measure_overlaps("interruption, echo -20 dB", interruption, count, -20.0),
        measure_overlaps("backchannel", backchannel, count),
        measure_overlaps("noise", noise, count),
        measure_overlaps("backchannel, echo -20 dB", backchannel, count, -20.0),
    ]
    console.print(_table("Sounds over the bot, 20 ms frames, words 100 ms after a pause", overlaps))
    figures: dict[str, object] = {"turns": _rows(turns), "overlaps": _rows(overlaps)}
    if whisper is not None:
        figures["callers"] = _recorded(whisper, prosody, console)
    (out_dir / "conversation.json").write_text(json.dumps(figures, indent=2) + "\n", "utf-8")
    return 0


def _recorded(whisper: Path, model: Path | None, console: Console) -> dict[str, object]:
    callers, missing = load_callers()
    ears = StandingWhisper(whisper)
    prosody = StandingSmartTurn(model) if model is not None else None

    async def heard() -> Heard:
        try:
            return await hear_callers(callers, callers, Hearing(ears, prosody))
        finally:
            await ears.end()
            if prosody is not None:
                await prosody.end()

    found = leap(heard())
    console.print(_table("Recorded callers: their turns, from the true end of speech", found.turn_figures()))
    console.print(_table("Recorded callers: sounds over the bot", found.over_figures()))
    for package, rows in missing.items():
        console.print(f"{rows} callers are not heard: the Debian package {package} is not installed.")
    took_p50_s, took_p95_s = np.percentile(ears.took_s, [50, 95])
    console.print(
        f"Each recognition is charged {CHARGED_S:.2f} s. On this machine, now, it took {took_p50_s:.2f} s"
        f" (p95 {took_p95_s:.2f} s); what it takes longer, a caller waits longer."
    )
    return {
        "turns": _rows(found.turn_figures()),
        "over": _rows(found.over_figures()),
        "each_turn": [turn.as_json() for turn in found.turns],
        "each_over": [sound.as_json() for sound in found.over],
        "missing": missing,
        "recognition_s": {"charged": CHARGED_S, "p50": round(took_p50_s, 3), "p95": round(took_p95_s, 3)},
    }


def _rows(figures: Sequence[Figures]) -> list[dict[str, object]]:
    return [asdict(figure) for figure in figures]


def _table(title: str, figures: Sequence[Figures]) -> Table:
    rows = _rows(figures)
    table = Table(*(name.replace("_", " ") for name in rows[0]), title=title)
    for row in rows:
        table.add_row(*(str(value) for value in row.values()))
    return table
