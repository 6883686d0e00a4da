"""Recorded callers through the real VAD and recogniser: when does the bot take its turn, and when does it give it up?

One call a caller, under a leaping clock. Everything is real but the model's replies and the bot's voice.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TypeVar

import numpy as np

from gateway.bench.caller_set import Caller
from gateway.bench.conversation_cases import REPLIES
from gateway.bench.heard_truth import words_off
from gateway.bench.scripted_caller import Utterance
from gateway.bench.stage import SCRIPT, TIMING, Stage, answers
from gateway.call.record import CallRecord
from gateway.call.script import Timing
from gateway.simulator.call import CallTrace
from gateway.simulator.caller import CallerTurn
from gateway.simulator.script import Manners
from gateway.stt.base import Prosody, RecogniserFactory

# The caller hangs up when nothing has come for `reply_s`, or the bot has been silent for `quiet_s`.
_MANNERS = Manners(quiet_s=0.8, greeting_s=0.5, reply_s=6.0)
# After an unfinished sentence nobody should be answered sooner.
_UNFINISHED_MS = 700
# Into the reply: at its beginning, and in the midst of it.
_MOMENTS_S = (0.4, 2.7)
# What the reply is an answer to, by language.
QUESTIONS = {"en": "opening-hours", "id": "id-open"}


@dataclass(frozen=True, slots=True)
class Hearing:
    """What the callers are heard with."""

    ears: RecogniserFactory
    prosody: Prosody | None = None
    timing: Timing = TIMING

    def stage(self, reply: str, language: str, greeting: str) -> Stage:
        script = replace(SCRIPT, language=language, greeting=greeting)
        return Stage(answers(reply), script=script, timing=self.timing, ears=self.ears, prosody=self.prosody)


@dataclass(frozen=True, slots=True)
class TurnTaken:
    """One caller's turn while the bot listened. Times run from the true end of speech."""

    caller: Caller
    cut_in: bool  # the bot was audible before the end, or took an unfinished sentence for a whole one
    wait_ms: float | None  # to the decision that the turn is over; None when it never was
    first_frame_ms: float | None

    def as_json(self) -> dict[str, object]:
        return {**asdict(self), "caller": self.caller.name}


@dataclass(frozen=True, slots=True)
class SoundOver:
    """One sound over the bot."""

    caller: Caller
    interrupted: bool
    silent_ms: float | None  # from the sound's true start until the bot was silent; None when it never was
    held_ms: float  # how long a bot that went on had held its breath
    words_off: int | None  # of an interrupted reply: the history against the speaker's truth

    def as_json(self) -> dict[str, object]:
        return {**asdict(self), "caller": self.caller.name}


async def hear_turn(caller: Caller, hearing: Hearing) -> TurnTaken:
    """Hold one call in which the caller says this."""
    stage = hearing.stage("All right.", caller.language, caller.asked)
    trace, record = await stage.call([Utterance(caller.turn(), ())], manners=_MANNERS)
    (spoken,) = trace.spoken
    commits = [turn.at_s["committed"] for turn in record.turns if "committed" in turn.at_s]
    wait_ms = 1000 * (max(commits) - spoken.end_s) if commits else None
    first_s = trace.playback.first_frame_s(spoken.end_s)
    cut_in = trace.playback.audible(spoken.start_s, spoken.end_s) is not None
    if caller.kind == "trailing" and wait_ms is not None:
        cut_in = cut_in or wait_ms < _UNFINISHED_MS
    return TurnTaken(caller, cut_in, wait_ms, 1000 * (first_s - spoken.end_s) if first_s is not None else None)


async def hear_over(caller: Caller, moment_s: float, question: CallerTurn, hearing: Hearing) -> SoundOver:
    """Hold one call in which a question is asked, and this sounds over its answer `moment_s` after that began."""
    stage = hearing.stage(REPLIES[0], caller.language, "")
    over = caller.turn(interrupt_after_s=moment_s)
    trace, record = await stage.call([Utterance(question, ()), Utterance(over, ())], manners=_MANNERS)
    return _judged(caller, trace, record)


def _judged(caller: Caller, trace: CallTrace, record: CallRecord) -> SoundOver:
    reply = next(turn for turn in record.turns if turn.bot_text)
    sound = trace.spoken[1]
    audible = trace.playback.audible(sound.start_s, sound.end_s)
    silent_s = audible[1] if audible is not None else sound.start_s
    fell_silent = silent_s < sound.end_s or reply.interrupted
    resumed_s = trace.playback.first_frame_s(silent_s)
    held_s = resumed_s - silent_s if resumed_s is not None and not reply.interrupted and fell_silent else 0.0
    return SoundOver(
        caller,
        reply.interrupted,
        1000 * (silent_s - sound.start_s) if fell_silent else None,
        1000 * held_s,
        words_off(trace, reply) if reply.interrupted else None,
    )


Found = TypeVar("Found", TurnTaken, SoundOver)


@dataclass(frozen=True, slots=True)
class TurnFigures:
    """Turns of one kind, of the rows that were tuned on or of those held out."""

    kind: str
    part: str
    turns: int
    cut_ins: int
    unanswered: int
    wait_p50_ms: float
    wait_p95_ms: float
    first_frame_p50_ms: float


@dataclass(frozen=True, slots=True)
class OverFigures:
    """Sounds of one kind over the bot."""

    kind: str
    part: str
    sounds: int
    interrupted: int
    silent_p50_ms: float
    silent_max_ms: float
    held_max_ms: float
    heard_within_a_word: int
    heard_worst_words: int


@dataclass(frozen=True, slots=True)
class Heard:
    """All that was measured."""

    turns: Sequence[TurnTaken]
    over: Sequence[SoundOver]

    def turn_figures(self) -> list[TurnFigures]:
        return [_turn_figures(kind, part, found) for kind, part, found in _groups(self.turns)]

    def over_figures(self) -> list[OverFigures]:
        return [_over_figures(kind, part, found) for kind, part, found in _groups(self.over)]


async def hear_callers(callers: Sequence[Caller], questions: Sequence[Caller], hearing: Hearing) -> Heard:
    """Hold all their calls, one after another."""
    asked = {caller.language: caller for caller in questions if caller.name in QUESTIONS.values()}
    turns, over = [], []
    for caller in callers:
        if caller.kind in ("interruption", "backchannel", "noise"):
            question = replace(asked[caller.language], gain_db=0.0, snr_db=None, lost=0.0).turn()
            over += [await hear_over(caller, moment_s, question, hearing) for moment_s in _MOMENTS_S]
        else:
            turns.append(await hear_turn(caller, hearing))
    return Heard(turns, over)


def _groups(found: Sequence[Found]) -> list[tuple[str, str, list[Found]]]:
    groups: dict[tuple[str, str], list[Found]] = {}
    for one in found:
        part = "held out" if one.caller.held_out else "tuned"
        groups.setdefault((one.caller.kind, part), []).append(one)
    return [(kind, part, ones) for (kind, part), ones in sorted(groups.items())]


def _turn_figures(kind: str, part: str, turns: list[TurnTaken]) -> TurnFigures:
    waits = [turn.wait_ms for turn in turns if turn.wait_ms is not None]
    return TurnFigures(
        kind,
        part,
        len(turns),
        sum(turn.cut_in for turn in turns),
        sum(turn.first_frame_ms is None for turn in turns),
        _percentile(waits, 50),
        _percentile(waits, 95),
        _percentile((turn.first_frame_ms for turn in turns if turn.first_frame_ms is not None), 50),
    )


def _over_figures(kind: str, part: str, sounds: list[SoundOver]) -> OverFigures:
    stopped = [sound for sound in sounds if sound.interrupted]
    silent = [sound.silent_ms for sound in stopped if sound.silent_ms is not None]
    errors = [sound.words_off for sound in stopped if sound.words_off is not None]
    return OverFigures(
        kind,
        part,
        len(sounds),
        len(stopped),
        _percentile(silent, 50),
        _percentile(silent, 100),
        round(max(sound.held_ms for sound in sounds)),
        sum(error <= 1 for error in errors),
        max(errors, default=0),
    )


def _percentile(values: Iterable[float], percent: float) -> float:
    found = list(values)
    return round(float(np.percentile(found, percent))) if found else 0.0
