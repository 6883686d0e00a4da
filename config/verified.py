"""Which files of a model are there and right: SHA-256 once, then size and modification time."""

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path

from config.catalogue import Model, ModelFile
from config.packages import sha256_of

_STAMPS = ".verified.json"
_Stamp = list[object]


def missing_files(folder: Path, model: Model) -> list[ModelFile]:
    """Return the model's files that `folder` lacks or has wrong.

    Only files that have changed since their last comparison are read.
    """
    stamps, valid = _read_stamps(folder), {}
    for file in model.files:
        path = folder / file.name
        if not path.is_file():
            continue
        stamp = _stamp(path, file.sha256)
        if stamps.get(file.name) == stamp or sha256_of(path) == file.sha256:
            valid[file.name] = stamp
    if valid != stamps:
        _write_stamps(folder, valid)
    return [file for file in model.files if file.name not in valid]


def damaged_files(folder: Path, model: Model) -> list[ModelFile]:
    """Read every file of the model in `folder` and return the wrong ones, which count as missing from now on."""
    here = [file for file in model.files if (folder / file.name).is_file()]
    damaged = [file for file in here if sha256_of(folder / file.name) != file.sha256]
    bad = {file.name for file in damaged}
    stamps = {name: stamp for name, stamp in _read_stamps(folder).items() if name not in bad}
    if bad:
        _write_stamps(folder, stamps)
    return damaged


def _read_stamps(folder: Path) -> dict[str, _Stamp]:
    try:
        stamps = json.loads((folder / _STAMPS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamps if isinstance(stamps, dict) else {}


def _write_stamps(folder: Path, stamps: Mapping[str, _Stamp]) -> None:
    # A store that cannot be written to (a read-only image) is usable all the same: its files are read at every start.
    with contextlib.suppress(OSError):
        written = folder / f"{_STAMPS}.{os.getpid()}"
        written.write_text(json.dumps(stamps), encoding="utf-8")
        written.replace(folder / _STAMPS)


def _stamp(path: Path, sha256: str) -> _Stamp:
    stat = path.stat()
    return [sha256, stat.st_size, stat.st_mtime_ns]
