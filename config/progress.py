"""How a fetch tells the operator where it is: a bar on a terminal, lines elsewhere."""

import sys
from typing import Protocol, TextIO

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, SpinnerColumn, TaskID, TextColumn

_MEGABYTE = 1_000_000


class FetchReport(Protocol):
    """Told what a fetch does, from the thread that does it. `begin` and `end` frame each model."""

    def begin(self, model: str, size_bytes: int) -> None: ...

    def advance(self, size_bytes: int) -> None: ...

    def say(self, text: str) -> None: ...

    def end(self) -> None: ...


class LineReport:
    """One line a model, for logs and pipes."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def begin(self, model: str, size_bytes: int) -> None:
        self.say(f"{model}: fetching {size_bytes / _MEGABYTE:.1f} MB")

    def advance(self, size_bytes: int) -> None:
        """Lines have no room for progress."""

    def say(self, text: str) -> None:
        print(text, file=self._out, flush=True)

    def end(self) -> None:
        """Nothing is drawn, so nothing is closed."""


class BarReport:
    """A bar a model. It moves when a package has arrived, as the clients report nothing in between."""

    def __init__(self, console: Console) -> None:
        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), DownloadColumn())
        self._progress = Progress(*columns, console=console)
        self._task: TaskID | None = None

    def begin(self, model: str, size_bytes: int) -> None:
        self._task = self._progress.add_task(model, total=size_bytes)
        self._progress.start()

    def advance(self, size_bytes: int) -> None:
        if self._task is not None:
            self._progress.advance(self._task, size_bytes)

    def say(self, text: str) -> None:
        self._progress.console.print(text, highlight=False, markup=False)

    def end(self) -> None:
        self._progress.stop()


def open_report(out: TextIO | None = None) -> FetchReport:
    """Return the report that suits `out`, by default standard error."""
    stream = out or sys.stderr
    return BarReport(Console(file=stream)) if stream.isatty() else LineReport(stream)
