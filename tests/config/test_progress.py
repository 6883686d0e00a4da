import io

from rich.console import Console

from config.progress import BarReport, LineReport, open_report


def test_where_there_is_no_terminal_each_model_is_a_line() -> None:
    out = io.StringIO()
    report = open_report(out)

    report.begin("kokoro", 92_361_271)
    report.advance(92_361_271)
    report.say("a word [in brackets]")
    report.end()

    assert isinstance(report, LineReport)
    assert out.getvalue().splitlines() == ["kokoro: fetching 92.4 MB", "a word [in brackets]"]


def test_a_terminal_gets_a_bar_that_fills() -> None:
    out = io.StringIO()
    report = BarReport(Console(file=out, force_terminal=True, width=100))

    report.advance(1)  # nothing begun, nothing to move
    report.begin("kokoro", 1_000_000)
    report.advance(1_000_000)
    report.say("a word [in brackets]")
    report.end()

    assert "kokoro" in out.getvalue()
    assert "1.0/1.0 MB" in out.getvalue()
    assert "a word [in brackets]" in out.getvalue()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_is_recognised() -> None:
    assert isinstance(open_report(Terminal()), BarReport)
