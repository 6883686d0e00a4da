"""From settings to what a bot may do: nothing is sent anywhere that the operator has not allowed."""

import aiohttp
import pytest

from config.errors import ConfigError
from config.sources import load
from gateway.wiring.tools import build_tool, build_tools

ORDER = (
    'bot.tools=["hang_up", "find_order"]',
    "tools.find_order.description=Looks up an order.",
    "tools.find_order.url=https://api.example.com/orders",
    "tools.find_order.secret_env=ORDERS_TOKEN",
    "tools.find_order.secret_prefix=Bearer ",
)
ALLOWED = 'tool_use.allowed_hosts=["api.example.com"]'


def loaded(*overrides: str):  # type: ignore[no-untyped-def]  # Settings, which only entry points may name
    return load("loadtest", None, list(overrides), {})


async def built(*overrides: str, environ: dict[str, str] | None = None):  # type: ignore[no-untyped-def]  # as above
    settings = loaded(*ORDER, *overrides)
    async with aiohttp.ClientSession() as http:
        table = settings.tools["find_order"]
        return build_tool("find_order", table, settings.tool_use, http, environ or {"ORDERS_TOKEN": "s3cret"})


async def test_a_tool_has_its_secret_and_its_limits() -> None:
    tool = await built(ALLOWED, "tool_use.timeout_s=3", "tool_use.max_result_bytes=500")
    assert (tool.spec.name, tool.timeout_s) == ("find_order", 3.0)
    assert tool._request.headers == {"Authorization": "Bearer s3cret"}
    assert tool._request.max_result_bytes == 500


async def test_a_host_that_is_not_allowed_stops_the_start() -> None:
    with pytest.raises(ConfigError, match="api.example.com; add it to tool_use.allowed_hosts"):
        await built()


@pytest.mark.parametrize("secret", ["", "  ", "a\nb"])
async def test_a_secret_that_is_missing_or_cannot_be_sent_stops_the_start(secret: str) -> None:
    with pytest.raises(ConfigError, match="ORDERS_TOKEN") as error:
        await built(ALLOWED, environ={"ORDERS_TOKEN": secret})
    assert "a\nb" not in str(error.value)


async def test_a_schema_that_is_none_stops_the_start() -> None:
    with pytest.raises(ConfigError, match="tools.find_order.arguments: not a JSON schema"):
        await built(ALLOWED, 'tools.find_order.arguments={type = "object", properties = 5}')


async def test_a_bot_has_what_it_lists_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORDERS_TOKEN", "s3cret")
    declared_only = loaded(*ORDER[1:], ALLOWED)
    listed = loaded(*ORDER, ALLOWED)
    async with aiohttp.ClientSession() as http:
        nothing = build_tools(declared_only, declared_only.bot, http)
        assert (nothing.built_in, nothing.others) == (frozenset(), ())
        tools = build_tools(listed, listed.bot, http)
    assert tools.built_in == {"hang_up"}
    assert [tool.spec.name for tool in tools.others] == ["find_order"]


async def test_somebody_who_has_no_number_stops_the_start() -> None:
    settings = loaded('bot.tools=["transfer"]', 'bot.transfer_to={kitchen = "downstairs"}')
    async with aiohttp.ClientSession() as http:
        with pytest.raises(
            ConfigError, match=r"bot\.transfer_to\.kitchen: a transfer goes to a phone number or a sip: address"
        ):
            build_tools(settings, settings.bot, http)
