"""What happened in a call, for GET /calls, reports and metrics. Times are seconds since the call began."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# Milestones of one turn in the order they happen; each gap has a name in `stages_ms`.
MILESTONES = ("caller_end", "committed", "final", "first_token", "first_sentence", "tts_first_audio", "first_frame")
STAGES = ("end_of_turn_wait", "stt", "llm_first_token", "first_sentence", "tts_first_audio", "to_wire")


@dataclass(slots=True)
class TurnRecord:
    """One exchange: what the caller said, what the bot meant to say, what was heard of it, and where the time went."""

    caller_text: str = field(default="", repr=False)
    bot_text: str = field(default="", repr=False)
    heard_text: str = field(default="", repr=False)
    interrupted: bool = False
    failure: str = ""
    at_s: dict[str, float] = field(default_factory=dict)

    def reach(self, milestone: str, now_s: float) -> None:
        """Note when a milestone was first passed."""
        self.at_s.setdefault(milestone, now_s)

    def stages_ms(self) -> dict[str, float]:
        """Time between neighbouring milestones, and `total`: end of the caller's speech to the first frame."""
        at = self.at_s
        stages = {
            stage: round((at[after] - at[before]) * 1000, 1)
            for stage, before, after in zip(STAGES, MILESTONES, MILESTONES[1:], strict=False)
            if before in at and after in at
        }
        if "caller_end" in at and "first_frame" in at:
            stages["total"] = round((at["first_frame"] - at["caller_end"]) * 1000, 1)
        return stages

    def as_json(self) -> dict[str, Any]:
        return {
            "caller_text": self.caller_text,
            "bot_text": self.bot_text,
            "heard_text": self.heard_text,
            "interrupted": self.interrupted,
            "failure": self.failure,
            "at_s": {name: round(at, 3) for name, at in self.at_s.items()},
            "latency_ms": self.stages_ms(),
        }


@dataclass(frozen=True, slots=True)
class ToolRecord:
    """One tool that the model called. `outcome`: ok, cancelled, or the code of what went wrong; no arguments."""

    name: str
    outcome: str
    began_s: float
    duration_s: float

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "outcome": self.outcome,
            "began_s": round(self.began_s, 3),
            "duration_s": round(self.duration_s, 3),
        }


@dataclass(slots=True)
class CallRecord:
    """One call. Words are in `turns` only, so that keeping a record without them is keeping it without turns."""

    call_id: str
    platform: str
    began_at: str
    turns: list[TurnRecord] = field(default_factory=list, repr=False)
    ended: str = ""
    duration_s: float = 0.0
    peer_errors: dict[str, int] = field(default_factory=dict)
    underruns: int = 0
    bot: str = ""
    answered_by: str = ""  # of a call that we placed: human, machine or fax, where that was found out
    tools: list[ToolRecord] = field(default_factory=list)

    def end(self, reason: str, duration_s: float, peer_errors: Mapping[str, int], underruns: int) -> None:
        """The call is over."""
        self.ended, self.duration_s, self.underruns = reason, duration_s, underruns
        self.peer_errors = dict(peer_errors)

    def as_json(self, words: bool = True) -> dict[str, Any]:
        return {
            "call_id": self.call_id,
            "platform": self.platform,
            "began_at": self.began_at,
            "bot": self.bot,
            **({"answered_by": self.answered_by} if self.answered_by else {}),
            "ended": self.ended,
            "duration_s": round(self.duration_s, 3),
            "peer_errors": dict(self.peer_errors),
            "underruns": self.underruns,
            "turn_count": len(self.turns),
            "tools": [tool.as_json() for tool in self.tools],
            **({"turns": [turn.as_json() for turn in self.turns]} if words else {}),
        }
