"""Declared tools: every way of writing one, and a clear sentence for every way of writing it wrong."""

from pathlib import Path

import pytest

from config.errors import ConfigError
from config.settings import Settings
from config.sources import load

TOOL = """
[bot]
tools = ["hang_up", "find_order"]
[tool_use]
allowed_hosts = ["api.example.com"]
[tools.find_order]
description = "Looks up an order."
url = "https://api.example.com/orders/{number}"
arguments = '''{"type": "object", "required": ["number"], "properties": {"number": {"type": "string"}}}'''
"""


def written(tmp_path: Path, text: str = TOOL, *overrides: str, environ: dict[str, str] | None = None) -> Settings:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    return load("offline", file, overrides, environ or {})


def test_no_bot_may_do_anything_unless_it_is_told() -> None:
    assert load("offline", environ={}).bot.tools == ()


def test_a_schema_is_written_as_json_or_as_tables(tmp_path: Path) -> None:
    as_json = written(tmp_path).tools["find_order"]
    lines = [line for line in TOOL.splitlines() if not line.startswith("arguments")]
    tables = (
        '\n[tools.find_order.arguments]\ntype = "object"\nrequired = ["number"]\nproperties.number.type = "string"\n'
    )
    assert written(tmp_path, "\n".join(lines) + tables).tools["find_order"].arguments == as_json.arguments


def test_a_later_source_changes_one_key_of_a_tool(tmp_path: Path) -> None:
    settings = written(
        tmp_path, TOOL, "tools.find_order.timeout_s=3", environ={"VOICEBOT_TOOLS__FIND_ORDER__METHOD": "POST"}
    )
    tool = settings.tools["find_order"]
    assert (tool.timeout_s, tool.method, tool.description) == (3.0, "POST", "Looks up an order.")


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://api.example.com/x", "api.example.com"),
        ("https://API.example.com:8443/x?a={b}", "api.example.com:8443"),
        ("http://127.0.0.1:9/x", "127.0.0.1:9"),
        ("http://[::1]:9/x", "[::1]:9"),
    ],
)
def test_the_host_is_told_with_its_port(tmp_path: Path, url: str, host: str) -> None:
    text = TOOL.replace("{number}", "").replace("https://api.example.com/orders/", url).replace('["number"]', '["b"]')
    assert written(tmp_path, text).tools["find_order"].host == host


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"find_order"]', '"find_ordr"]', "bot.tools names find_ordr"),
        ('"find_order"]', '"transfer"]', "bot.transfer_to names nobody"),
        ("[tools.find_order]", "[tools.hang_up]", "not a built-in's"),
        ("[tools.find_order]", '[tools."find order"]', "letters, digits, - and _"),
        ("/orders/", "/my orders/", "tools.find_order.url: give an address"),
        ("api.example.com/", "api.example.com:99999/", "tools.find_order.url: "),
        ("https://api", "ftp://api", "tools.find_order.url: give an address"),
        ("https://api.example.com", "https://user:pw@api.example.com", "tools.find_order.url: give an address"),
        ("https://api.example.com", "https://{number}.example.com", "the model could choose whom to ask"),
        ("{number}", "{id}", "url has a place {id}"),
        ('{"type"', "type", "tools.find_order.arguments: the text is not JSON"),
        ('"Looks up an order."', '""', "tools.find_order.description: "),
        ("description", 'secret_header = "X Y"\ndescription', "tools.find_order.secret_header: give the name"),
        ("description", "timeout_s = 600\ndescription", "tools.find_order.timeout_s: "),
        ("description", "descripton = 1\ndescription", "did you mean tools.find_order.description?"),
    ],
)
def test_a_mistake_is_one_sentence_that_names_it(tmp_path: Path, old: str, new: str, says: str) -> None:
    text = TOOL.replace(old, new, 1)
    with pytest.raises(ConfigError) as error:
        written(tmp_path, text)
    assert says in str(error.value)


def test_a_tool_without_arguments_needs_no_schema(tmp_path: Path) -> None:
    lines = [line.replace("/{number}", "") for line in TOOL.splitlines() if not line.startswith("arguments")]
    assert written(tmp_path, "\n".join(lines)).tools["find_order"].arguments["type"] == "object"


def test_a_secret_is_not_sent_over_plain_http_but_to_this_machine(tmp_path: Path) -> None:
    text = TOOL.replace("description", 'secret_env = "X"\ndescription').replace("https://", "http://")
    with pytest.raises(ConfigError, match="a secret is not sent over plain http"):
        written(tmp_path, text)
    assert written(tmp_path, text.replace("api.example.com", "127.0.0.1:9000")).tools["find_order"].secret_env == "X"
