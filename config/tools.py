"""Settings of what the model may do: the declared HTTP tools, and the limits they share."""

import json
import re
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, field_validator, model_validator

from config.group import LOOPBACK, Group

BUILT_IN = ("hang_up", "transfer", "send_digits")
# What both providers take as the name of a function.
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_PLACE = re.compile(r"\{([^{}]*)\}")
_ADDRESS = re.compile(r"https?://[!-~]+")
_HEADER = re.compile(r"[A-Za-z0-9-]{1,64}")

# Longer than a caller waits, fillers or not.
ToolSeconds = Annotated[float, Field(gt=0, le=60)]


class ToolUse(Group):
    allowed_hosts: tuple[str, ...]
    timeout_s: ToolSeconds
    # An answer is kept in the history, which cuts texts at 8000 characters.
    max_result_bytes: Annotated[int, Field(ge=200, le=7500)]


class HttpTool(Group):
    """One of [tools]: a request that the model may make. What it leaves out is [tool_use]'s, or nothing."""

    description: Annotated[str, Field(min_length=1)]
    url: str
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] = "GET"
    arguments: dict[str, Any] = {"type": "object", "properties": {}}
    timeout_s: ToolSeconds | None = None
    secret_env: str = ""
    secret_header: str = "Authorization"
    secret_prefix: str = ""

    @field_validator("arguments", mode="before")
    @classmethod
    def _may_be_json(cls, written: object) -> object:
        """A schema is written as tables, or as JSON in a text."""
        if not isinstance(written, str):
            return written
        try:
            return json.loads(written)
        except ValueError as error:
            raise ValueError(f"the text is not JSON ({error}); write a JSON schema, or tables") from error

    @field_validator("url")
    @classmethod
    def _is_an_address(cls, written: str) -> str:
        parts = urlsplit(written)
        usable = _ADDRESS.fullmatch(written) and parts.hostname and parts.port != 0
        if not usable or "@" in parts.netloc or parts.fragment:
            raise ValueError("give an address such as https://api.example.com/orders/{number}")
        if "{" in parts.netloc:
            raise ValueError("an argument may stand behind the host only, or the model could choose whom to ask")
        return written

    @field_validator("secret_header")
    @classmethod
    def _is_a_header(cls, written: str) -> str:
        if not _HEADER.fullmatch(written):
            raise ValueError("give the name of a header, such as Authorization")
        return written

    @model_validator(mode="after")
    def _fits_together(self) -> "HttpTool":
        required = self.arguments.get("required") or []
        missing = next((name for name in _PLACE.findall(self.url) if name not in required), None)
        if missing is not None:
            raise ValueError(f"url has a place {{{missing}}} that arguments do not require; add it to required")
        if self.secret_env and self.url.startswith("http://") and urlsplit(self.url).hostname not in LOOPBACK:
            raise ValueError("a secret is not sent over plain http; give an https:// url")
        return self

    @property
    def host(self) -> str:
        """The host that is asked, with its port where the url has one."""
        return urlsplit(self.url).netloc.lower()


# What may stand in a [tools.NAME], with a value of each key's kind where that is a text.
KNOWN_KEYS = {name: None if name in ("arguments", "timeout_s") else "" for name in HttpTool.model_fields}


def _check_names(tools: dict[str, HttpTool]) -> dict[str, HttpTool]:
    """ValueError for a name that no model could call, or that is built in."""
    for name in tools:
        if name in BUILT_IN or not _NAME.fullmatch(name):
            raise ValueError(f"{name}: a tool's name is 1 to 64 letters, digits, - and _, and not a built-in's; rename")
    return tools


DeclaredTools = Annotated[dict[str, HttpTool], AfterValidator(_check_names)]


def check_bot(bot: str, tools: tuple[str, ...], transfer_to: dict[str, str], declared: dict[str, HttpTool]) -> None:
    """ValueError when the bot of that table has a tool that nobody declared, or may move callers to nobody."""
    unknown = next((name for name in tools if name not in BUILT_IN and name not in declared), None)
    if unknown is not None:
        raise ValueError(
            f"{bot}.tools names {unknown}, which is neither built in ({', '.join(BUILT_IN)}) nor declared; "
            f"declare [tools.{unknown}] or remove it"
        )
    if "transfer" in tools and not transfer_to:
        raise ValueError(f"{bot}.tools has transfer, and {bot}.transfer_to names nobody; give names and their numbers")
