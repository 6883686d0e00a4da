"""A call's report for a terminal: what was said, what was heard, and where the time went."""

from pathlib import Path

from rich.console import Console
from rich.table import Table

from gateway.simulator.report import CallReport, TurnReport

_STAGES = {
    "end_of_turn_wait": "wait",
    "stt": "hear",
    "llm_first_token": "think",
    "first_sentence": "clause",
    "tts_first_audio": "speak",
}


def print_report(report: CallReport, out_dir: Path, console: Console | None = None) -> None:
    """Print one row a turn, and where the files are."""
    console = console or Console()
    table = Table(title=f"Call of {report.trace.duration_s:.1f} s on {report.platform}", show_lines=True)
    table.add_column("Caller said", ratio=3)
    table.add_column("Bot was heard saying", ratio=4)
    table.add_column("Answered after", justify="right")
    table.add_column("of which (ms)", ratio=2)
    for turn in report.turns:
        table.add_row(turn.caller_text or "–", _heard(turn), _response(turn), _stages(turn))
    console.print(table)
    gaps = len(report.trace.gaps)
    console.print(f"Gaps in the bot's speech: {gaps}. Ended by: {report.trace.ended_by}.")
    for what, name in (("What the caller heard", "heard.wav"), ("Picture", "timeline.png"), ("Record", "call.json")):
        console.print(f"{what}: {out_dir / name}")


def _heard(turn: TurnReport) -> str:
    if not turn.heard_text:
        return f"[red]nothing[/] {turn.failure}".strip()
    return f"{turn.heard_text} [yellow](interrupted)[/]" if turn.interrupted else turn.heard_text


def _response(turn: TurnReport) -> str:
    return "–" if turn.response_s is None else f"{turn.response_s:.2f} s"


def _stages(turn: TurnReport) -> str:
    shown = [(short, turn.latency_ms.get(name)) for name, short in _STAGES.items()]
    return "  ".join(f"{short} {ms:.0f}" for short, ms in shown if ms is not None) or "–"
