import json
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from config.errors import ConfigError
from config.models import ModelStore
from tests.tts_worker.kokoro_rig import SYMBOLS, make_alphabet
from tts_worker.symbols import Alphabet


def test_symbols_of_the_model_stay() -> None:
    assert make_alphabet().spell(SYMBOLS) == SYMBOLS


@pytest.mark.parametrize(
    ("written", "spelt"),
    [("g", "ɡ"), ("ɫɭ", "ll"), ("ɝ", "ɜɹ"), ("ũ", "u\u0303"), ("ä", "a"), ("ç", "ç"), ("t^s", "ts"), ("[x]", "x")],
)
def test_a_symbol_the_model_lacks_becomes_its_nearest(written: str, spelt: str) -> None:
    alphabet = make_alphabet()

    assert alphabet.spell(written) == spelt
    assert not alphabet.dropped


def test_what_has_no_nearest_is_left_out_counted_and_logged_once() -> None:
    alphabet = make_alphabet()

    with capture_logs() as logs:
        assert alphabet.spell("aǁbǁ") + alphabet.spell("ǁ") == "ab"

    assert alphabet.dropped == {"ǁ": 3}
    assert [(entry["event"], entry["symbol"]) for entry in logs] == [("phoneme_symbol_left_out", "U+01C1")]


def test_each_symbol_is_one_token() -> None:
    assert make_alphabet().tokens(";:,") == [1, 2, 3]
    with pytest.raises(KeyError):
        make_alphabet().tokens("g")


@pytest.mark.parametrize(
    "content", ["{", "[]", "{}", '{"vocab": 3}', '{"vocab": {"a": "x"}}', '{"vocab": {"a": null}}']
)
def test_a_file_that_is_not_the_models_configuration_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "config.json").write_text(content)

    with pytest.raises(ConfigError, match=r"is not Kokoro's config\.json"):
        Alphabet.load(tmp_path / "config.json")


def test_the_vocabulary_is_read_from_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"vocab": {"a": 43, "ɡ": 92}}))

    assert Alphabet.load(tmp_path / "config.json").tokens("aɡ") == [43, 92]


@pytest.mark.models
def test_the_real_vocabulary_has_these_symbols() -> None:
    config = json.loads(ModelStore().locate("kokoro-config").read_text(encoding="utf-8"))

    assert "".join(config["vocab"]) == SYMBOLS
