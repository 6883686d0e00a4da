"""The demo as a newcomer runs it: every part real, and what the caller heard is what the bot is said to have said."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gateway.commands.stack import free_port
from media import wav
from tests.rig.pace import skip_on_a_machine_too_slow_to_converse
from tests.rig.whisper import transcribe, word_error_rate

pytestmark = [pytest.mark.models, pytest.mark.timeout(420)]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Run `voicebot demo --once` and return its folder and what it printed."""
    out = tmp_path_factory.mktemp("demo")
    command = [sys.executable, "-m", "gateway", "demo", "--once", "--port", str(free_port()), "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=400)
    skip_on_a_machine_too_slow_to_converse(out)
    assert done.returncode == 0, done.stdout + done.stderr
    return out, done.stdout


def test_the_call_has_at_least_three_answered_turns_with_their_latencies(demo: tuple[Path, str]) -> None:
    call = json.loads((demo[0] / "call.json").read_text("utf-8"))
    turns = [turn for turn in call["turns"] if turn["caller_text"]]
    assert len(turns) >= 3
    for turn in turns:
        assert turn["bot_text"]
        assert turn["heard_text"]
        assert turn["response_s"] > 0
        assert {"end_of_turn_wait", "stt", "llm_first_token", "first_sentence", "tts_first_audio"} <= set(
            turn["latency_ms"]
        )
    assert call["gaps"] == []
    assert call["violations"] == []


def test_what_was_heard_is_what_was_said(demo: tuple[Path, str]) -> None:
    call = json.loads((demo[0] / "call.json").read_text("utf-8"))
    said = " ".join(turn["heard_text"] for turn in call["turns"])
    heard = transcribe(wav.load(demo[0] / "heard.wav", 8000), 8000)
    assert word_error_rate(said, heard) <= 0.10


def test_the_caller_was_understood(demo: tuple[Path, str]) -> None:
    call = json.loads((demo[0] / "call.json").read_text("utf-8"))
    turns = [turn for turn in call["turns"] if turn["caller_text"]]
    said = " ".join(turn["caller_text"] for turn in turns)
    recognised = " ".join(turn["recognised_text"] for turn in turns)
    assert word_error_rate(said, recognised) <= 0.10


def test_a_newcomer_is_told_that_the_bundled_model_is_only_plumbing(demo: tuple[Path, str]) -> None:
    assert "only plumbing" in demo[1]
    assert "bedrock" in demo[1].lower()
    assert (demo[0] / "timeline.png").read_bytes().startswith(b"\x89PNG")
