"""Basic credentials as a platform sends them."""

import pytest

from gateway.simulator.basic import basic_headers
from gateway.simulator.failure import CallFailed


def test_a_secret_of_two_parts_becomes_the_header() -> None:
    assert basic_headers("bot:p:w") == {"Authorization": "Basic Ym90OnA6dw=="}
    assert basic_headers("") == {}


def test_half_a_secret_fails_the_call() -> None:
    with pytest.raises(CallFailed, match="bad_secret"):
        basic_headers("bot")
