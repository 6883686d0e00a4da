"""The tables of hearing are checked together."""

import pytest

from config.errors import ConfigError
from config.sources import load


def test_transcribe_needs_a_region_only_where_it_is_used() -> None:
    assert load("loadtest", None, []).stt.transcribe.region == ""
    with pytest.raises(ConfigError, match=r"stt\.transcribe\.region"):
        load("loadtest", None, ["stt.engine=transcribe"])


def test_a_code_for_a_language_we_do_not_speak_is_refused() -> None:
    with pytest.raises(ConfigError, match="languages"):
        load("loadtest", None, ['stt.transcribe.languages={ xx = "xx-XX" }'])
