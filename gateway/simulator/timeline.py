"""The picture of a call: both voices over time, the turns as bands, every response time in numbers."""

import textwrap
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from gateway.simulator.report import CallReport, TurnReport

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Inches per second of call; outside the bounds a picture is hard to read or to open.
_INCHES_PER_S = 0.42
_MIN_WIDTH, _MAX_WIDTH = 11.0, 60.0
_HEIGHT = 5.4
_DPI = 130
# A waveform is drawn as one lowest and highest value per 10 ms.
_COLUMNS_PER_S = 100
_CALLER_INK, _BOT_INK, _INK, _FAINT, _ALARM = "#2f6f9f", "#d27a1e", "#22303c", "#7c8a96", "#c23b32"
_BANDS = ("#edf3f7", "#f8f5ee")
# Lanes: the caller's voice around 1, the bot's around -1, each as high as its loudest sample.
_CALLER_Y, _BOT_Y, _LANE = 1.0, -1.0, 0.72
_TOP, _BOTTOM, _WORDS_Y = 3.0, -3.0, 1.9
_CHARS_PER_INCH = 15.0
_TEXT_LINES = 4


def draw_timeline(report: CallReport, path: Path) -> None:
    """Draw the call as a PNG. Raises OSError; matplotlib is only loaded here."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    duration_s = max(report.trace.duration_s, 1.0)
    width = min(max(duration_s * _INCHES_PER_S, _MIN_WIDTH), _MAX_WIDTH)
    figure = Figure(figsize=(width, _HEIGHT), dpi=_DPI, facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    _frame(axes, report, duration_s)
    _draw_voice(axes, report.trace.caller_pcm, report.trace.rate_hz, _CALLER_Y, _CALLER_INK)
    _draw_voice(axes, report.trace.heard_pcm, report.trace.rate_hz, _BOT_Y, _BOT_INK)
    chars_per_s = width / duration_s * _CHARS_PER_INCH
    starts = [_band_start(turn) for turn in report.turns]
    for number, turn in enumerate(report.turns):
        end_s = starts[number + 1] if number + 1 < len(starts) else duration_s
        _draw_turn(axes, turn, number, (starts[number], end_s), chars_per_s)
    for gap in report.trace.gaps:
        axes.axvspan(gap.at_s, gap.at_s + gap.length_s, ymin=0.05, ymax=0.5, color=_ALARM, alpha=0.5, linewidth=0)
    figure.savefig(path)


def _frame(axes: "Axes", report: CallReport, duration_s: float) -> None:
    axes.set_xlim(0, duration_s)
    axes.set_ylim(_BOTTOM, _TOP)
    axes.set_yticks([_CALLER_Y, _BOT_Y], ["caller", "bot, as heard"])
    axes.tick_params(colors=_FAINT, length=0, labelsize=9)
    for label, ink in zip(axes.get_yticklabels(), (_CALLER_INK, _BOT_INK), strict=True):
        label.set_color(ink)
        label.set_fontweight("bold")
    for name, spine in axes.spines.items():
        spine.set_visible(name == "bottom")
        spine.set_color(_FAINT)
    axes.set_xlabel("seconds since the stream began", color=_FAINT, fontsize=9)
    axes.set_title(_title(report), loc="left", color=_INK, fontsize=11, fontweight="bold", pad=10)


def _title(report: CallReport) -> str:
    responses = [turn.response_s for turn in report.turns if turn.response_s is not None]
    gaps = len(report.trace.gaps)
    facts = [f"{report.platform} call, {report.trace.duration_s:.1f} s"]
    if responses:
        facts.append(f"median response {median(responses):.2f} s")
    facts.append("no gap in the bot's speech" if not gaps else f"{gaps} gaps in the bot's speech")
    return "   ·   ".join(facts)


def _draw_voice(axes: "Axes", pcm: bytes, rate_hz: int, centre: float, ink: str) -> None:
    samples = np.frombuffer(pcm, dtype="<i2").astype(np.float64)
    per_column = rate_hz // _COLUMNS_PER_S
    columns = samples[: len(samples) // per_column * per_column].reshape(-1, per_column)
    if not columns.size:
        return
    scale = _LANE / max(float(np.abs(columns).max()), 1.0)
    times = np.arange(len(columns)) / _COLUMNS_PER_S
    axes.axhline(centre, color=ink, linewidth=0.6, alpha=0.35)
    axes.fill_between(
        times, centre + columns.min(1) * scale, centre + columns.max(1) * scale, color=ink, linewidth=0.3, step="mid"
    )


def _draw_turn(axes: "Axes", turn: TurnReport, number: int, band: tuple[float, float], chars_per_s: float) -> None:
    start_s, end_s = band
    axes.axvspan(start_s, end_s, color=_BANDS[number % 2], zorder=0, linewidth=0)
    chars = max(10, int((end_s - start_s) * chars_per_s))
    margin_s = 0.8 / chars_per_s
    style: dict[str, Any] = {"fontsize": 8, "linespacing": 1.25}
    axes.text(start_s + margin_s, _WORDS_Y, _quoted(turn.caller_text, chars), va="bottom", color=_CALLER_INK, **style)
    said = turn.heard_text or turn.bot_text
    axes.text(start_s + margin_s, -_WORDS_Y, _quoted(said, chars), va="top", color=_BOT_INK, **style)
    if turn.caller_end_s is None:
        return
    if turn.response_s is None or turn.first_frame_s is None:
        axes.text(turn.caller_end_s, 0, " no answer", va="center", color=_ALARM, fontsize=9, fontweight="bold")
        return
    axes.annotate(
        "",
        xy=(turn.first_frame_s, 0),
        xytext=(turn.caller_end_s, 0),
        arrowprops={"arrowstyle": "|-|,widthA=0.3,widthB=0.3", "color": _INK, "shrinkA": 0, "shrinkB": 0},
    )
    axes.text(
        turn.first_frame_s, 0, f"  {turn.response_s:.2f} s", va="center", color=_INK, fontsize=9, fontweight="bold"
    )


def _band_start(turn: TurnReport) -> float:
    return turn.caller_start_s if turn.caller_start_s is not None else 0.0


def _quoted(words: str, chars: int) -> str:
    if not words:
        return ""
    lines = textwrap.wrap(f"“{words}”", chars, max_lines=_TEXT_LINES, placeholder=" …")
    return "\n".join(lines).replace("$", r"\$")  # a bare dollar would begin mathematics
