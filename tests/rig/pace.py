"""Whether a machine can hold a conversation in real time at all."""

import json
from pathlib import Path

import pytest

# A quiet two-core machine takes 0.2 s for the words and 0.6 s to the first audio. Five to seven times as slow, callers
# talk into late sentences and hang up on the last one, and what the test would judge is the machine.
SLOWEST_MS = {"stt": 1500.0, "tts_first_audio": 3000.0}


def skip_on_a_machine_too_slow_to_converse(folder: Path) -> None:
    """Skip the test, with what was too slow, by the call.json in `folder`; nothing where there is none."""
    file = folder / "call.json"
    turns = json.loads(file.read_text("utf-8"))["turns"] if file.is_file() else []
    for turn in turns:
        for stage, most_ms in SLOWEST_MS.items():
            took_ms = turn["latency_ms"].get(stage, 0.0)
            if took_ms > most_ms:
                pytest.skip(f"this machine, now, is too slow to converse: {stage} took {took_ms:.0f} ms")
