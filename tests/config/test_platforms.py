"""The platforms' tables: their secrets switch them on and are never shown."""

import pytest

from config.errors import ConfigError
from config.platforms import PlatformGroup, check_networks
from config.sources import load

TABLES = sorted(name for name, value in load("loadtest", None, (), {}) if isinstance(value, PlatformGroup))


def test_networks_are_networks() -> None:
    assert check_networks(("10.0.0.0/8", "::1")) == ("10.0.0.0/8", "::1")
    with pytest.raises(ValueError, match="here"):
        check_networks(("here",))


@pytest.mark.parametrize("key", ["audiosocket.networks", "server.trusted_proxies"])
def test_a_network_that_is_none_is_told_by_its_key(key: str) -> None:
    with pytest.raises(ConfigError, match=key.replace(".", r"\.")):
        load("loadtest", None, [f'{key}=["here"]'], {})


@pytest.mark.parametrize("name", TABLES)
def test_a_platform_is_off_until_every_secret_of_it_is_set(name: str) -> None:
    table = getattr(load("loadtest", None, (), {}), name)
    assert not table.enabled
    *some, last = table.proof
    assert not table.model_copy(update=dict.fromkeys(some, "secret")).enabled
    assert table.model_copy(update=dict.fromkeys([*some, last], "secret")).enabled


@pytest.mark.parametrize("name", TABLES)
def test_secrets_are_not_in_a_repr(name: str) -> None:
    table = getattr(load("loadtest", None, (), {}), name)
    words = ("secret", "token", "password", "private_key", "signing_key", "api_key")
    secrets = [key for key in type(table).model_fields if any(word in key for word in words)]
    shown = repr(table.model_copy(update=dict.fromkeys(secrets, "never-shown")))
    # An api_key that is only an identifier, shown beside a signature, is none.
    hidden = [key for key in secrets if not type(table).model_fields[key].repr]
    assert shown.count("never-shown") == len(secrets) - len(hidden)
    assert len(hidden) >= 1


def test_without_signatures_genesys_is_switched_on_by_its_key() -> None:
    table = load("loadtest", None, ["genesys.require_signature=false"], {}).genesys
    assert not table.enabled
    assert table.model_copy(update={"api_key": "key"}).enabled
