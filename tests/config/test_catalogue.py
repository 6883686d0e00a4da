import re

from config.catalogue import load_catalogue


def test_every_file_is_recognised_by_a_checksum_and_can_be_had_from_somewhere() -> None:
    for model in load_catalogue().values():
        assert model.files
        assert model.licence
        assert model.purpose
        for file in model.files:
            assert re.fullmatch(r"[0-9a-f]{64}", file.sha256)
            assert file.size_bytes > 0
            assert file.parts or model.hub


def test_the_parts_of_a_joined_file_add_up_to_it() -> None:
    catalogue = load_catalogue()
    for file in catalogue["kokoro"].files + catalogue["whisper-base"].files:
        assert sum(part.size_bytes for part in file.parts) == file.size_bytes
    assert len(catalogue["kokoro"].files[0].parts) == 4


def test_every_package_names_its_registry_and_exact_version() -> None:
    packages = {part.package for m in load_catalogue().values() for file in m.files for part in file.parts}

    assert packages
    assert all(re.fullmatch(r"(pypi|npm):[\w.-]+==\d[\w.]*", package) for package in packages)


def test_a_file_without_parts_of_its_own_lies_in_the_models_package_under_its_name() -> None:
    (config,) = load_catalogue()["kokoro-config"].files

    assert [(part.package, part.member) for part in config.parts] == [
        ("pypi:kokoro-onnx==0.6.1", "kokoro_onnx/config.json")
    ]


def test_an_array_of_a_numpy_archive_is_a_part() -> None:
    japanese = load_catalogue()["kokoro-voices-ja"]

    assert {part.array for file in japanese.files for part in file.parts} == {
        "jf_alpha", "jf_gongitsune", "jf_nezumi", "jf_tebukuro", "jm_kumo"
    }  # fmt: skip


def test_entries_and_alternatives_exist() -> None:
    catalogue = load_catalogue()
    for model in catalogue.values():
        assert model.entry in ("", *(file.name for file in model.files))
        assert model.alternative in ("", *catalogue)


def test_the_54_voices_include_each_of_the_stand_in() -> None:
    catalogue = load_catalogue()
    voices = {file.name: file.sha256 for file in catalogue["kokoro-voices"].files}

    assert len(voices) == 54
    assert {file.name: file.sha256 for file in catalogue["kokoro-voices-ja"].files}.items() <= voices.items()


def test_a_models_size_is_that_of_its_files() -> None:
    model = load_catalogue()["kokoro-voices"]

    assert model.size_bytes == 54 * 510 * 256 * 4
