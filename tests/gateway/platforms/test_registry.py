"""Platforms are found by name."""

from typing import Any

import pytest

from gateway.platforms.registry import PLATFORMS, build_platform


def test_a_platform_is_built_from_plain_values() -> None:
    platform = build_platform("twilio", auth_token="secret", signing_keys={"K1": "other"})
    assert platform.name == "twilio"


@pytest.mark.parametrize("name", PLATFORMS)
def test_every_platform_is_registered_under_its_own_name(name: str) -> None:
    made: Any = PLATFORMS[name]
    if not isinstance(made, type):  # what makes Telnyx chooses between two classes
        made = made("")
    assert made.name == name


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="unknown platform 'twillio'; known are .*twilio"):
        build_platform("twillio")
