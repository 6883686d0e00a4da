import os
import resource
from pathlib import Path

import onnx
import pytest

from config.errors import ConfigError
from tests.tts_worker.onnx_rig import write_tiny_kokoro
from tts_worker.weights import DURATIONS, locate_kokoro, main, with_durations


def outputs(path: Path) -> list[str]:
    return [output.name for output in onnx.load(str(path)).graph.output]


def test_the_copy_gives_durations_beside_the_audio(tmp_path: Path) -> None:
    source = write_tiny_kokoro(tmp_path / "kokoro.onnx")

    copy = with_durations(source)

    assert outputs(source) == ["audio"]
    assert outputs(copy) == ["audio", DURATIONS]
    assert copy.parent == tmp_path


def test_the_copy_is_made_once(tmp_path: Path) -> None:
    source = write_tiny_kokoro(tmp_path / "kokoro.onnx")
    made = with_durations(source).stat().st_mtime_ns

    assert with_durations(source).stat().st_mtime_ns == made
    assert len(list(tmp_path.iterdir())) == 2


def test_another_source_under_the_same_name_gets_another_copy(tmp_path: Path) -> None:
    source = write_tiny_kokoro(tmp_path / "kokoro.onnx")
    first = with_durations(source)
    model = onnx.load(str(source))
    model.doc_string = "changed"
    onnx.save(model, str(source))

    assert with_durations(source) != first


def test_a_model_without_durations_is_refused(tmp_path: Path) -> None:
    source = write_tiny_kokoro(tmp_path / "other.onnx", with_durations=False)

    with pytest.raises(ConfigError, match="use the file of `voicebot models kokoro`"):
        with_durations(source)
    assert list(tmp_path.iterdir()) == [source]


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.onnx").write_bytes(b"\xff" * 64)

    with pytest.raises(ConfigError, match="is not an ONNX file"):
        with_durations(tmp_path / "x.onnx")


def test_a_folder_that_takes_no_copy_is_said(tmp_path: Path) -> None:
    source = write_tiny_kokoro(tmp_path / "kokoro.onnx")
    made = with_durations(source)
    made.unlink()
    made.with_suffix(f".{os.getpid()}.part").mkdir()  # stands in the way of the copy, for root too

    with pytest.raises(ConfigError, match="its folder must be writable"):
        with_durations(source)


def test_a_full_disk_is_said_and_not_filled_further(tmp_path: Path) -> None:
    source = write_tiny_kokoro(tmp_path / "kokoro.onnx")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))  # a file that grows no further fails as a disk without room
    try:
        with pytest.raises(ConfigError, match="room for a copy"):
            with_durations(source)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(tmp_path.iterdir()) == [source]


def test_missing_files_are_named_with_the_remedy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ConfigError, match="run `voicebot models kokoro`"):
        locate_kokoro(str(tmp_path))
    assert main([str(tmp_path)]) == 2
    assert "voicebot models" in capsys.readouterr().err


@pytest.mark.models
def test_the_command_writes_the_copy_of_the_real_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0

    assert outputs(Path(capsys.readouterr().out.strip())) == ["audio", DURATIONS]
