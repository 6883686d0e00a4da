"""Engines by their names."""

import subprocess
import sys

from tts_worker.engines import build_engine
from tts_worker.tone import ToneEngine


def test_the_tone_engine_needs_no_files() -> None:
    assert isinstance(build_engine("tone", "/nowhere", "", 1, "auto"), ToneEngine)


def test_an_engine_whose_library_is_missing_names_the_extra() -> None:
    program = (
        "import sys; sys.modules['onnxruntime'] = None\n"
        "from tts_worker.__main__ import main\n"
        "sys.exit(main(['--set', 'worker.engine=kokoro_onnx']))"
    )
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert shown.returncode == 2
    assert "onnxruntime" in shown.stderr
    assert "[local]" in shown.stderr
