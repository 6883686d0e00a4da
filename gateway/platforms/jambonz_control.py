"""jambonz' call resource: hang up, transfer and dial by REST."""

from typing import Any
from urllib.parse import quote

import aiohttp

from gateway.errors import PeerFault
from gateway.platforms.base import Document
from gateway.platforms.control import OutboundCall, Patience, Rest, bearer, require_success
from gateway.platforms.jambonz import dial, endpoint
from gateway.platforms.shelf import Publish


class JambonzControl:
    """The calls of one account. `publish` keeps a document where jambonz can fetch it: a call is moved by URL only."""

    def __init__(
        self,
        http: aiohttp.ClientSession,
        account_sid: str,
        api_key: str,
        *,
        publish: Publish,
        base_url: str = "https://api.jambonz.cloud",
        patience: Patience | None = None,
    ) -> None:
        self._rest = Rest(http, bearer(api_key), patience or Patience())
        self._calls_url = f"{base_url.rstrip('/')}/v1/Accounts/{quote(account_sid, safe='')}/Calls"
        self._publish = publish

    async def hang_up(self, call_id: str) -> None:
        answer = await self._rest.send("PUT", self._url(call_id), body={"call_status": "completed"}, idempotent=True)
        if answer.status != 404:  # already over
            require_success(answer)

    async def transfer(self, call_id: str, target: str) -> None:
        await self.redirect(call_id, dial(target))

    async def redirect(self, call_id: str, document: Document) -> None:
        body = {"call_hook": {"url": self._publish(document), "method": "POST"}}
        # Not idempotent: a second request would dial the target anew.
        answer = await self._rest.send("PUT", self._url(call_id), body=body, idempotent=False)
        if answer.status == 404:
            raise PeerFault("call_over", "the call ended before it could be moved")
        require_success(answer)

    async def dial(self, call: OutboundCall) -> str:
        body: dict[str, Any] = {
            "from": call.caller,
            "to": endpoint(call.to),
            "call_hook": {"url": call.answer_url, "method": "POST"},
            "timeout": call.ring_timeout_s,
        }
        if call.status_url:
            body["call_status_hook"] = {"url": call.status_url, "method": "POST"}
        answer = await self._rest.send("POST", self._calls_url, body=body, idempotent=False)
        require_success(answer)
        call_id = answer.body.get("sid")
        if not isinstance(call_id, str) or not call_id:
            raise PeerFault("rest_bad_answer", "the answer to a new call has no sid")
        return call_id

    def _url(self, call_id: str) -> str:
        return f"{self._calls_url}/{quote(call_id, safe='')}"
