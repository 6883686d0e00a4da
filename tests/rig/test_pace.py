"""A slow machine is told from a fast one by the call that it held."""

import json
from pathlib import Path

import pytest

from tests.rig.pace import SLOWEST_MS, skip_on_a_machine_too_slow_to_converse


def write(folder: Path, **latency_ms: float) -> None:
    (folder / "call.json").write_text(json.dumps({"turns": [{"latency_ms": {}}, {"latency_ms": latency_ms}]}), "utf-8")


@pytest.mark.parametrize("stage", SLOWEST_MS)
def test_a_slow_stage_skips(tmp_path: Path, stage: str) -> None:
    write(tmp_path, **{stage: SLOWEST_MS[stage] + 1})
    with pytest.raises(pytest.skip.Exception, match=stage):
        skip_on_a_machine_too_slow_to_converse(tmp_path)


def test_a_call_in_time_or_none_is_judged(tmp_path: Path) -> None:
    skip_on_a_machine_too_slow_to_converse(tmp_path)
    write(tmp_path, stt=200.0, tts_first_audio=600.0)
    skip_on_a_machine_too_slow_to_converse(tmp_path)
