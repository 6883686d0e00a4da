"""Plivo's call resource by REST, and Vobiz's, which differs in its host and in how credentials are shown."""

from typing import Any
from urllib.parse import quote

import aiohttp

from gateway.errors import PeerFault
from gateway.platforms import plivo_xml
from gateway.platforms.base import Document
from gateway.platforms.control import OutboundCall, Patience, Rest, basic, require_success
from gateway.platforms.shelf import Publish


class PlivoControl:
    """The calls of one account. `publish` keeps a document where Plivo can fetch it: a call is moved by URL only."""

    def __init__(
        self,
        http: aiohttp.ClientSession,
        auth_id: str,
        auth_token: str,
        *,
        publish: Publish,
        base_url: str = "https://api.plivo.com/v1",
        patience: Patience | None = None,
    ) -> None:
        self._rest = Rest(http, self._credentials(auth_id, auth_token), patience or Patience())
        self._calls_url = f"{base_url.rstrip('/')}/Account/{quote(auth_id, safe='')}/Call"
        self._publish = publish

    async def hang_up(self, call_id: str) -> None:
        answer = await self._rest.send("DELETE", self._url(call_id), idempotent=True)
        if answer.status != 404:  # already over
            require_success(answer)

    async def transfer(self, call_id: str, target: str) -> None:
        await self.redirect(call_id, plivo_xml.dial(target))

    async def redirect(self, call_id: str, document: Document) -> None:
        body = {"legs": "aleg", "aleg_url": self._publish(document), "aleg_method": "POST"}
        # Not idempotent: a second request would dial the target anew.
        answer = await self._rest.send("POST", self._url(call_id), body=body, idempotent=False)
        if answer.status == 404:
            raise PeerFault("call_over", "the call ended before it could be moved")
        require_success(answer)

    async def dial(self, call: OutboundCall) -> str:
        body: dict[str, Any] = {
            # Numbers are written without the plus.
            "to": call.to.lstrip("+"),
            "from": call.caller.lstrip("+"),
            "answer_url": call.answer_url,
            "answer_method": "POST",
            "ring_timeout": call.ring_timeout_s,
        }
        if call.status_url:
            body |= {"hangup_url": call.status_url, "hangup_method": "POST"}
            if call.ask_who:
                body |= {"machine_detection": "true", "machine_detection_url": call.status_url}
        answer = await self._rest.send("POST", f"{self._calls_url}/", body=body, idempotent=False)
        require_success(answer)
        # The request's id becomes the CallUUID of the one call it places.
        call_id = answer.body.get("call_uuid") or answer.body.get("request_uuid")
        if not isinstance(call_id, str) or not call_id:
            raise PeerFault("rest_bad_answer", "the answer to a new call has no request_uuid")
        return call_id

    def _credentials(self, auth_id: str, auth_token: str) -> dict[str, str]:
        return basic(auth_id, auth_token)

    def _url(self, call_id: str) -> str:
        return f"{self._calls_url}/{quote(call_id, safe='')}/"


class VobizControl(PlivoControl):
    """The calls of one Vobiz account."""

    def __init__(
        self,
        http: aiohttp.ClientSession,
        auth_id: str,
        auth_token: str,
        *,
        publish: Publish,
        base_url: str = "https://api.vobiz.ai/api/v1",
        patience: Patience | None = None,
    ) -> None:
        super().__init__(http, auth_id, auth_token, publish=publish, base_url=base_url, patience=patience)

    def _credentials(self, auth_id: str, auth_token: str) -> dict[str, str]:
        return {"X-Auth-ID": auth_id, "X-Auth-Token": auth_token}
