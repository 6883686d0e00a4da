"""`voicebot demo --profile indonesia`: an Indonesian call with every part but the thinking real."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gateway.stack import free_port
from gateway.text.speakable import speak
from media import wav
from tests.rig.speech import error_rate
from tests.rig.whisper import PHONE_HZ, transcribe

pytestmark = [pytest.mark.models, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run the demo once and return its folder."""
    out = tmp_path_factory.mktemp("demo")
    command = [sys.executable, "-m", "gateway", "demo", "--profile", "indonesia", "--once"]
    done = subprocess.run(
        [*command, "--port", str(free_port()), "--out", str(out)], capture_output=True, text=True, timeout=280
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "does not know Indonesian" in " ".join(done.stdout.split())
    return out


def test_the_bots_indonesian_is_heard_as_it_was_said(demo: Path) -> None:
    call = json.loads((demo / "call.json").read_text("utf-8"))
    said = " ".join(turn["heard_text"] for turn in call["turns"])
    heard = transcribe(wav.load(demo / "heard.wav", PHONE_HZ), PHONE_HZ, "id", beam_size=5)

    assert error_rate([(speak(said, "id").text, speak(heard, "id").text)]) <= 0.15


def test_every_turn_is_answered_in_the_order_of_the_script(demo: Path) -> None:
    call = json.loads((demo / "call.json").read_text("utf-8"))
    turns = [turn for turn in call["turns"] if turn["caller_text"]]

    assert [turn["bot_text"].split()[0] for turn in turns] == ["Kami", "Biaya", "Baik,", "Sama-sama."]
    assert call["gaps"] == []
