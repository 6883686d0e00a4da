"""Exotel's connect API: dial. Calls are ended by closing their stream, and moved by the flow that follows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlsplit

import aiohttp

from gateway.errors import PeerFault
from gateway.platforms.base import Document
from gateway.platforms.basic import with_basic
from gateway.platforms.control import OutboundCall, Patience, Rest, basic, require_success

# Exotel's bound for streamurl.
MAX_STREAM_URL_CHARS = 600


@dataclass(frozen=True, slots=True)
class ExotelAccount:
    """The account with its API key, and what its streams show at our socket."""

    sid: str
    key: str
    token: str = field(repr=False)
    stream_user: str = ""
    stream_password: str = field(default="", repr=False)
    rate_hz: int = 8_000
    base_url: str = "https://api.exotel.com"


class ExotelControl:
    """The calls of one account."""

    def __init__(
        self, http: aiohttp.ClientSession, account: ExotelAccount, *, patience: Patience | None = None
    ) -> None:
        self._rest = Rest(http, basic(account.key, account.token), patience or Patience())
        self._account = account
        self._url = f"{account.base_url.rstrip('/')}/v1/accounts/{quote(account.sid, safe='')}/calls/connect"

    async def hang_up(self, call_id: str) -> None:
        """Nothing: the call is over when its stream is closed, unless its flow goes on."""

    async def transfer(self, call_id: str, target: str) -> None:
        """PeerFault: the flow decides where the call goes."""
        raise PeerFault("rest_refused", "Exotel moves a call by its flow only")

    async def redirect(self, call_id: str, document: Document) -> None:
        """PeerFault: there is no such request."""
        raise PeerFault("rest_refused", "Exotel takes no documents")

    async def dial(self, call: OutboundCall) -> str:
        """Place a call whose audio goes to our socket at once: no webhook is asked."""
        parts = urlsplit(call.answer_url)
        path = parts.path.removesuffix("/voice") + "/stream"
        query = "&".join(filter(None, (f"sample-rate={self._account.rate_hz}", parts.query)))
        scheme = "wss" if parts.scheme == "https" else "ws"
        stream_url = f"{scheme}://{parts.netloc}{path}?{query}"
        stream_url = with_basic(stream_url, self._account.stream_user, self._account.stream_password)
        if len(stream_url) > MAX_STREAM_URL_CHARS:
            raise PeerFault("rest_refused", f"the stream's URL has {len(stream_url)} characters")
        form = {
            "from": call.to,
            "callerid": call.caller,
            "streamurl": stream_url,
            "streamtype": "bidirectional",
        }
        if call.status_url:
            form |= {"statuscallback": call.status_url, "statuscallbackevents[]": "terminal"}
        answer = await self._rest.post(self._url, form, idempotent=False)
        require_success(answer)
        call_id = _call_id(answer.body)
        if not call_id:
            raise PeerFault("rest_bad_answer", "the answer to a new call has no Sid")
        return call_id


def _call_id(body: Mapping[str, Any]) -> str:
    """The call's id, beside or inside `Call`, however its key is written (the answer's shape is not documented)."""
    inner = body.get("Call") or body.get("call")
    for place in (inner if isinstance(inner, dict) else {}, body):
        for key in ("Sid", "sid", "call_sid", "CallSid"):
            value = place.get(key)
            if isinstance(value, str) and value:
                return value
    return ""
