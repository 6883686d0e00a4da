"""docs/platforms.md's table, made from the capability records: `python -m tests.conformance.capability_table`."""

import sys
from pathlib import Path

from gateway.platforms.base import Capabilities
from media.formats import AudioFormat
from tests.conformance.rig import PLATFORMS
from tests.conformance.test_wire import start_of, started

DOCS = Path(__file__).parents[2] / "docs"
INDEX = DOCS / "platforms.md"
BEGIN, END = "<!-- capabilities: begin -->\n", "<!-- capabilities: end -->\n"
HEAD: tuple[str, ...] = (
    "platform",
    "caller's audio",
    "bot's audio",
    "message",
    "marks",
    "on a clear",
    "keys in",
    "keys out",
)
HEAD += ("hang up", "transfer", "dial", "stream is admitted by")


def table() -> str:
    """The whole table in Markdown."""
    rows = [HEAD, ("---",) * len(HEAD), *map(_row, PLATFORMS)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def index_with(made: str) -> str:
    """The index page with another table in its place; ValueError when the page has no place for it."""
    page = INDEX.read_text("utf-8")
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{INDEX.name} has no place for the table")
    return before + begin + made + end + after


def _row(name: str) -> tuple[str, ...]:
    wire = started(name)
    can, start = wire.codec.capabilities, start_of(wire)
    return (
        f"[{name}](platforms/{name}.md)",
        _format(start.format_in),
        _format(start.format_out),
        f"{can.frame_ms_of(start.format_out)} ms",
        "yes" if can.marks else "own clock",
        _clear(can),
        "yes" if can.digits_in else "heard",
        "tones" if can.digits_out_in_band else _means(can, can.digits_out_on_stream, "send_digits"),
        _means(can, can.hang_up_on_stream, "hang_up"),
        _means(can, can.transfer_on_stream, "transfer") + (", warm too" if "warm_transfer" in can.rest else ""),
        "REST" if "dial" in can.rest else "no",
        "its credentials" if can.socket_admits else "one-time token",
    )


def _format(wire: AudioFormat) -> str:
    return f"{wire.encoding.value} {wire.rate_hz // 1000} kHz"


def _clear(can: Capabilities) -> str:
    if not can.clear:
        return "plays out what it has"
    if can.marks and can.marks_returned_on_clear:
        return "returns all marks"
    return "confirms, drops marks" if can.clear_acknowledged else ("drops marks" if can.marks else "falls silent")


def _means(can: Capabilities, on_stream: bool, method: str) -> str:
    if on_stream:
        return "stream"
    closes = "closing the stream" if method == "hang_up" else "no"
    return "REST" if method in can.rest else closes


if __name__ == "__main__":
    INDEX.write_text(index_with(table()), "utf-8")
    sys.exit(0)
