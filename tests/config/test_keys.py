"""[keys]: what may be set, and what is refused."""

import pytest

from config.errors import ConfigError
from config.sources import load


def test_the_defaults_are_those_of_telephone_menus() -> None:
    keys = load("loadtest", None, (), {}).keys
    assert (keys.terminators, keys.in_band, keys.interrupts) == ("#", "auto", True)


@pytest.mark.parametrize("setting", ["terminators=x", "terminators=12345", "max_digits=0", "pause_s=0", "in_band=yes"])
def test_what_cannot_be_is_refused(setting: str) -> None:
    with pytest.raises(ConfigError, match=setting.partition("=")[0]):
        load("loadtest", None, (f"keys.{setting}",), {})


def test_no_terminator_at_all_is_possible() -> None:
    assert load("loadtest", None, ("keys.terminators=",), {}).keys.terminators == ""
