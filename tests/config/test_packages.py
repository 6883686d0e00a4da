import sys
import zipfile
from pathlib import Path

import pytest

from config.packages import HubSource, NpmSource, PipSource, SourceError, extract, sha256_of
from tests.config.store_rig import SINGLE, VOICE, npz, part, sha256, tar_bytes, zip_bytes


def make_wheel(folder: Path, name: str, version: str, members: dict[str, bytes]) -> Path:
    info = f"{name}-{version}.dist-info"
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode()
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, data in members.items():
            archive.writestr(path, data)
        archive.writestr(f"{info}/METADATA", metadata)
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return wheel


@pytest.fixture
def shelf(tmp_path: Path) -> dict[str, str]:
    """pip's own settings, pointed at a folder."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    make_wheel(folder, "shelved", "1.0", {"shelved/part.bin": SINGLE})
    return {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(folder)}


def test_pip_fetches_a_wheel_with_the_users_settings(tmp_path: Path, shelf: dict[str, str]) -> None:
    archive = PipSource(shelf).fetch("shelved==1.0", tmp_path)

    extract(archive, part("pypi:shelved==1.0", "shelved/part.bin", SINGLE), tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == SINGLE


def test_a_package_pip_cannot_find_is_refused_with_pips_own_reason(tmp_path: Path, shelf: dict[str, str]) -> None:
    with pytest.raises(SourceError, match="shelved==9"):
        PipSource(shelf).fetch("shelved==9", tmp_path)


def test_a_client_that_hangs_is_ended(tmp_path: Path, shelf: dict[str, str]) -> None:
    with pytest.raises(SourceError, match="did not finish within 0 s"):
        PipSource(shelf, timeout_s=0.01).fetch("shelved==1.0", tmp_path)


def test_without_an_npm_client_the_remedy_is_said(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"no npm client.*install Node\.js"):
        NpmSource(executable="no-such-npm").fetch("kokoro-js==1.2.1", tmp_path)


def write_client(folder: Path, body: str) -> str:
    client = folder / "client"
    client.write_text(f"#!{sys.executable}\nimport pathlib, sys\nfolder = pathlib.Path(sys.argv[-1])\n{body}\n")
    client.chmod(0o755)
    return str(client)


def test_npm_packs_the_exact_version_into_the_folder(tmp_path: Path) -> None:
    client = write_client(tmp_path, "(folder / 'x.tgz').write_text(' '.join(sys.argv[1:3]))")

    archive = NpmSource(executable=client).fetch("kokoro-js==1.2.1", tmp_path)

    assert archive.read_text() == "pack kokoro-js@1.2.1"


def test_a_client_that_leaves_nothing_is_refused(tmp_path: Path) -> None:
    client = write_client(tmp_path, "pass")

    with pytest.raises(SourceError, match=r"left 0 \.tgz files"):
        NpmSource(executable=client).fetch("kokoro-js==1.2.1", tmp_path)


def test_a_client_that_fails_without_a_word_is_still_reported(tmp_path: Path) -> None:
    client = write_client(tmp_path, "sys.exit(3)")

    with pytest.raises(SourceError, match="failed with 3"):
        NpmSource(executable=client).fetch("kokoro-js==1.2.1", tmp_path)


def test_a_hub_that_does_not_answer_is_a_source_error(tmp_path: Path) -> None:
    pytest.importorskip("huggingface_hub", reason="the hub's client comes with the local extra")

    with pytest.raises(SourceError, match="the model hub"):
        HubSource(answer_s=0.001).fetch("nobody/at-home", "file.bin", tmp_path)


def test_a_member_of_a_tarball_is_extracted(tmp_path: Path) -> None:
    archive = tmp_path / "x.tgz"
    archive.write_bytes(tar_bytes({"package/v.bin": SINGLE}))

    extract(archive, part("npm:x==1", "package/v.bin", SINGLE), tmp_path / "out")

    assert sha256_of(tmp_path / "out") == sha256(SINGLE)


def test_an_array_is_extracted_as_its_raw_bytes(tmp_path: Path) -> None:
    archive = tmp_path / "x.whl"
    archive.write_bytes(zip_bytes({"v.npz": npz(j=VOICE)}))

    extract(archive, part("pypi:x==1", "v.npz", VOICE.tobytes(), "j"), tmp_path / "out")

    assert (tmp_path / "out").read_bytes() == VOICE.tobytes()


@pytest.mark.parametrize(("member", "array"), [("missing.bin", ""), ("v.npz", "missing"), ("a.bin", "j")])
def test_what_an_archive_lacks_is_refused_and_leaves_nothing(tmp_path: Path, member: str, array: str) -> None:
    archive = tmp_path / "x.whl"
    archive.write_bytes(zip_bytes({"v.npz": npz(j=VOICE), "a.bin": SINGLE}))

    with pytest.raises(SourceError, match=member):
        extract(archive, part("pypi:x==1", member, SINGLE, array), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", ["missing", "folder", "garbage"])
def test_a_tarball_without_the_member_is_refused(tmp_path: Path, kind: str) -> None:
    archive = tmp_path / "x.tgz"
    archive.write_bytes(b"no archive" if kind == "garbage" else tar_bytes({"other": SINGLE}))

    with pytest.raises(SourceError, match="no readable"):
        extract(archive, part("npm:x==1", "package/v.bin", SINGLE), tmp_path / "out")


def test_bytes_with_another_checksum_are_refused_and_leave_nothing(tmp_path: Path) -> None:
    archive = tmp_path / "x.whl"
    archive.write_bytes(zip_bytes({"a.bin": b"something else"}))

    with pytest.raises(SourceError, match="another checksum"):
        extract(archive, part("pypi:x==1", "a.bin", SINGLE), tmp_path / "out")
    assert list(tmp_path.iterdir()) == [archive]
