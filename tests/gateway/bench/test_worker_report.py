import asyncio
import os
from pathlib import Path

import pytest

from gateway.bench.worker_report import gpu_percent


async def test_without_a_card_no_use_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    assert await gpu_percent() is None


async def test_the_cards_mean_use_is_told_when_the_load_ends(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "nvidia-smi"
    program.write_text("#!/bin/sh\necho 40\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    watching = asyncio.create_task(gpu_percent())
    await asyncio.sleep(1.5)
    watching.cancel()

    assert await watching == 40.0
