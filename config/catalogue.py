"""The catalogue of models.toml: which files make a model, where each comes from and how it is recognised."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any


@dataclass(frozen=True, slots=True)
class Part:
    """A run of bytes inside a package: a member of its archive, or one array of a NumPy archive in it."""

    package: str
    member: str
    array: str
    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file of a model: its parts, joined in order. Without parts only the hub has it."""

    name: str
    sha256: str
    size_bytes: int
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Model:
    """Files that are of use together. `entry` is what a loader is given; empty means the folder of the files."""

    name: str
    purpose: str
    licence: str
    entry: str
    files: tuple[ModelFile, ...]
    hub: str = ""
    hub_folder: str = ""
    alternative: str = ""
    optional: bool = False

    @property
    def size_bytes(self) -> int:
        return sum(file.size_bytes for file in self.files)


def load_catalogue() -> dict[str, Model]:
    """Return the catalogue that ships beside this module, by model name."""
    text = resources.files("config").joinpath("models.toml").read_text(encoding="utf-8")
    return {name: _model(name, table) for name, table in tomllib.loads(text).items()}


def _model(name: str, table: Mapping[str, Any]) -> Model:
    source, folder = table.get("source", ""), table.get("folder", "")
    return Model(
        name=name,
        purpose=table["purpose"],
        licence=table["licence"],
        entry=table["entry"],
        files=tuple(_file(key, fields, source, folder) for key, fields in table["files"].items()),
        hub=table.get("hub", ""),
        hub_folder=table.get("hub_folder", ""),
        alternative=table.get("alternative", ""),
        optional=table.get("optional", False),
    )


def _file(name: str, fields: Mapping[str, Any], source: str, folder: str) -> ModelFile:
    sha256, size_bytes = fields["sha256"], fields["size_bytes"]
    parts = tuple(_part(part) for part in fields.get("parts", ()))
    if not parts and source:
        parts = (Part(source, f"{folder}/{name}", "", sha256, size_bytes),)
    return ModelFile(name, sha256, size_bytes, parts)


def _part(fields: Mapping[str, Any]) -> Part:
    registry, package, path = fields["from"].split(":", 2)
    member, _, array = path.partition("#")
    return Part(f"{registry}:{package}", member, array, fields["sha256"], fields["size_bytes"])
