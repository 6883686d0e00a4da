"""aiohttp's client session without sockets: what platforms/control.py asks goes to a function, under any clock."""

import asyncio
import json as json_lib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import aiohttp

from gateway.simulator.carrier.base import RestReply, RestRequest

# From a cloud region to the API's.
ROUND_TRIP_S = 0.05


@dataclass
class MemoryHttp:
    """`serve` answers; what was asked is kept. Answers to requests that are `lost` never come."""

    serve: Callable[[RestRequest], Awaitable[RestReply]]
    asked: list[RestRequest] = field(default_factory=list)
    lost: Callable[[RestRequest], bool] = lambda request: False

    def request(
        self,
        method: str,
        url: str,
        *,
        data: Any,
        json: Any,
        headers: Mapping[str, str],
        timeout: aiohttp.ClientTimeout,
        **_redirects: Any,
    ) -> "_Exchange":
        content_type = headers.get("Content-Type", "")
        if json is not None:
            content_type, body = "application/json", json_lib.dumps(json).encode()
        elif isinstance(data, Mapping):
            content_type, body = "application/x-www-form-urlencoded", urlencode(data).encode()
        else:
            body = data or b""
        self.asked.append(RestRequest(method, url, content_type, body))
        return _Exchange(self, self.asked[-1], timeout.total or 0.0)


class _Exchange:
    """The response's context, the response, and its content: all that is used of each."""

    def __init__(self, http: MemoryHttp, request: RestRequest, timeout_s: float) -> None:
        self._http = http
        self._request = request
        self._timeout_s = timeout_s
        self._body = b""
        self.status = 0
        self.content = self

    async def __aenter__(self) -> "_Exchange":
        await asyncio.sleep(ROUND_TRIP_S / 2)
        reply = await self._http.serve(self._request)
        if self._http.lost(self._request):
            await asyncio.sleep(self._timeout_s)
            raise TimeoutError
        await asyncio.sleep(ROUND_TRIP_S / 2)
        self.status = reply.status
        self._body = b"" if reply.body is None else json_lib.dumps(reply.body).encode()
        return self

    async def __aexit__(self, *_failure: object) -> None:
        """Nothing is open."""

    async def iter_any(self) -> AsyncIterator[bytes]:
        yield self._body
