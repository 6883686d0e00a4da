"""`python -m gateway` is `voicebot`; its exit codes are tested in test_cli.py."""

import runpy
import sys

import pytest

from gateway.cli import main


def test_the_module_runs_the_command_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["gateway", "--help"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("gateway", run_name="__main__")
    by_module = capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["--help"])
    assert ended.value.code == 0
    assert by_module == capsys.readouterr().out
