"""From settings to what a bot may do."""

import os
from collections.abc import Mapping

import aiohttp

from config.bots import Bot
from config.errors import ConfigError
from config.settings import Settings
from config.tools import BUILT_IN, HttpTool, ToolUse
from gateway.errors import Refused
from gateway.llm.base import Tool
from gateway.platforms.target import is_number
from gateway.tools import http as requests
from gateway.tools.base import Toolset


def build_tools(settings: Settings, bot: Bot, http: aiohttp.ClientSession, where: str = "bot") -> Toolset:
    """What `bot`, of the table `where`, may do; ConfigError when one of its tools cannot be used."""
    for person, number in bot.transfer_to.items():
        try:
            is_number(number)
        except Refused as refused:
            raise ConfigError(f"{where}.transfer_to.{person}: {refused.detail}, not {number!r}") from refused
    others = [build_tool(name, settings.tools[name], settings.tool_use, http) for name in _declared(bot)]
    return Toolset(frozenset(bot.tools) & frozenset(BUILT_IN), bot.transfer_to, tuple(others), bot.warm_transfer)


def build_tool(
    name: str,
    table: HttpTool,
    limits: ToolUse,
    http: aiohttp.ClientSession,
    environ: Mapping[str, str] | None = None,
) -> requests.HttpTool:
    """A declared tool; ConfigError when its host is not allowed, its secret is missing, or its schema is none."""
    if table.host not in limits.allowed_hosts:
        raise ConfigError(f"tools.{name}.url asks {table.host}; add it to tool_use.allowed_hosts if that is right")
    headers = {}
    if table.secret_env:
        secret = (os.environ if environ is None else environ).get(table.secret_env, "").strip()
        if not secret or not secret.isprintable():
            raise ConfigError(
                f"tools.{name}: the environment variable {table.secret_env} is not set; put the secret there"
            )
        headers[table.secret_header] = table.secret_prefix + secret
    request = requests.HttpRequest(table.method, table.url, headers, limits.max_result_bytes)
    spec = Tool(name, table.description, table.arguments)
    try:
        return requests.HttpTool(spec, request, http, table.timeout_s or limits.timeout_s)
    except ValueError as error:
        raise ConfigError(f"tools.{name}.arguments: {error}") from error


def _declared(bot: Bot) -> list[str]:
    return [name for name in dict.fromkeys(bot.tools) if name not in BUILT_IN]
