"""A small catalogue, and sources that hold it without a network."""

import hashlib
import io
import tarfile
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from config.catalogue import Model, ModelFile, Part
from config.packages import SourceError

HALVES = (b"the first half, ", b"and the second")
WHOLE = b"".join(HALVES)
SINGLE = b"one file"
VOICE = np.arange(6, dtype="<f4")


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def part(package: str, member: str, data: bytes, array: str = "") -> Part:
    return Part(package, member, array, sha256(data), len(data))


def file(name: str, data: bytes, *parts: Part) -> ModelFile:
    return ModelFile(name, sha256(data), len(data), parts)


def small_catalogue() -> dict[str, Model]:
    """`joined` is one file in two packages, `folder` two files in one, `voices` an npm package with a stand-in."""
    joined = file("joined.bin", WHOLE, *(part(f"pypi:half-{i}==1", "part.bin", half) for i, half in enumerate(HALVES)))
    folder = (
        file("a.txt", SINGLE, part("pypi:pair==2", "data/a.txt", SINGLE)),
        file("b.txt", WHOLE, part("pypi:pair==2", "data/b.txt", WHOLE)),
    )
    voices = file("v.bin", SINGLE, part("npm:voices==3", "package/v.bin", SINGLE))
    stand_in = file("j.bin", VOICE.tobytes(), part("pypi:arrays==4", "v.npz", VOICE.tobytes(), "j"))
    models = (
        Model("joined", "a joined file", "MIT", "joined.bin", (joined,)),
        Model("folder", "two files", "MIT", "", folder, hub="people/folder", hub_folder="sub"),
        Model("voices", "voices", "MIT", "", (voices,), alternative="voices-ja"),
        Model("voices-ja", "fewer voices", "MIT", "", (stand_in,), optional=True),
        Model("hub-only", "no package", "MIT", "w.pth", (file("w.pth", SINGLE),), hub="people/weights", optional=True),
    )
    return {model.name: model for model in models}


def npz(**arrays: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.savez(out, **arrays)  # type: ignore[arg-type]  # numpy's stub takes the keyword arrays for allow_pickle
    return out.getvalue()


def pypi_contents() -> dict[str, dict[str, bytes]]:
    halves = {f"half-{i}==1": {"part.bin": half} for i, half in enumerate(HALVES)}
    pair = {"data/a.txt": SINGLE, "data/b.txt": WHOLE}
    return {**halves, "pair==2": pair, "arrays==4": {"v.npz": npz(j=VOICE)}}


def zip_bytes(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def tar_bytes(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


@dataclass
class ShelfSource:
    """A registry on a shelf; `asked` lists what was fetched. A package that is not there cannot be had."""

    contents: dict[str, dict[str, bytes]]
    asked: list[str] = field(default_factory=list)

    def fetch(self, package: str, folder: Path) -> Path:
        self.asked.append(package)
        if package not in self.contents:
            raise SourceError(f"{package} cannot be had")
        archive = folder / "archive.whl"
        archive.write_bytes(zip_bytes(self.contents[package]))
        return archive


@dataclass
class ShelfHub:
    """A hub on a shelf, by (repository, path)."""

    contents: dict[tuple[str, str], bytes] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def fetch(self, repository: str, path: str, folder: Path) -> Path:
        self.asked.append(path)
        if (repository, path) not in self.contents:
            raise SourceError("the hub does not answer")
        target = folder / Path(path).name
        target.write_bytes(self.contents[repository, path])
        return target


@dataclass
class NotedReport:
    """Keeps what it is told."""

    said: list[str] = field(default_factory=list)
    begun: list[tuple[str, int]] = field(default_factory=list)
    advanced_bytes: int = 0
    ended: int = 0

    def begin(self, model: str, size_bytes: int) -> None:
        self.begun.append((model, size_bytes))

    def advance(self, size_bytes: int) -> None:
        self.advanced_bytes += size_bytes

    def say(self, text: str) -> None:
        self.said.append(text)

    def end(self) -> None:
        self.ended += 1
