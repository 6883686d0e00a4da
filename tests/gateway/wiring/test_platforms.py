"""Which platforms are on, and what they are controlled with."""

from typing import Any

import aiohttp
import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from config.errors import ConfigError
from config.settings import Settings
from config.sources import load
from gateway.legs.leg import KeyPad
from gateway.platforms.base import Document, Rooms
from gateway.platforms.registry import PLATFORMS
from gateway.wiring.platforms import build_controls, build_platforms
from tests.conformance.served import secure_settings

SECURE = ("security.insecure_dev=false", "server.public_url=https://bot.example.test")


def settings(*overrides: str) -> Settings:
    return load("loadtest", None, overrides, {})


def test_every_platform_is_on_where_nothing_is_checked() -> None:
    assert build_platforms(settings()).keys() == PLATFORMS.keys()


def test_each_is_made_under_its_own_name() -> None:
    assert {name: platform.name for name, platform in build_platforms(settings()).items()} == {n: n for n in PLATFORMS}


def test_only_platforms_with_their_secrets_are_on_elsewhere() -> None:
    on = build_platforms(
        settings(*SECURE, "plivo.auth_token=12345678", "exotel.user=u", "bandwidth.user=u", "bandwidth.password=p")
    )
    assert on.keys() == {"plivo", "bandwidth"}
    assert build_platforms(secure_settings()).keys() == PLATFORMS.keys()


def test_without_any_platform_nothing_starts() -> None:
    with pytest.raises(ConfigError, match="no phone platform is configured"):
        settings(*SECURE)


def test_values_that_do_not_fit_name_their_table() -> None:
    with pytest.raises(ConfigError, match=r"\[telnyx\]"):
        build_platforms(settings("telnyx.public_key=short"))


def publish(document: Document) -> str:
    return "https://bot.example.test/documents/1"


async def controls(*overrides: str) -> dict[str, Any]:
    async with aiohttp.ClientSession() as http:
        return dict(build_controls(settings(*overrides), http, publish))


async def test_without_credentials_there_are_no_controls() -> None:
    assert await controls() == {}


async def test_each_control_is_made_from_its_credentials_and_does_what_its_platform_claims() -> None:
    key = generate_private_key(65537, 2048).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    made = await controls(
        "twilio.account_sid=AC1",
        "twilio.auth_token=12345678",
        "signalwire.project_id=p",
        "signalwire.token=t",
        "signalwire.space_url=https://space.example.test",
        "telnyx.api_key=k",
        "plivo.auth_id=a",
        "plivo.auth_token=t",
        "vobiz.auth_id=a",
        "vobiz.auth_token=t",
        "vonage.application_id=a",
        f"vonage.private_key={key}",
        "jambonz.account_sid=a",
        "jambonz.api_key=k",
        "chan_websocket.ari_user=u",
        "chan_websocket.ari_password=p",
        "audiosocket.ari_user=u",
        "audiosocket.ari_password=p",
        "exotel.account_sid=a",
        "exotel.api_key=k",
        "exotel.api_token=t",
        "bandwidth.account_id=a",
        "bandwidth.client_id=i",
        "bandwidth.client_secret=s",
    )
    assert made.keys() == PLATFORMS.keys() - {"freeswitch", "genesys"}
    platforms = build_platforms(settings())
    for name, control in made.items():
        claimed = platforms[name].capabilities.rest
        if "warm_transfer" in claimed:  # made of these, and of rooms
            assert isinstance(platforms[name], Rooms)
            claimed = claimed - {"warm_transfer"} | {"dial", "redirect", "hang_up"}
        assert all(callable(getattr(control, method)) for method in claimed), name
        assert isinstance(control, KeyPad) == ("send_digits" in claimed), name


def test_an_endpoint_that_has_no_place_for_the_number_is_refused() -> None:
    with pytest.raises(ConfigError, match="endpoint"):
        settings("chan_websocket.endpoint=PJSIP/trunk")


async def test_a_key_that_is_none_is_told() -> None:
    with pytest.raises(ConfigError, match=r"\[vonage\]"):
        await controls("vonage.application_id=a", "vonage.private_key=not a key")
