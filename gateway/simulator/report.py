"""What a simulated call amounted to: its turns with their times and words, written as call.json and heard.wav."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gateway.simulator.call import CallTrace
from gateway.simulator.script import SpokenTurn
from media import wav

_DIGITS = 3
Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TurnReport:
    """One turn: the caller's words and the bot's answer. A greeting is a turn without caller.

    `response_s` runs from the end of the caller's speech to the bot's first frame, `audible_response_s` to its first
    audible sound. The words but `caller_text`, and what is below the times, are from the gateway's own record.
    """

    caller_text: str = field(default="", repr=False)
    recognised_text: str = field(default="", repr=False)
    bot_text: str = field(default="", repr=False)
    heard_text: str = field(default="", repr=False)
    recording: str = ""
    caller_start_s: float | None = None
    caller_end_s: float | None = None
    first_frame_s: float | None = None
    bot_start_s: float | None = None
    bot_end_s: float | None = None
    response_s: float | None = None
    audible_response_s: float | None = None
    interrupted: bool = False
    failure: str = ""
    latency_ms: Record = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return {name: _rounded(getattr(self, name)) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class CallReport:
    """A whole call; `trace` holds the audio."""

    platform: str
    call_id: str
    trace: CallTrace = field(repr=False)
    turns: tuple[TurnReport, ...]

    @property
    def answered(self) -> int:
        """How many of the caller's turns the bot answered; fewer than were to be spoken when the call ended early."""
        return sum(t.caller_end_s is not None and t.bot_start_s is not None for t in self.turns)

    def as_json(self) -> dict[str, Any]:
        gaps = self.trace.gaps
        return {
            "platform": self.platform,
            "call_id": self.call_id,
            "duration_s": _rounded(self.trace.duration_s),
            "ended_by": self.trace.ended_by,
            "gaps": [{"at_s": _rounded(gap.at_s), "length_s": _rounded(gap.length_s)} for gap in gaps],
            "keys_pressed": self.trace.keyed,
            "violations": list(self.trace.violations),
            "turns": [turn.as_json() for turn in self.turns],
        }


def build_report(platform: str, call_id: str, trace: CallTrace, record: Record | None = None) -> CallReport:
    """Join what was heard on the line with the gateway's own record of the call, if there is one.

    A bot's audio belongs to the caller's turn that ended last before it; what came before the first is the greeting.
    """
    spoken = trace.spoken
    bounds = [*(turn.end_s for turn in spoken), float("inf")]
    turns = [_turn(trace, turn, turn.end_s, until_s) for turn, until_s in zip(spoken, bounds[1:], strict=True)]
    greeting = _turn(trace, None, 0.0, bounds[0])
    if greeting.bot_start_s is not None:
        turns.insert(0, greeting)
    return CallReport(platform, call_id, trace, tuple(_merged(turns, _recorded_turns(record))))


def write_report(report: CallReport, out_dir: Path) -> None:
    """Write heard.wav and call.json into `out_dir`, which is made when missing. Raises OSError."""
    out_dir.mkdir(parents=True, exist_ok=True)
    wav.save(out_dir / "heard.wav", report.trace.heard_pcm, report.trace.rate_hz)
    text = json.dumps(report.as_json(), ensure_ascii=False, indent=2)
    (out_dir / "call.json").write_text(text + "\n", "utf-8")


def _turn(trace: CallTrace, spoken: SpokenTurn | None, from_s: float, until_s: float) -> TurnReport:
    frame_s = trace.playback.first_frame_s(from_s, until_s)
    audible = trace.playback.audible(from_s, until_s)
    start_s, end_s = audible or (None, None)
    if spoken is None:
        return TurnReport(first_frame_s=frame_s, bot_start_s=start_s, bot_end_s=end_s)
    return TurnReport(
        caller_text=spoken.turn.text or spoken.turn.digits,
        recording=spoken.turn.name,
        caller_start_s=spoken.start_s,
        caller_end_s=spoken.end_s,
        first_frame_s=frame_s,
        bot_start_s=start_s,
        bot_end_s=end_s,
        response_s=None if frame_s is None else frame_s - spoken.end_s,
        audible_response_s=None if start_s is None else start_s - spoken.end_s,
    )


def _merged(turns: Sequence[TurnReport], recorded: Sequence[Record]) -> list[TurnReport]:
    """Give each turn the gateway's words by the time of its first frame: one utterance may be two turns over there."""
    shares: list[list[Record]] = [[] for _ in turns]
    index = 0
    for record in recorded:
        at_s = _moment(record)
        if at_s is not None:
            begun = [i for i, turn in enumerate(turns) if (turn.caller_end_s or 0.0) <= at_s]
            index = begun[-1] if begun else 0
        if index < len(turns):
            shares[index].append(record)
    return [_with_record(turn, share) for turn, share in zip(turns, shares, strict=True)]


def _moment(record: Record) -> float | None:
    """When a turn of the gateway's record was answered, or at least ended, in seconds since the call began."""
    at_s = record.get("at_s")
    if not isinstance(at_s, dict):
        return None
    moments = (at_s.get(name) for name in ("first_frame", "final", "committed", "caller_end"))
    return next((float(moment) for moment in moments if isinstance(moment, int | float)), None)


def _with_record(turn: TurnReport, share: Sequence[Record]) -> TurnReport:
    if not share:
        return turn
    recognised = _joined(share, "caller_text")
    latencies = (record.get("latency_ms") for record in share)
    return replace(
        turn,
        caller_text=turn.caller_text or (recognised if turn.recording else ""),
        recognised_text=recognised,
        bot_text=_joined(share, "bot_text"),
        heard_text=_joined(share, "heard_text"),
        interrupted=any(record.get("interrupted") is True for record in share),
        failure=_joined(share, "failure"),
        latency_ms=next((dict(latency) for latency in latencies if isinstance(latency, dict) and latency), {}),
    )


def _joined(share: Sequence[Record], key: str) -> str:
    return " ".join(text for record in share if isinstance(text := record.get(key), str) and text.strip())


def _recorded_turns(record: Record | None) -> list[Record]:
    turns = (record or {}).get("turns")
    return [turn for turn in turns if isinstance(turn, dict)] if isinstance(turns, list) else []


def _rounded(value: Any) -> Any:
    return round(value, _DIGITS) if isinstance(value, float) else value
