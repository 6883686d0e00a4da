import os
from pathlib import Path

from config.verified import damaged_files, missing_files
from tests.config.store_rig import SINGLE, WHOLE, small_catalogue

MODEL = small_catalogue()["folder"]


def fill(folder: Path) -> None:
    (folder / "a.txt").write_bytes(SINGLE)
    (folder / "b.txt").write_bytes(WHOLE)


def names(files: object) -> list[str]:
    assert isinstance(files, list)
    return [file.name for file in files]


def test_files_that_are_there_and_right_are_not_missing(tmp_path: Path) -> None:
    fill(tmp_path)

    assert missing_files(tmp_path, MODEL) == []


def test_an_absent_file_and_a_wrong_one_are_missing(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_bytes(b"wrong")

    assert names(missing_files(tmp_path, MODEL)) == ["a.txt", "b.txt"]


def test_a_folder_that_does_not_exist_has_everything_missing(tmp_path: Path) -> None:
    assert len(missing_files(tmp_path / "nowhere", MODEL)) == 2


def test_a_verified_file_is_not_read_again_while_size_and_time_stay(tmp_path: Path) -> None:
    fill(tmp_path)
    missing_files(tmp_path, MODEL)
    changed = tmp_path / "a.txt"
    times = changed.stat()
    changed.write_bytes(SINGLE[::-1])
    os.utime(changed, ns=(times.st_atime_ns, times.st_mtime_ns))

    assert missing_files(tmp_path, MODEL) == []
    assert names(damaged_files(tmp_path, MODEL)) == ["a.txt"]
    assert names(missing_files(tmp_path, MODEL)) == ["a.txt"]


def test_a_file_with_another_time_is_read_again(tmp_path: Path) -> None:
    fill(tmp_path)
    missing_files(tmp_path, MODEL)
    (tmp_path / "a.txt").write_bytes(SINGLE[::-1])
    os.utime(tmp_path / "a.txt", ns=(1, 1))

    assert names(missing_files(tmp_path, MODEL)) == ["a.txt"]


def test_broken_notes_are_forgotten(tmp_path: Path) -> None:
    fill(tmp_path)
    for broken in ("{", "[1]"):
        (tmp_path / ".verified.json").write_text(broken)
        assert missing_files(tmp_path, MODEL) == []


def test_nothing_is_damaged_where_nothing_is(tmp_path: Path) -> None:
    assert damaged_files(tmp_path, MODEL) == []
