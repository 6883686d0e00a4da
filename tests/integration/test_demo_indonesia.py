"""`voicebot demo --profile indonesia`: an Indonesian call with every part but the thinking real."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gateway.commands.stack import free_port
from gateway.text.speakable import speak
from media import wav
from media.formats import BYTES_PER_SAMPLE_PCM16
from tests.rig.pace import skip_on_a_machine_too_slow_to_converse
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
    skip_on_a_machine_too_slow_to_converse(out)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "does not know Indonesian" in " ".join(done.stdout.split())
    return out


def test_the_bots_indonesian_is_heard_as_it_was_said(demo: Path) -> None:
    call = json.loads((demo / "call.json").read_text("utf-8"))
    line = wav.load(demo / "heard.wav", PHONE_HZ)
    pairs = []
    for turn in call["turns"]:
        if turn["heard_text"]:  # turn by turn: in long silences Whisper repeats itself
            heard = transcribe(_cut(line, turn["bot_start_s"], turn["bot_end_s"]), PHONE_HZ, "id", beam_size=5)
            pairs.append((speak(turn["heard_text"], "id").text, speak(heard, "id").text))

    assert len(pairs) >= 4  # on a busy machine the caller may not wait for the greeting
    assert error_rate(pairs) <= 0.15


def test_every_turn_is_answered_in_the_order_of_the_script(demo: Path) -> None:
    call = json.loads((demo / "call.json").read_text("utf-8"))
    turns = [turn for turn in call["turns"] if turn["caller_text"]]

    assert [turn["bot_text"].split()[0] for turn in turns] == ["Kami", "Biaya", "Baik,", "Terima"]
    assert call["gaps"] == []


def _cut(pcm: bytes, start_s: float, end_s: float) -> bytes:
    start, end = (round(moment * PHONE_HZ) * BYTES_PER_SAMPLE_PCM16 for moment in (start_s - 0.1, end_s + 0.2))
    return pcm[max(start, 0) : end]
