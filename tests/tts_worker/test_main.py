"""The worker's process from its command line: configuration at fault, engines that are not there, signals."""

import json
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.rig.worker import running_worker
from tts_worker.__main__ import _listen, main


def test_help_shows_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--help"])
    assert left.value.code == 0
    assert "worker.engine=tone" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--set", "worker.engine=parrot"], "worker.engine"),
        (["--set", "worker.host=0.0.0.0"], "worker.token"),
        (["--config", "/nowhere/voicebot.toml"], "/nowhere/voicebot.toml"),
        (["--profile", "nothing"], "profile"),
        (["--set", "worker.engine=tone", "--set", "worker.host=203.0.113.1", "--set", "worker.token=x"], "203.0.113.1"),
    ],
)
def test_a_wrong_configuration_ends_with_one_sentence_and_code_2(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line


def test_a_real_engine_without_its_files_says_how_to_get_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("onnxruntime")
    assert main(["--set", "worker.engine=kokoro_onnx", "--set", f"models.dir={tmp_path}"]) == 2
    assert "voicebot models" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("fault", "said"), [("OSError('damaged model')", "damaged model"), ("MemoryError", "MemoryError")]
)
def test_an_engine_that_cannot_start_ends_the_process_with_code_1(fault: str, said: str) -> None:
    program = (
        "import sys\n"
        "from tts_worker import tone\n"
        "class Broken(tone.ToneEngine):\n"
        f"    def warm_up(self): raise {fault}\n"
        "tone.ToneEngine = Broken\n"
        "from tts_worker.__main__ import _listen, main\n"
        "sys.exit(main(['--set', 'worker.engine=tone', '--set', 'worker.port=0', '--set', 'log.format=json']))"
    )
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert shown.returncode == 1
    (line,) = [line for line in shown.stderr.splitlines() if "engine_failed_to_start" in line]
    assert said in json.loads(line)["error"]


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_process_with_code_0(stop: signal.Signals) -> None:
    with running_worker() as worker:
        worker.process.send_signal(stop)
        assert worker.process.wait(10) == 0


def test_a_peer_that_vanished_while_nothing_was_under_way_is_noticed_by_the_kernel() -> None:
    with _listen("127.0.0.1", 0) as listener:
        listener.listen()
        with socket.create_connection(listener.getsockname()), listener.accept()[0] as accepted:
            assert accepted.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1


def test_the_token_is_not_in_the_log() -> None:
    with running_worker("worker.token=open-sesame") as worker:
        worker.terminate()
        lines = []
        while not worker.log.empty():
            lines.append(str(worker.log.get()))
        assert "open-sesame" not in "".join(lines)
