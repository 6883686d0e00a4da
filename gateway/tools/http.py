"""A tool that is a request to somebody's HTTP server: arguments out, text back, everything bounded."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import aiohttp
from yarl import URL

from gateway.errors import ToolError
from gateway.llm.base import Tool
from gateway.tools.arguments import ArgumentCheck

# Arguments that stand in the address: https://api.example.com/orders/{number}.
PLACE = re.compile(r"\{([^{}]+)\}")
# Of a refusal's body: its reason ("that day is full") fits, a page of HTML does not.
MAX_REASON_BYTES = 500
_NOT_COMPRESSED = {"Accept": "application/json, text/*;q=0.9", "Accept-Encoding": "identity"}
_IN_QUERY = frozenset(("GET", "DELETE"))


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """What is sent: arguments fill the {places} of `url`; the others are its query (GET, DELETE) or a JSON body."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    # More of an answer is not read: models get slow and vague over long texts, and the history keeps 8000 characters.
    max_result_bytes: int = 6000


class HttpTool:
    """A CallTool. Redirects are not followed, so nothing but the host of `url` is ever asked."""

    parting = False

    def __init__(self, spec: Tool, request: HttpRequest, http: aiohttp.ClientSession, timeout_s: float) -> None:
        """`http` should keep no cookies: it is shared by all calls. ValueError when the schema is none."""
        self.spec = spec
        self.timeout_s = timeout_s
        self.lasting = request.method != "GET"
        self._request = request
        self._http = http
        self._check = ArgumentCheck(spec.schema)

    def faults(self, arguments: Mapping[str, Any]) -> str:
        """See CallTool."""
        faults = self._check.faults(arguments)
        places = PLACE.findall(self._request.url)
        blank = [name for name in places if _plain(arguments.get(name)).strip() in ("", ".", "..")]
        return faults or (f"{blank[0]}: must not be {arguments.get(blank[0])!r}" if blank else "")

    async def its_moment(self) -> None:
        """At any time."""

    async def run(self, arguments: Mapping[str, Any]) -> str:
        """See CallTool; the answer's text, cut at the bound and saying so."""
        address, body = addressed(self._request, arguments)
        try:
            async with self._http.request(
                self._request.method,
                address,
                json=body,
                headers={**_NOT_COMPRESSED, **self._request.headers},
                allow_redirects=False,
                auto_decompress=False,
                timeout=aiohttp.ClientTimeout(total=None),  # whoever runs it bounds the whole
            ) as response:
                return await self._answer(response)
        except aiohttp.ClientConnectorError as error:
            raise ToolError("unreachable", "its server cannot be reached", retryable=True) from error
        except (aiohttp.ClientError, OSError) as error:
            raise ToolError("broken_answer", "its server broke off, or answered with nonsense") from error

    async def _answer(self, response: aiohttp.ClientResponse) -> str:
        if response.status >= 400:
            code = "http_5xx" if response.status >= 500 else "http_4xx"
            reason, _ = await _text(response, MAX_REASON_BYTES)
            raise ToolError(code, f"its server answered {response.status}: {reason}".rstrip(": "))
        if response.status >= 300:
            raise ToolError("redirected", "its server sent us elsewhere, which is not followed")
        text, whole = await _text(response, self._request.max_result_bytes)
        return text if whole else f"{text}\n(The rest of the answer was cut off.)"


def addressed(request: HttpRequest, arguments: Mapping[str, Any]) -> tuple[URL, Mapping[str, Any] | None]:
    """Where the request goes with these arguments, and its JSON body, if it has one."""
    filled = PLACE.sub(lambda place: quote(_plain(arguments.get(place[1])), safe=""), request.url)
    rest = {name: value for name, value in arguments.items() if name not in PLACE.findall(request.url)}
    if request.method in _IN_QUERY:
        return URL(filled, encoded=True).extend_query(list(_pairs(rest))), None
    return URL(filled, encoded=True), rest


async def _text(response: aiohttp.ClientResponse, bound_bytes: int) -> tuple[str, bool]:
    """The body as text, and whether it is all of it; ToolError when it is no text."""
    body = b""
    while len(body) <= bound_bytes and (piece := await response.content.read(bound_bytes + 1 - len(body))):
        body += piece
    encoding = response.headers.get("Content-Encoding", "identity").lower()
    if encoding != "identity" or b"\0" in body:
        raise ToolError("not_text", "its server answered with something that is no text")
    return _read(body[:bound_bytes], response.charset or "utf-8"), len(body) <= bound_bytes


def _read(body: bytes, charset: str) -> str:
    """The text of a body; in UTF-8 where its charset is none that anybody writes pages in."""
    try:
        if b"ascii".decode(charset) == "ascii":  # punycode, idna and their like are for names
            return body.decode(charset, "replace")
    except (LookupError, UnicodeError):
        pass
    return body.decode("utf-8", "replace")


def _pairs(arguments: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in arguments.items():
        for one in value if isinstance(value, list) else [value]:
            if one is not None:
                yield _plain(name), _plain(one)


def _plain(value: object) -> str:
    text = value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)
    return text.encode("utf-8", "replace").decode()  # a lone surrogate cannot be sent
